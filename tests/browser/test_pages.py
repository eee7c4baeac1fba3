"""Every page in a real browser: people can use it, and nothing breaks its policy."""

from base64 import b64encode
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import pytest
from playwright.async_api import expect

from tests.browser.verifier import judged, verify
from tests.support.browser.chromium import Tab, needs_chromium
from tests.support.repository import TESTS
from tests.support.servers.live_server import Live
from tests.support.web.two_verdicts import of_corpus

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]

COLOURED = ("/docs", "/docs/versions", "/docs/first-bot", "/docs/decisions")
"""Short pages of the documentation that have between them every element of all. What a
document alone can get wrong, `tests/service/web/test_documentation.py` finds without a browser."""

CORPUS = TESTS / "corpus"

IMAGE = "<img src=x onerror=ran()>"

OPERATIONS = ("games-showGame", "matches-listMatches", "matches-createMatch")
"""Operations that show between them every kind of field."""


def hosts(tab: Tab) -> set[str]:
    return {urlsplit(address).netloc for address in tab.requests}


@pytest.mark.parametrize("path", ["/verify", "/games/grouping-bw", *COLOURED])
async def test_everybody_can_use_a_page_in_light_and_dark(
    opened: Tab, live: Live, path: str
) -> None:
    await opened.page.goto(f"{live.url}{path}")
    assert await opened.barriers() == []
    assert opened.problems == []
    assert hosts(opened) == {urlsplit(live.url).netloc}


async def test_a_language_that_is_chosen_stays_on_the_device(opened: Tab, live: Live) -> None:
    page = opened.page
    await page.goto(f"{live.url}/play#kept")
    await page.get_by_role("button", name="Deutsch").click()
    for path in ("/play#kept", "/docs/people", "/verify"):
        if path not in page.url:
            await page.goto(f"{live.url}{path}")
        await expect(page.locator("html")).to_have_attribute("lang", "de")
        assert page.url == f"{live.url}{path}"
        assert await opened.barriers() == []
    await page.get_by_role("button", name="English").click()
    await expect(page.locator("html")).to_have_attribute("lang", "en")
    await page.goto(f"{live.url}/play")
    await expect(page.locator("html")).to_have_attribute("lang", "en")
    assert opened.problems == []


# The API.


BRIGHTNESS = """async (png) => {
  const picture = new Image();
  picture.src = `data:image/png;base64,${png}`;
  await picture.decode();
  const canvas = new OffscreenCanvas(picture.width, picture.height).getContext('2d');
  canvas.drawImage(picture, 0, 0);
  const { data } = canvas.getImageData(0, 0, picture.width, picture.height);
  return data.reduce((sum, one, at) => sum + (at % 4 === 3 ? 0 : one), 0) / (data.length * 0.75);
}"""
"""The mean of all colours of a picture, from 0 to 255."""


async def mean_brightness(tab: Tab, scheme: Literal["light", "dark"]) -> float:
    """Of what is seen of the page, from 0 to 255."""
    await tab.page.emulate_media(color_scheme=scheme)
    picture = b64encode(await tab.page.screenshot()).decode()
    mean: float = await tab.page.evaluate(BRIGHTNESS, picture)
    return mean


async def test_the_page_of_the_api_shows_and_tries_every_operation_in_light_and_dark(
    opened: Tab, live: Live
) -> None:
    page = opened.page
    live.create("dollar-prize", [IMAGE, "Ben"])
    await page.goto(f"{live.url}/schema")
    description = live.anyone.get("/schema/openapi.json").json()
    paths = [*description["paths"].values(), *description["webhooks"].values()]
    operations = [one for methods in paths for one in methods.values()]
    await expect(page.locator(".opblock")).to_have_count(len(operations))
    await expect(page.get_by_text(operations[0]["summary"], exact=True)).to_be_visible()
    assert await mean_brightness(opened, "dark") < 60 < 195 < await mean_brightness(opened, "light")
    # By keyboard: a click waits until nothing moves, which takes long on a busy machine.
    for operation in OPERATIONS:
        block = page.locator(f"#operations-{operation}")
        await block.locator(".opblock-summary-control").press("Enter")
        await block.locator(".responses-table").first.wait_for()
    shown = ", ".join(["#swagger-ui .info", *(f"#operations-{one}" for one in OPERATIONS)])
    assert await opened.barriers(shown) == []
    listing = page.locator("#operations-matches-listMatches")
    await listing.get_by_role("button", name="Execute").press("Enter")
    answer = listing.locator(".live-responses-table")
    await expect(answer.locator(".response-col_status").last).to_contain_text("200")
    await expect(answer).to_contain_text(IMAGE)
    assert await page.locator("img[src=x]").count() == 0
    assert opened.problems == []
    assert hosts(opened) == {urlsplit(live.url).netloc}


# The verifier.


RULES = "Not judged here: rules, result. That means neither right nor wrong"


async def test_the_verifier_judges_the_evidence_and_not_the_rules(
    opened: Tab, live: Live, tmp_path: Path
) -> None:
    """What it says of every game's evidence, `tests/service/web` compares with the command's."""
    keys, good = (CORPUS / "keys").read_text(), CORPUS / of_corpus("twelve-chips")[0].how
    await opened.page.goto(f"{live.url}/verify")
    await verify(opened, good, keys)
    assert await judged(opened) == "HOLDS"
    await expect(opened.page.locator("#verdict")).to_contain_text(RULES)
    await expect(opened.page.locator("#claims .NOT-JUDGED")).to_have_count(2)
    assert await opened.barriers() == []
    changed = bytearray(good.read_bytes())
    changed[len(changed) // 2] ^= 1
    bundle = tmp_path / "changed.arb"
    bundle.write_bytes(changed)
    await verify(opened, bundle, keys)
    assert await judged(opened) == "FAIL"
    assert await opened.barriers() == []
    assert opened.problems == []
