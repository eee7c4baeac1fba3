"""Matches with sealed phases over HTTP: Together We Survive, and Grouping Black & White at a table
where the tests choose every tile."""

from collections.abc import Sequence
from typing import Any

from tests.support.servers.live_server import Answer, Json, Live, LiveMatch, Player, body_of

LOW = [0, 1, 2, 3, 4, 5, 6, 7, 8]
SHIFTED = [1, 2, 3, 4, 5, 6, 7, 8, 0]
"""Against LOW it is higher in the first eight rounds, and lower in the last."""


def accepted_body(answer: Answer) -> Json:
    """The body of an answer to a valid action, which must be on record."""
    body = body_of(answer, 201)
    assert body["receipt"]["valid"], answer.text
    return body


def invalid(answer: Answer, code: str) -> None:
    """The submission is on record and does not count, because of this rule."""
    receipt = body_of(answer, 201)["receipt"]
    assert (receipt["valid"], receipt["code"]) == (False, code)


def seen(player: Player) -> Json:
    """The game's part of the player's view."""
    view: Json = player.view().json()["view"]
    return view


# Together We Survive.


def camp(live: Live, players: int = 4, options: Json | None = None, **more: Any) -> LiveMatch:
    """A started match of this many players, in its first round."""
    names = [f"Player {seat}" for seat in range(players)]
    return live.started("together", names, chance="manual", options=options or {}, **more)


def submit(match: LiveMatch, seat: int, **fields: Any) -> Answer:
    """The seat submits these fields, for the round that is open unless they name one."""
    fields.setdefault("round", seen(match.anyone)["round"])
    return match.seats[seat].act({"type": "submit", **fields})


def close(match: LiveMatch) -> None:
    """The moderator closes the phase, in place of the deadline."""
    body_of(match.moderator.close_phase(), 201)


# Grouping Black & White.


def named(live: Live, options: Json | None = None, **more: Any) -> LiveMatch:
    """A match in which the first grouping is awaited, and seat 0 will start."""
    match = live.started("grouping-bw", chance="manual", options=options or {}, **more)
    chooser = match.anyone.events(after=0).json()["events"][0]["data"]["options"]["starter_chooser"]
    accepted_body(match.seats[chooser].act({"type": "name_starter", "seat": 0}))
    return match


def grouping(tiles: Sequence[int], **more: Any) -> Json:
    """The grouping from which `tiles` are dealt if chance keeps their order."""
    a, b, c = tiles[:2], tiles[2:5], tiles[5:]
    return {"type": "group", "a": sorted(a), "b": sorted(b), "c": sorted(c), **more}


def shuffles(tiles: Sequence[int]) -> list[Any]:
    """The outcome of one seat's half of the deal that lays `tiles`, grouped as by `grouping`."""
    return [list(tiles[:2]), list(tiles[2:5]), list(tiles[5:]), ["a", "b", "c"]]


def group_both(match: LiveMatch, tiles: Sequence[Sequence[int]]) -> None:
    """Both seats group for these tiles."""
    for seat, own in zip(match.seats, tiles, strict=True):
        accepted_body(seat.act(grouping(own)))


def dealt(
    live: Live, first: Sequence[int], second: Sequence[int], options: Json, **more: Any
) -> LiveMatch:
    """A match in its first round, with these tiles before the seats."""
    match = named(live, options, **more)
    group_both(match, (first, second))
    accepted_body(match.moderator.draw("set1/pass1", shuffles(first) + shuffles(second)))
    return match
