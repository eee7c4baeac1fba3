"""What people write is shown as text: nothing of it runs, on any page."""

import json
from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.browser.desk_tab import by_hand
from tests.browser.page_checks import hangs_over
from tests.browser.verifier import judged, verify
from tests.support.browser.chromium import Tab, needs_chromium
from tests.support.http import case_client
from tests.support.http.match_play import step
from tests.support.http.ruling_client import ruled
from tests.support.http.tournament_client import LiveCup, cup
from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.servers.live_server import Live, LiveMatch

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]

IMAGE = "<img src=x onerror=ran()>"
SCRIPT = "</pre></script><script>ran()</script>"
LINK = "[a](javascript:ran())"
WIDE = "W" * 60
FILE = "<svg onload=ran()>.png"

WATCH = "window.ran = () => { window.hasRun = true; };"


@pytest.fixture(scope="module")
def hostile(live: Live) -> LiveMatch:
    """A match with such names, seeds and settings, that has been started."""
    match = live.create("dollar-prize", [IMAGE, SCRIPT])
    for seat, seed in enumerate((SCRIPT, IMAGE)):
        path = f"{match.seats[seat].path}/client-seeds"
        assert match.seats[seat].client.post(path, {"seed": seed}).status_code == 201
    assert match.moderator.start().status_code == 201
    cup(live, name=IMAGE, players=[SCRIPT, LINK])
    return match


@pytest.fixture(scope="module")
def hostile_cup(live: Live) -> LiveCup:
    """A tournament with such names, and with a match."""
    made = cup(live, name=IMAGE, players=[SCRIPT, WIDE], moderators=[LINK])
    made.match((SCRIPT, WIDE))
    return made


@pytest.fixture(scope="module")
def argued(live: Live) -> LiveMatch:
    """A match of which people have said such things, in notes, reasons and cases."""
    match = live.started("dollar-prize", [IMAGE, WIDE])
    step(match)
    ruled(match.moderator, "note", to="public", severity="warning", text=SCRIPT, reason=IMAGE)
    ruled(match.moderator, "note", to="seat:0", severity="warning", text=IMAGE, reason=SCRIPT)
    ruled(match.organiser, "void", ask_seats=True, reason=f"{IMAGE}{WIDE}")
    case = case_client.opened(match.seats[0], about=2, says=f"{IMAGE}{WIDE}{WIDE}")
    attached = {"sha256": "0" * 64, "name": FILE}
    assert case_client.say(match.seats[0], case, SCRIPT, attachment=attached).status_code == 201
    return match


async def nothing_ran(tab: Tab) -> None:
    """Nothing of the texts became an element or ran, and no policy had to stop it."""
    assert await tab.page.evaluate("window.hasRun === undefined")
    assert await tab.page.locator("img[src=x]").count() == 0
    assert tab.problems == []


async def shown_as_text(tab: Tab, address: str, *texts: str) -> None:
    """A page shows these texts as they are, nothing of them runs, and nothing hangs over its side
    on a phone."""
    await tab.page.goto(address)
    for text in texts:
        await expect(tab.page.locator("main")).to_contain_text(text)
    await nothing_ran(tab)
    assert await tab.page.locator("a[href^='javascript:']").count() == 0
    assert await hangs_over(tab.page) == 0, address


async def keep(tab: Tab, live: Live, purpose: str, key: str) -> None:
    """Keeps a key in the tab, as if its reader had typed it in."""
    await tab.page.add_init_script(WATCH)
    await tab.page.set_viewport_size({"width": 360, "height": 800})
    await tab.page.goto(f"{live.url}/assets/mark.svg")
    stored = "([name, key]) => sessionStorage.setItem(`arbiter key: ${name}`, key)"
    await tab.page.evaluate(stored, [purpose, key])


async def test_a_page_that_took_it_as_html_would_be_noticed(opened: Tab, live: Live) -> None:
    await opened.page.add_init_script(WATCH)
    await opened.page.goto(f"{live.url}/v1/games/none")
    await opened.page.set_content(IMAGE)
    with pytest.raises(AssertionError):
        await nothing_ran(opened)


async def test_the_verifier_shows_a_bundle(
    opened: Tab, live: Live, hostile: LiveMatch, tmp_path: Path
) -> None:
    bundle = tmp_path / f"{IMAGE}.arb"
    bundle.write_bytes(hostile.moderator.client.get(f"{hostile.moderator.path}/bundle").content)
    await opened.page.add_init_script(WATCH)
    await opened.page.goto(f"{live.url}/verify")
    await verify(opened, bundle, live.anyone.get("/v1/keys").text)
    assert await judged(opened) == "SEALED"
    await expect(opened.page.locator("#chosen")).to_contain_text(IMAGE)
    await opened.page.get_by_text("What can be read of it").click()
    table = opened.page.locator("#events tbody")
    for text in (IMAGE, SCRIPT):
        await expect(table).to_contain_text(json.dumps(text)[1:-1])
        await opened.page.fill("#filter", text)
        await expect(opened.page.locator("#shown")).not_to_contain_text(" 0 found")
    await nothing_ran(opened)


async def test_the_verifier_names_unusable_files_and_keys(
    opened: Tab, live: Live, tmp_path: Path
) -> None:
    bundle, note = tmp_path / "a.arb", tmp_path / f"{IMAGE}.txt"
    bundle.write_text(IMAGE)
    note.write_text(IMAGE)
    await opened.page.add_init_script(WATCH)
    await opened.page.goto(f"{live.url}/verify")
    await opened.page.set_input_files("#kept", note)
    await verify(opened, bundle, f"{IMAGE.replace(' ', '/')}+00000000+AA")
    await expect(opened.page.locator("#verdict")).to_contain_text("<img")
    await nothing_ran(opened)


@pytest.mark.parametrize("path", ["/v1/matches", "/v1/tournaments"])
async def test_a_list_opened_as_a_page_is_text(
    opened: Tab, live: Live, hostile: LiveMatch, path: str
) -> None:
    await opened.page.add_init_script(WATCH)
    await opened.page.goto(f"{live.url}{path}")
    await expect(opened.page.locator("pre")).to_contain_text(IMAGE)
    await nothing_ran(opened)


async def test_what_a_moderator_reads_is_text(opened: Tab, live: Live, argued: LiveMatch) -> None:
    await keep(opened, live, f"match {argued.id}", argued.moderator_key)
    match = f"{live.url}/m/{argued.id}"
    await shown_as_text(opened, f"{match}?as=moderator", IMAGE, WIDE, SCRIPT)
    await shown_as_text(opened, f"{live.url}/table/{argued.id}", IMAGE, WIDE, SCRIPT, FILE)
    await shown_as_text(opened, f"{match}/audit", IMAGE, WIDE, SCRIPT)
    (case,) = case_client.listed(argued.moderator)
    await opened.page.get_by_role("link", name="Case 1").click()
    report = opened.page.get_by_role("article")
    for text in (IMAGE, SCRIPT, FILE, WIDE):
        await expect(report).to_contain_text(text)
    assert opened.page.url.endswith(f"#case-{case['case']}")
    assert await hangs_over(opened.page) == 0
    await nothing_ran(opened)


async def test_what_a_seat_reads_is_text(opened: Tab, live: Live, argued: LiveMatch) -> None:
    await keep(opened, live, f"match {argued.id}", argued.keys[0])
    await shown_as_text(opened, f"{live.url}/play/{argued.id}", IMAGE, WIDE, SCRIPT)


async def test_what_everybody_reads_is_text(
    opened: Tab, live: Live, argued: LiveMatch, hostile_cup: LiveCup
) -> None:
    await keep(opened, live, "organiser", ORGANISER_KEY)
    await shown_as_text(opened, live.url, IMAGE, WIDE, SCRIPT)
    await shown_as_text(opened, f"{live.url}/embed/{argued.id}", IMAGE, WIDE)
    await shown_as_text(opened, f"{live.url}/m/{argued.id}", IMAGE, WIDE, SCRIPT)
    tournament = f"{live.url}/t/{hostile_cup.id}"
    await shown_as_text(opened, tournament, IMAGE, WIDE, SCRIPT, LINK, "Run the matches")
    await shown_as_text(opened, f"{live.url}/organise")
    await by_hand(opened.page)
    await opened.page.get_by_label("Name of the tournament").fill(IMAGE)
    await opened.page.get_by_label("Players", exact=True).fill(f"{SCRIPT}\n{WIDE}")
    await opened.page.get_by_role("button", name="Create the tournament").click()
    for text in (IMAGE, SCRIPT, WIDE):
        await expect(opened.page.locator(".sheets")).to_contain_text(text)
    assert await hangs_over(opened.page) == 0
    await nothing_ran(opened)


@pytest.mark.parametrize("rest", ["#%", f"#{IMAGE}", "#__proto__"])
async def test_a_hostile_address_leads_to_a_page(
    opened: Tab, live: Live, argued: LiveMatch, rest: str
) -> None:
    await opened.page.add_init_script(WATCH)
    await opened.page.goto(f"{live.url}/play/{argued.id}{rest}")
    await expect(opened.page.locator("main button").first).to_be_visible()
    await nothing_ran(opened)
