"""Groupings over HTTP: nothing reveals whether, when, how often or how well the other player has
submitted, nor that a peek was used."""

from contextlib import ExitStack

import pytest

from tests.support.servers.live_server import Json, LiveMatch
from tests.support.worlds_http import compare
from tests.support.worlds_http_grouping_bw import GROUPS, NO_GROUPS, OTHERS, grouping
from tests.support.worlds_sealed_http import (
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


def groups_once(match: LiveMatch) -> None:
    assert accepted(match.seats[1].act(OTHERS))["receipt"]["valid"]


def groups_often(match: LiveMatch) -> None:
    for _ in range(5):
        groups_once(match)
    accepted(match.seats[1].act({**OTHERS, "use_order": True, "ante_increase": 7}))


def groups_wrongly(match: LiveMatch) -> None:
    for action in (NO_GROUPS, {**OTHERS, "ante_increase": 11}, NO_GROUPS):
        assert not accepted(match.seats[1].act(action))["receipt"]["valid"]


GROUPING: list[tuple[Meanwhile, Meanwhile]] = [
    (nothing, groups_once), (nothing, groups_often), (nothing, groups_wrongly),
    (groups_once, groups_often), (nothing, failing), (nothing, reading),
]  # fmt: skip


@pytest.mark.parametrize(
    "beside", GROUPING, ids=lambda pair: f"{pair[0].__name__}-or-{pair[1].__name__}"
)
def test_groupings_look_the_same_whatever_the_other_player_submits(
    timed: Timed, stack: ExitStack, beside: tuple[Meanwhile, Meanwhile]
) -> None:
    worlds = [grouping(timed), grouping(timed)]
    for world in worlds:
        world.follow(stack)
    timed.pass_time()
    others_do(timed, worlds, beside)
    compare(worlds[0], worlds[1], timed.live)
    answers = [world.seen(world.match.seats[0].act(NO_GROUPS)) for world in worlds]
    assert answers[0] == answers[1]
    compare(worlds[0], worlds[1], timed.live)


@pytest.mark.parametrize("second", [OTHERS, {**OTHERS, "ante_increase": 3, "use_order": True}])
def test_the_others_groups_do_not_show_when_the_phase_resolves(
    timed: Timed, stack: ExitStack, second: Json
) -> None:
    """Up to the deal; a wish for a higher ante that is not shared stays with its sender."""
    worlds = [grouping(timed), grouping(timed)]
    for world in worlds:
        world.follow(stack)
    for world, groups in zip(worlds, (OTHERS, second), strict=True):
        timed.pass_time()
        accepted(world.match.seats[1].act(groups))
    timed.pass_time()
    answers = [world.seen(world.match.seats[0].act(GROUPS)) for world in worlds]
    assert answers[0] == answers[1]
    compare(worlds[0], worlds[1], timed.live)


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
