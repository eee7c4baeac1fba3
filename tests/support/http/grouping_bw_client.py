"""Grouping Black & White over HTTP, at a table where the tests choose every tile."""

from collections.abc import Sequence
from typing import Any

from tests.support.http.rule_answers import accepted_body, options_of
from tests.support.servers.live_server import Json, Live, LiveMatch, Player

GAME = "grouping-bw"

DEATH, FINAL = "death-match", "final-match-2"

LOW = [0, 1, 2, 3, 4, 5, 6, 7, 8]
SHIFTED = [1, 2, 3, 4, 5, 6, 7, 8, 0]
"""Against LOW it is higher in the first eight rounds, and lower in the last."""


def opened(live: Live, options: Json | None = None, **more: Any) -> LiveMatch:
    """A match with draws by hand, in which the first starter is to be named."""
    return live.started(GAME, chance="manual", options=options or {}, **more)


def named(live: Live, options: Json | None = None, starter: int = 0, **more: Any) -> LiveMatch:
    """A match in which the first grouping is awaited, and `starter` will start."""
    match = opened(live, options, **more)
    chooser = options_of(match)["starter_chooser"]
    accepted_body(match.seats[chooser].act({"type": "name_starter", "seat": starter}))
    return match


def grouping(tiles: Sequence[int], **more: Any) -> Json:
    """The grouping from which `tiles` are dealt if chance keeps their order."""
    a, b, c = tiles[:2], tiles[2:5], tiles[5:]
    return {"type": "group", "a": sorted(a), "b": sorted(b), "c": sorted(c), **more}


def shuffles(tiles: Sequence[int]) -> list[Any]:
    """The outcome of one seat's half of the deal that lays `tiles`, grouped as by `grouping`."""
    return [list(tiles[:2]), list(tiles[2:5]), list(tiles[5:]), ["a", "b", "c"]]


def group_both(match: LiveMatch, tiles: Sequence[Sequence[int]], *more: Json) -> None:
    """Both seats group for these tiles, each with its own extra fields."""
    extra = more or ({}, {})
    for seat, own, fields in zip(match.seats, tiles, extra, strict=True):
        accepted_body(seat.act(grouping(own, **fields)))


def deal(match: LiveMatch, tiles: Sequence[Sequence[int]], draw: str = "set1/pass1") -> None:
    """Chance lays these tiles."""
    accepted_body(match.moderator.draw(draw, shuffles(tiles[0]) + shuffles(tiles[1])))


def dealt(
    live: Live,
    first: Sequence[int] = SHIFTED,
    second: Sequence[int] = LOW,
    options: Json | None = None,
    starter: int = 0,
    more: Sequence[Json] = (),
    **creation: Any,
) -> LiveMatch:
    """A match in its first round, with these tiles before the seats."""
    match = named(live, options, starter, **creation)
    group_both(match, (first, second), *more)
    deal(match, (first, second))
    return match


def raised(match: LiveMatch, seat: int, by: int) -> None:
    accepted_body(match.seats[seat].act({"type": "raise", "by": by}))


def called(match: LiveMatch, seat: int) -> None:
    accepted_body(match.seats[seat].act({"type": "call"}))


def entries(player: Player) -> dict[str, Json]:
    """The menu of a seat, by type of action."""
    return {entry["type"]: entry for entry in player.menu().json()["actions"]}
