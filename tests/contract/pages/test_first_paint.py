"""How much each page loads before it shows something: its HTML, and the styles and scripts that it
names and that these import at once, as they are sent."""

import re
from collections.abc import Iterator, Set
from urllib.parse import urljoin

import pytest

from domain.games import GAMES
from service.web.assets import board_of, form_of
from tests.support.games import fewest
from tests.support.http.rewind_client import steps
from tests.support.http.tournament_client import cup
from tests.support.servers.live_server import Answer, Live

FIRST_PAINT = 100_000
"""Bytes, compressed by the service: the most that a page may need before it shows something."""

OF_A_MATCH = ("/m/{}", "/m/{}?as=moderator", "/embed/{}", "/play/{}", "/table/{}", "/m/{}/audit")
"""The pages that draw a match, by its id."""


@pytest.mark.parametrize("game", GAMES)
def test_the_pages_of_a_match_are_small(live: Live, game: str) -> None:
    match = steps(live.started(game, fewest(game)), 6)
    drawn = {path for path in (*board_of(game), form_of(game)) if path is not None}
    for path in OF_A_MATCH:
        assert_small(live, path.format(match.id), drawn)


def test_the_pages_of_tournaments_are_small(live: Live) -> None:
    made = cup(live, players=["Ann", "Ben"])
    made.match(("Ann", "Ben"))
    shown = f"/t/{made.id}"
    for path in (
        *(f"{shown}{more}" for more in ("", "/me", "/audit", "?wall", "?print")),
        "/organise",
    ):
        assert_small(live, path)


@pytest.mark.parametrize("path", ["/", "/docs", "/docs/api", "/verify"])
def test_the_pages_about_the_service_are_small(live: Live, path: str) -> None:
    assert_small(live, path)


def assert_small(live: Live, path: str, more: Set[str] = frozenset()) -> None:
    """A page needs less than a first paint may, with `more` that its script loads without being
    asked; what draws charts is not read before there is one."""
    page = live.anyone.get(path).raise_for_status()
    tags = r'<(?:link rel="(?:stylesheet|modulepreload|icon)"|script|img)[^>]*>'
    named = re.findall(tags, page.text)
    addresses = {found[1] for tag in named if (found := re.search(r'(?:href|src)="([^"]+)"', tag))}
    sizes = {path: _sent(page), **dict(_loaded(live, addresses | more))}
    assert sum(sizes.values()) < FIRST_PAINT, sizes
    assert not [one for one in sizes if "plot" in one], "charts are read when there is one"


def _sent(answer: Answer) -> int:
    """The bytes of a body as it came over the network."""
    return int(answer.headers["content-length"])


def _loaded(live: Live, paths: Set[str]) -> Iterator[tuple[str, int]]:
    """These files, and what scripts among them import at once, with their sizes."""
    left, seen = list(paths), set(paths)
    while left:
        path = left.pop()
        answer = live.anyone.get(path)
        assert answer.status_code == 200, path
        yield path, _sent(answer)
        for name in re.findall(r'(?:from|import)"(\.[^"]+\.js)"', answer.text):
            found = urljoin(path, name)
            if found not in seen:
                seen.add(found)
                left.append(found)
