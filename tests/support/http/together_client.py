"""Together We Survive over HTTP, as the tests of its rules play it."""

from collections.abc import Mapping, Sequence
from typing import Any

from tests.support.http.rule_answers import accepted_body, seen
from tests.support.servers.live_server import Answer, Json, Live, LiveMatch

GAME = "together"

Seats = Sequence[int]


def camp(live: Live, players: int = 4, options: Json | None = None, **more: Any) -> LiveMatch:
    """A started match of this many players, in its first round."""
    names = [f"Player {seat}" for seat in range(players)]
    return live.started(GAME, names, chance="manual", options=options or {}, **more)


def submit(match: LiveMatch, seat: int, **fields: Any) -> Answer:
    """The seat submits these fields, for the round that is open unless they name one."""
    fields.setdefault("round", seen(match.anyone)["round"])
    return match.seats[seat].act({"type": "submit", **fields})


def close(match: LiveMatch) -> None:
    """The moderator closes the phase, in place of the deadline."""
    answer = match.moderator.close_phase()
    assert answer.status_code == 201, answer.text


def play_round(
    match: LiveMatch,
    a: Mapping[int, Seats] | None = None,
    b: Mapping[int, Seats] | None = None,
) -> None:
    """A round in which these seats vote, by type: no one votes in both."""
    for seat, votes in (a or {}).items():
        accepted_body(submit(match, seat, a=list(votes)))
    for seat, votes in (b or {}).items():
        accepted_body(submit(match, seat, b=list(votes)))
    close(match)


def phase(match: LiveMatch) -> str:
    """The phase as the public sees it."""
    now: str = seen(match.anyone)["phase"]
    return now


def until_over(match: LiveMatch) -> Json:
    """Closes every phase without submissions and leaves every draw unshuffled: the public's whole
    view at the end."""
    for _ in range(20):
        now = match.moderator.view().json()
        if now["status"] == "ended":
            break
        draw = now["awaiting"]["draw"]
        if draw is None:
            close(match)
        else:
            items = [part["items"] for part in draw["parts"]]
            assert match.moderator.draw(draw["id"], items).status_code == 201
    over: Json = match.anyone.view().json()
    return over


RICH: Json = {"start_tokens": {"A": 1000, "B": 1}}
"""Group A can pay for as many votes as a test needs."""

GAINS: Mapping[int, Seats] = {1: [3, 3, 4]}
"""Of six players seat 1 gives tokens: seats 3, 4 and 5 end with 3, 2 and 1."""


def ended(
    live: Live,
    out: Sequence[Seats],
    gains: Mapping[int, Seats] | None = None,
    options: Json | None = None,
    players: int = 6,
    **creation: Any,
) -> LiveMatch:
    """A match whose stage is empty: `out` left round by round, then all who were still there.

    Seat 0 pays for every kick; in the first round the seats of `gains` vote for group B.
    """
    match = camp(live, players, {**RICH, **(options or {})}, **creation)
    for number, seats in enumerate(out):
        play_round(match, {0: seats}, gains if number == 0 else None)
    if phase(match) == "submission":
        play_round(match, None, gains if not out else None)
    assert phase(match) != "submission"
    return match
