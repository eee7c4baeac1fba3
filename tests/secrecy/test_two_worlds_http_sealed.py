"""Sealed phases over HTTP: nothing reveals whether, when, how often or how well another seat has
submitted, that a peek was used, nor afterwards who voted for whom."""

from collections.abc import Callable
from contextlib import ExitStack
from typing import NamedTuple

import pytest

from tests.support.servers.live_server import Json, LiveMatch
from tests.support.worlds_http import World, compare
from tests.support.worlds_http_grouping_bw import GROUPS, NO_GROUPS, OTHERS, grouping
from tests.support.worlds_sealed_http import (
    READERS,
    Meanwhile,
    Timed,
    accepted,
    failing,
    nothing,
    others_do,
    reading,
    stack,
    timed,
)

__all__ = ["stack", "timed"]

NAMES = ("Ann", "Ben", "Cy", "Dee", "Eve", "Fay")


def valid(match: LiveMatch, seat: int, action: Json) -> None:
    assert accepted(match.seats[seat].act(action))["receipt"]["valid"]


def invalid(match: LiveMatch, seat: int, action: Json) -> None:
    assert not accepted(match.seats[seat].act(action))["receipt"]["valid"]


def without_effect(match: LiveMatch) -> None:
    failing(match)
    reading(match)


# Grouping: what the other seat does.


def groups_once(match: LiveMatch) -> None:
    valid(match, 1, OTHERS)


def groups_often(match: LiveMatch) -> None:
    """In the end with an order, and a wish for a higher ante that is not shared."""
    for _ in range(5):
        groups_once(match)
    groups_wrongly(match)
    valid(match, 1, {**OTHERS, "use_order": True, "ante_increase": 7})


def groups_wrongly(match: LiveMatch) -> None:
    for action in (NO_GROUPS, {**OTHERS, "ante_increase": 11}, NO_GROUPS):
        invalid(match, 1, action)


# Together We Survive: a round in which the other seats submit.


def a_round(timed: Timed) -> World:
    options = {"garnets": [2] * 6, "start_tokens": {"A": 5, "B": 5}}
    match = timed.live.create("together", NAMES, options=options, clock="rules")
    accepted(match.moderator.start())
    return World(match, READERS, {"type": "submit", "round": 1}, "ec/A", timed=True)


def submission(**said: object) -> Json:
    return {"type": "submit", "round": 1, **said}


def once(match: LiveMatch, **more: object) -> None:
    for seat in range(1, 6):
        valid(match, seat, submission(b=[3 if seat != 3 else 4] * 3, **more))


def five_times(match: LiveMatch) -> None:
    for _ in range(5):
        once(match)


def valid_then_invalid(match: LiveMatch) -> None:
    once(match)
    for seat in range(1, 6):
        tried: list[Json] = [{"b": [3]}, {"a": [4]}, {"a": [1] * 50}, {"a": []}, {"round": 7}]
        for said in tried:
            invalid(match, seat, submission(**said))


def five_times_and_refused(match: LiveMatch) -> None:
    five_times(match)
    refused(match)


def withdrawn(match: LiveMatch) -> None:
    once(match)
    for seat in range(1, 6):
        valid(match, seat, submission())


def with_a_garnet(match: LiveMatch) -> None:
    once(match, a=[1], pay_garnet=True)


def refused(match: LiveMatch) -> None:
    """What does not belong to the phase, under keys that are used twice."""
    for seat in range(1, 6):
        vote = {"type": "vote", "ballot": 1, "for": 1}
        for action in (vote, {"type": "give_token_of_life", "to": 2}):
            match.seats[seat].act(action, {"Idempotency-Key": "k1"})
    without_effect(match)


SUBMISSIONS: list[Json] = [
    submission(a=[1, 1]),
    submission(a=[4]),
    submission(b=[3, 4]),
    submission(a=[2], b=[3, 3, 4], pay_garnet=True),
    submission(a=[2], b=[3, 3, 4]),
    {"type": "vote", "ballot": 1, "for": 1},
]
"""Of seat 0: valid, invalid and refused."""


# The vote: what the other voters of group B do.


def a_vote(timed: Timed) -> World:
    """No one submits: all leave the stage at once, and all of group B, tied, lose. Readers are the
    public, a seat without a vote and another voter."""
    world = a_round(timed)
    accepted(world.match.moderator.close_phase())
    assert world.match.anyone.view().json()["view"]["phase"] == "vote"
    world.readers = ["public", "seat:0", "seat:3"]
    return world


def vote(candidate: int) -> Json:
    return {"type": "vote", "ballot": 1, "for": candidate}


def votes_often(match: LiveMatch) -> None:
    for candidate in (3, 4, 5, 4, 3):
        for seat in (4, 5):
            valid(match, seat, vote(candidate))


def votes_wrongly(match: LiveMatch) -> None:
    """For no one who stands, without a vote, and for a round that is over."""
    for seat in (4, 5):
        invalid(match, seat, vote(0))
        invalid(match, seat, submission())
        match.seats[seat].act(submission(a=[0]))
    match.seats[1].act(vote(3))


def votes_often_and_wrongly(match: LiveMatch) -> None:
    votes_often(match)
    votes_wrongly(match)


class Phase(NamedTuple):
    """A phase in which others do one thing or another, before a seat of the readers acts."""

    begin: Callable[[Timed], World]
    one: Meanwhile
    other: Meanwhile
    own: list[Json]
    seat: int = 0
    late: bool = False
    """The others act after the seat instead."""


BOTH = [NO_GROUPS, GROUPS]
"""Nothing that counts, and then what ends the phase if the other has grouped."""

VOTES = [vote(1), vote(4), submission()]

PHASES = [
    Phase(grouping, nothing, groups_wrongly, BOTH),
    Phase(grouping, nothing, groups_often, [NO_GROUPS]),
    Phase(grouping, groups_once, groups_often, BOTH),
    Phase(a_round, nothing, five_times_and_refused, SUBMISSIONS),
    Phase(a_round, nothing, valid_then_invalid, SUBMISSIONS, late=True),
    Phase(a_round, withdrawn, with_a_garnet, SUBMISSIONS),
    Phase(a_vote, nothing, votes_often_and_wrongly, VOTES, 3),
]


def name_of(phase: Phase) -> str:
    return f"{phase.begin.__name__}-{phase.one.__name__}-or-{phase.other.__name__}"


@pytest.mark.parametrize("phase", PHASES, ids=name_of)
def test_a_phase_looks_the_same_whatever_the_others_submit(
    timed: Timed, stack: ExitStack, phase: Phase
) -> None:
    one, other = worlds = [phase.begin(timed) for _ in range(2)]
    for world in worlds:
        world.follow(stack)
    timed.pass_time()
    if not phase.late:
        others_do(timed, worlds, (phase.one, phase.other))
        compare(one, other, timed.live)
    for number, action in enumerate(phase.own):
        key = {"Idempotency-Key": f"k{number}"}
        answers = [world.seen(world.match.seats[phase.seat].act(action, key)) for world in worlds]
        assert answers[0] == answers[1], action
    if phase.late:
        others_do(timed, worlds, (phase.one, phase.other))
    timed.pass_time()
    compare(one, other, timed.live)


# Once it has resolved.


def test_a_peek_does_not_show(timed: Timed, stack: ExitStack) -> None:
    """Seat 0 has the peek: neither the public nor seat 1 can see whether it was used."""
    worlds = [grouping(timed), grouping(timed)]
    for world in worlds:
        world.readers = ["public", "seat:1"]
        accepted(world.match.seats[0].act(GROUPS))
        accepted(world.match.seats[1].act(OTHERS))
        draw = world.match.moderator.view().json()["awaiting"]["draw"]
        outcome = [part["items"] for part in draw["parts"]]
        accepted(world.match.moderator.draw(draw["id"], outcome))
        world.follow(stack)
    timed.pass_time()
    answer = accepted(worlds[1].match.seats[0].act({"type": "peek"}))
    assert answer["view"]["view"]["told"] != []
    timed.pass_time()
    compare(worlds[0], worlds[1], timed.live)
    for world in worlds:
        accepted(world.match.seats[0].act({"type": "raise", "by": 2}))
    compare(worlds[0], worlds[1], timed.live)


def test_after_the_round_nobody_can_see_who_voted_for_whom(timed: Timed, stack: ExitStack) -> None:
    """Seats of the same standing exchange what they submit: the counts are the same."""
    worlds = [a_round(timed), a_round(timed)]
    for world in worlds:
        world.follow(stack)
    submitted: list[Json] = [
        {"a": [0, 0]}, {"b": [3, 3, 4]}, {"a": [1], "b": [3, 3, 3], "pay_garnet": True}, {"a": [2]},
    ]  # fmt: skip
    for world, seats in zip(worlds, ((1, 2, 4, 5), (2, 1, 5, 4)), strict=True):
        timed.pass_time()
        for seat, said in zip(seats, submitted, strict=True):
            accepted(world.match.seats[seat].act(submission(**said)))
    for world in worlds:
        accepted(world.match.seats[0].act(submission(a=[1])))
    timed.pass_time()
    for _ in range(2):
        for world in worlds:
            accepted(world.match.moderator.close_phase())
        compare(worlds[0], worlds[1], timed.live)
