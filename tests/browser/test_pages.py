"""Every page in a real browser: people can use it, and nothing breaks its policy."""

import re
from base64 import b64encode
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import pytest
from playwright.async_api import expect

from domain.games import GAMES
from service.web.build import page
from service.web.documentation import SOURCES
from tests.support.browser.chromium import Tab, needs_chromium
from tests.support.browser.verifier import judged, verify
from tests.support.repository import TESTS
from tests.support.servers.live_server import Live
from tests.support.web.two_verdicts import of_corpus

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]

DOCUMENTS = [f"/docs/{name}".rstrip("/") for name in SOURCES]

IN_THE_DARK = ("/docs", "/docs/api", "/docs/events")
"""The pages of the documentation that have between them everything that is coloured."""

CORPUS = TESTS / "corpus"

OPERATIONS = ("games-showGame", "matches-listMatches", "matches-createMatch")
"""Operations that show between them every kind of field."""


async def visit(tab: Tab, live: Live, path: str) -> None:
    """Opens a page, and waits until it is complete."""
    await tab.page.goto(f"{live.url}{path}")
    if path == "/schema":
        await tab.page.locator(".opblock").first.wait_for()


def hosts(tab: Tab) -> set[str]:
    return {urlsplit(address).netloc for address in tab.requests}


@pytest.mark.parametrize("path", ["/schema", "/verify", *DOCUMENTS])
async def test_everybody_can_use_a_page_in_light_and_dark(
    opened: Tab, live: Live, path: str
) -> None:
    await visit(opened, live, path)
    same_dress = path in DOCUMENTS and path not in IN_THE_DARK
    barriers = await (opened.barriers_within("html") if same_dress else opened.barriers())
    assert barriers == []
    assert opened.problems == []
    assert hosts(opened) == {urlsplit(live.url).netloc}


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


async def test_the_page_of_the_api_is_light_or_dark_as_its_reader_wants(
    opened: Tab, live: Live
) -> None:
    pictures = []
    schemes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
    for scheme in schemes:
        await opened.page.emulate_media(color_scheme=scheme)
        await visit(opened, live, "/schema")
        pictures.append(b64encode(await opened.page.screenshot()).decode())
    await opened.page.goto("about:blank")
    light, dark = [await opened.page.evaluate(BRIGHTNESS, picture) for picture in pictures]
    assert dark < 60 < 195 < light


async def test_a_picture_of_the_documentation_keeps_its_style(opened: Tab, live: Live) -> None:
    await visit(opened, live, "/docs/board.svg")
    family = "getComputedStyle(document.querySelector('.board-title')).fontWeight"
    assert await opened.page.evaluate(family) == "700"
    assert opened.problems == []


# The API.


async def test_the_page_of_the_api_shows_every_operation(opened: Tab, live: Live) -> None:
    await visit(opened, live, "/schema")
    description = live.anyone.get("/schema/openapi.json").json()
    paths = [*description["paths"].values(), *description["webhooks"].values()]
    operations = [one for methods in paths for one in methods.values()]
    await expect(opened.page.locator(".opblock")).to_have_count(len(operations))
    await expect(opened.page.get_by_text(operations[0]["summary"], exact=True)).to_be_visible()


async def test_everybody_can_use_an_operation(opened: Tab, live: Live) -> None:
    await visit(opened, live, "/schema")
    for operation in OPERATIONS:
        block = opened.page.locator(f"#operations-{operation}")
        await block.locator(".opblock-summary-control").click()
        await block.locator(".responses-table").first.wait_for()
        await block.locator(".opblock-body").wait_for()
    assert await opened.barriers_within(".opblock.is-open") == []
    assert opened.problems == []


async def test_a_request_can_be_tried(opened: Tab, live: Live) -> None:
    await visit(opened, live, "/schema#/games/listGames")
    block = opened.page.locator("#operations-games-listGames")
    # By keyboard: a click waits until nothing moves, which takes long on a busy machine.
    await block.get_by_role("button", name="Execute").press("Enter")
    answer = block.locator(".live-responses-table")
    await expect(answer.locator(".response-col_status").last).to_contain_text("200")
    await expect(answer).to_contain_text("liars-dice")
    assert opened.problems == []
    assert hosts(opened) == {urlsplit(live.url).netloc}


# The verifier.


RULES = "Rules: not judged here. The command that judges them: arbiter verify FILE --key KEYS"


def good(game: str) -> Path:
    """A bundle of the corpus."""
    return CORPUS / of_corpus(game)[0].how


@pytest.mark.parametrize("game", GAMES)
async def test_the_verifier_judges_the_evidence_of_every_game_and_not_its_rules(
    opened: Tab, live: Live, game: str
) -> None:
    await visit(opened, live, "/verify")
    await verify(opened, good(game), (CORPUS / "keys").read_text())
    assert await judged(opened) == "HOLDS"
    await expect(opened.page.locator("#verdict")).to_contain_text(RULES)
    await expect(opened.page.locator("#claims .NOT-JUDGED")).to_have_count(2)
    assert await opened.barriers() == []
    assert opened.problems == []


async def test_the_verifier_judges_when_it_was_saved(
    opened: Tab, live: Live, tmp_path: Path
) -> None:
    copy = tmp_path / "verify.html"
    copy.write_bytes(live.anyone.get("/verify").content)
    assert copy.read_text() == page()
    await opened.page.goto(copy.as_uri())
    await verify(opened, good("liars-dice"), (CORPUS / "keys").read_text())
    assert await judged(opened) == "HOLDS"
    assert await opened.barriers() == []
    assert opened.problems == []


@pytest.mark.parametrize("game", GAMES)
async def test_the_verifier_finds_a_changed_byte(
    opened: Tab, live: Live, tmp_path: Path, game: str
) -> None:
    changed = bytearray(good(game).read_bytes())
    changed[len(changed) // 2] ^= 1
    bundle = tmp_path / "changed.arb"
    bundle.write_bytes(changed)
    await visit(opened, live, "/verify")
    await verify(opened, bundle, (CORPUS / "keys").read_text())
    assert await judged(opened) == "FAIL"
    assert await opened.barriers() == []


async def test_the_verifier_asks_its_own_server_for_keys(opened: Tab, live: Live) -> None:
    await visit(opened, live, "/verify")
    await opened.page.get_by_role("button", name="Ask this server for its keys").click()
    (first, *_) = live.anyone.get("/v1/keys").json()["keys"]
    await expect(opened.page.locator("#keys")).to_have_value(re.compile(re.escape(first["key"])))
    assert opened.problems == []
