"""A page on which a game's board draws given views, in a browser and without a server."""

import json
from collections.abc import Sequence
from pathlib import Path
from shutil import copy
from typing import Any

import msgspec
from playwright.async_api import Page, Route

from projections.audience.disclosure import Viewer, may_see
from projections.audience.lines import line_text, own_number
from projections.audience.view import AudienceState, see, view
from service.http.middleware.page_security import PEOPLE_PAGE, POLICY
from service.web.texts import languages
from tests.support.game_support import Json
from tests.support.tables.match_table import MATCH, MatchTable
from tests.support.tables.own_events import own_positions
from tests.support.web.npm_tools import made_once, tool
from tests.support.web.page_scripts import OPTIONS, inputs, sources

ORIGIN = "http://boards.test"
SCRIPT = Path(__file__).with_name("board_page.js")
PAGES = Path(__file__).parents[2] / "service/web/pages"

FRAME = """<!doctype html><html lang="{language}"><meta charset="utf-8"><title>{game}</title>
<meta name="viewport" content="width=device-width">
<link rel="icon" href="/mark.svg"><link rel="stylesheet" href="/style.css">
<link rel="stylesheet" href="/boards/{game}.css">
<main><h1>{game}</h1><section class="board"><h2>{game}</h2><div id="drawn"></div></section></main>
<script type="application/json" id="given">{given}</script>
<script type="module" src="/board_page.js"></script></html>"""


async def open_board(page: Page, game: str, language: str = "en") -> None:
    """Opens the page, with the styles, texts and policy that the service's own pages have."""
    texts = languages()[language].texts_under("board", "match", "field", "status")
    given = json.dumps({"language": language, "texts": texts, "data": None})
    frame = FRAME.format(game=game, language=language, given=given)

    async def answer(route: Route) -> None:
        path = route.request.url.removeprefix(ORIGIN).lstrip("/")
        if not path:
            headers = {POLICY: PEOPLE_PAGE}
            await route.fulfill(body=frame, content_type="text/html", headers=headers)
        else:
            await route.fulfill(path=_bundled(game) if path == SCRIPT.name else PAGES / path)

    await page.route(f"{ORIGIN}/**", answer)
    await page.goto(ORIGIN)


def _bundled(game: str) -> Path:
    """The script of the page with the board of this game, from the sources."""

    def make(folder: Path) -> None:
        pages = sources(folder)
        copy(SCRIPT, pages)
        board = f"--alias:board=./src/boards/{game}.tsx"
        bundling = [one for one in OPTIONS if one.startswith(("--bundle", "--format", "--target"))]
        tool(pages, "esbuild", SCRIPT.name, *bundling, board, f"--outfile={folder / SCRIPT.name}")

    return made_once(f"board-{game}", [SCRIPT, *inputs()], make) / SCRIPT.name


def shown_to(viewer: Viewer, table: MatchTable) -> list[Json]:
    """What a board is given at each position of an audience at which its view has changed."""
    state, before, all_shown = AudienceState(viewer), None, list[Json]()
    for record in table.records:
        if not may_see(viewer, record.event):
            continue
        state = see(state, [record])
        shown = msgspec.json.decode(msgspec.json.encode(view(MATCH, table.game.id, state)))
        if shown["view"] != before:
            all_shown.append(shown | {"before": before})
            before = shown["view"]
    return all_shown


def lines_to(viewer: Viewer, table: MatchTable) -> list[Any]:
    """The audience's lines, as they are sent."""
    positions: Sequence[int] = own_positions(viewer, [record.event for record in table.records])
    texts = (
        line_text(table.records[at - 1], lambda n: own_number(positions, n)) for at in positions
    )
    return [msgspec.json.decode(b'{"seq":%d,%b' % (n, text)) for n, text in enumerate(texts, 1)]
