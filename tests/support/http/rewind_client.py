"""Rewinds over HTTP, as their tests make them."""

from typing import Any

from tests.support.http.match_keys import moderating
from tests.support.http.match_play import all_events, step
from tests.support.http.ruling_client import rule, ruled, seconded
from tests.support.servers.live_server import Json, Live, LiveMatch, Player


def awaiting_draw(match: LiveMatch) -> Json:
    """The public draw that the match waits for, after the steps until then."""
    while (draw := match.moderator.view().json()["awaiting"]["draw"]) is None:
        assert step(match) is not None
    shown: Json = draw
    return shown


def steps(match: LiveMatch, count: int) -> LiveMatch:
    """The match after some steps; at its end, where a short game has fewer."""
    for _ in range(count):
        if step(match) is None:
            assert match.moderator.view().json()["result"] is not None
            break
    return match


def numbers(match: LiveMatch, kind: str) -> list[int]:
    """The moderators' numbers of the events of a kind."""
    return [event["seq"] for event in all_events(match.moderator) if event["type"] == kind]


def flipped(draw: Json, face: str) -> list[str]:
    """The outcome of a draw of coins that all fall on one face."""
    return [face] * len(draw["parts"])


def steal(match: LiveMatch) -> tuple[Json, int]:
    """A draw entered with all heads, and the number of the event that says so."""
    draw = awaiting_draw(match)
    assert match.moderator.draw(draw["id"], flipped(draw, "heads")).status_code == 201
    return draw, numbers(match, "match.draw-settled.1")[-1]


def resumed(match: LiveMatch) -> None:
    assert rule(match.moderator, "resume").status_code == 201


def moderators(match: LiveMatch, live: Live) -> tuple[Player, Player]:
    """Two moderators: the match's own, and another person."""
    return match.moderator, moderating(live, match, "Second judge")


def rewound(match: LiveMatch, live: Live, **fields: Any) -> str:
    """A rewind by two moderators; its id."""
    first, other = moderators(match, live)
    answer = ruled(first, "rewind", **fields)
    assert answer["status"] == "pending", answer
    assert seconded(other, answer["ruling"]).status_code == 201
    ruling: str = answer["ruling"]
    return ruling
