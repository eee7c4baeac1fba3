"""Rounds and votes of Together We Survive over HTTP: nothing reveals whether, when, how often or
how well another seat has submitted, nor afterwards who voted for whom.

Half of the pairs of worlds differ before seat 0 acts, the others after it; in `make long`, each
pair both ways.
"""

from contextlib import ExitStack

import pytest

from tests.support.effort import times
from tests.support.servers.live_server import Json, LiveMatch
from tests.support.worlds_http import World, compare
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


def submit(match: LiveMatch, seat: int, **said: object) -> Json:
    return accepted(match.seats[seat].act({"type": "submit", "round": 1, **said}))


# A round: what the other seats submit.


def once(match: LiveMatch) -> None:
    for seat in range(1, 6):
        assert submit(match, seat, b=[3 if seat != 3 else 4] * 3)["receipt"]["valid"]


def five_times(match: LiveMatch) -> None:
    for _ in range(5):
        once(match)


def invalid(match: LiveMatch) -> None:
    """None of it counts."""
    for seat in range(1, 6):
        tried: list[Json] = [{"b": [3]}, {"a": [4]}, {"a": [1] * 50}, {"a": []}, {"round": 7}]
        for said in tried:
            assert not submit(match, seat, **said)["receipt"]["valid"]


def valid_then_invalid(match: LiveMatch) -> None:
    once(match)
    invalid(match)


def withdrawn(match: LiveMatch) -> None:
    once(match)
    for seat in range(1, 6):
        assert submit(match, seat)["receipt"]["valid"]


def with_a_garnet(match: LiveMatch) -> None:
    for seat in range(1, 6):
        said = submit(match, seat, a=[1], b=[3 if seat != 3 else 4] * 3, pay_garnet=True)
        assert said["receipt"]["valid"]


def refused(match: LiveMatch) -> None:
    """What does not belong to the phase, under keys that are used twice."""
    for seat in range(1, 6):
        vote = {"type": "vote", "ballot": 1, "for": 1}
        for action in (vote, {"type": "give_token_of_life", "to": 2}):
            match.seats[seat].act(action, {"Idempotency-Key": "k"})


BESIDE: list[tuple[Meanwhile, Meanwhile]] = [
    (nothing, once), (once, five_times), (nothing, invalid), (once, valid_then_invalid),
    (once, withdrawn), (once, with_a_garnet), (nothing, refused), (nothing, failing),
    (nothing, reading), (nothing, five_times), (invalid, with_a_garnet),
]  # fmt: skip


BOTH_WAYS = times("worlds") > 10
ROUNDS = [
    (pair, early)
    for number, pair in enumerate(BESIDE)
    for early in (True, False)
    if BOTH_WAYS or early == (number % 2 == 0)
]


def a_round(timed: Timed) -> World:
    options = {"garnets": [2] * 6, "start_tokens": {"A": 5, "B": 5}}
    match = timed.live.create("together", NAMES, options=options, clock="rules")
    accepted(match.moderator.start())
    return World(match, READERS, {"type": "submit", "round": 1}, "ec/A", timed=True)


def own(world: World) -> list[object]:
    """The answers to seat 0 when it acts itself, validly, invalidly and refused."""
    seat = world.match.seats[0]
    tried: list[Json] = [
        {"type": "submit", "round": 1, "a": [1, 1]},
        {"type": "submit", "round": 1, "a": [4]},
        {"type": "submit", "round": 1, "b": [3, 4]},
        {"type": "submit", "a": [2], "b": [3, 3, 4], "pay_garnet": True, "round": 1},
        {"type": "submit", "round": 1, "a": [2], "b": [3, 3, 4]},
        {"type": "vote", "ballot": 1, "for": 1},
    ]
    return [world.seen(seat.act(action, {"Idempotency-Key": f"k{n}"})) for n, action in
            enumerate(tried)]  # fmt: skip


@pytest.mark.parametrize(
    ("beside", "early"),
    ROUNDS,
    ids=[
        f"{one.__name__}-or-{other.__name__}-{'early' if early else 'late'}"
        for (one, other), early in ROUNDS
    ],
)
def test_a_round_looks_the_same_whatever_the_others_submit(
    timed: Timed, stack: ExitStack, beside: tuple[Meanwhile, Meanwhile], early: bool
) -> None:
    """Early: before seat 0 does what it does; late: after it."""
    worlds = [a_round(timed), a_round(timed)]
    for world in worlds:
        world.follow(stack)
    timed.pass_time()
    if early:
        others_do(timed, worlds, beside)
        compare(worlds[0], worlds[1], timed.live)
    answers = [own(world) for world in worlds]
    assert answers[0] == answers[1]
    if not early:
        others_do(timed, worlds, beside)
    timed.pass_time()
    compare(worlds[0], worlds[1], timed.live)


# The vote: what the other voters of group B do.


def votes_once(match: LiveMatch) -> None:
    for seat in (4, 5):
        vote = {"type": "vote", "ballot": 1, "for": 3}
        assert accepted(match.seats[seat].act(vote))["receipt"]["valid"]


def votes_often(match: LiveMatch) -> None:
    for candidate in (3, 4, 5, 4, 3):
        for seat in (4, 5):
            vote = {"type": "vote", "ballot": 1, "for": candidate}
            assert accepted(match.seats[seat].act(vote))["receipt"]["valid"]


def votes_wrongly(match: LiveMatch) -> None:
    """For no one who stands, without a vote, and for a round that is over."""
    for seat in (4, 5):
        for action in ({"type": "vote", "ballot": 1, "for": 0}, {"type": "submit", "round": 1}):
            assert not accepted(match.seats[seat].act(action))["receipt"]["valid"]
        match.seats[seat].act({"type": "submit", "round": 1, "a": [0]})
    match.seats[1].act({"type": "vote", "ballot": 1, "for": 3})


VOTES: list[tuple[Meanwhile, Meanwhile]] = [
    (nothing, votes_once), (votes_once, votes_often), (nothing, votes_wrongly),
    (nothing, failing), (nothing, reading),
]  # fmt: skip


def a_vote(timed: Timed) -> World:
    """No one submits: all leave the stage at once, and all of group B, tied, lose."""
    world = a_round(timed)
    accepted(world.match.moderator.close_phase())
    assert world.match.anyone.view().json()["view"]["phase"] == "vote"
    world.readers = ["public", "seat:0", "seat:3"]
    return world


@pytest.mark.parametrize(
    "beside", VOTES, ids=lambda pair: f"{pair[0].__name__}-or-{pair[1].__name__}"
)
def test_a_vote_looks_the_same_whatever_the_others_vote(
    timed: Timed, stack: ExitStack, beside: tuple[Meanwhile, Meanwhile]
) -> None:
    """To the public, to a seat without a vote and to another voter."""
    worlds = [a_vote(timed), a_vote(timed)]
    for world in worlds:
        world.follow(stack)
    timed.pass_time()
    others_do(timed, worlds, beside)
    compare(worlds[0], worlds[1], timed.live)
    votes = [{"type": "vote", "ballot": 1, "for": seat} for seat in (1, 4)]
    for action in (*votes, {"type": "submit", "round": 1}):
        answers = [world.seen(world.match.seats[3].act(action)) for world in worlds]
        assert answers[0] == answers[1]
    compare(worlds[0], worlds[1], timed.live)


def test_after_the_round_nobody_can_see_who_voted_for_whom(timed: Timed, stack: ExitStack) -> None:
    """Seats of the same standing exchange what they submit: the counts are the same."""
    worlds = [a_round(timed), a_round(timed)]
    for world in worlds:
        world.follow(stack)
    for world, (first, second, third, fourth) in zip(
        worlds, ((1, 2, 4, 5), (2, 1, 5, 4)), strict=True
    ):
        timed.pass_time()
        submit(world.match, first, a=[0, 0])
        submit(world.match, second, b=[3, 3, 4])
        submit(world.match, third, a=[1], b=[3, 3, 3], pay_garnet=True)
        submit(world.match, fourth, a=[2])
    for world in worlds:
        submit(world.match, 0, a=[1])
    timed.pass_time()
    for _ in range(2):
        for world in worlds:
            accepted(world.match.moderator.close_phase())
        compare(worlds[0], worlds[1], timed.live)


def test_the_moderator_does_see_the_difference(timed: Timed) -> None:
    """So the worlds are not the same, and the comparison could fail."""
    worlds = [a_round(timed), a_round(timed)]
    once(worlds[1].match)
    views = [world.seen(world.match.moderator.view()) for world in worlds]
    assert views[0] != views[1]
    for world in worlds:
        world.readers = ["moderator"]
    with pytest.raises(AssertionError):
        compare(worlds[0], worlds[1], timed.live)
