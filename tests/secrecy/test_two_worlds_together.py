"""Who submitted what in Together We Survive reaches no one: not while it is sealed, not after.

Worlds are compared as everywhere (`tests.support.worlds`): all that an audience can get, byte
for byte.
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from domain.games.together.actions import Action, Submit, Vote
from domain.games.together.events import HoldingsTold, MainMatchEnded
from domain.games.together.options import Options
from domain.games.together.rules import GAME
from domain.match.commands import Act, PassDeadline
from domain.match.state import AnyGame
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer, may_see
from tests.secrecy.worlds_sealed import anything, sealed_worlds
from tests.support.effort import times
from tests.support.instants import NOON, SECOND
from tests.support.tables.directing import START, enter_draw
from tests.support.tables.game_strategies import as_sent, instances, menu, outcome, received
from tests.support.tables.match_table import MatchTable, seated
from tests.support.tables.together_tables import a, b, both
from tests.support.worlds import Received, differences, next_key, received_by

SEATS = 8
OPTIONS = Options(garnets=(1,) * SEATS)
SHORT = settings(
    max_examples=times("worlds"), deadline=None, suppress_health_check=list(HealthCheck)
)
CHANCE = st.integers(0, 2**32).map(Random)


def started(options: Options = OPTIONS, game: AnyGame = GAME) -> MatchTable:
    return seated(game, SEATS, options, clock="rules").when(START)


def send(table: MatchTable, at: int, seat: int, action: Action) -> None:
    table.when(Act(seat, action, as_sent(action), next_key(table, seat)), at)


def closed(table: MatchTable, *said: tuple[int, Action]) -> MatchTable:
    """These submissions, then the deadline."""
    for seat, action in said:
        table.accepted(seat, action)
    return table.when(PassDeadline(), table.due)


# While a phase is sealed.


def first_round() -> MatchTable:
    return started()


def second_round() -> MatchTable:
    return closed(started(), (0, a(3)), (4, b(5, 5, 6)))


def first_vote() -> MatchTable:
    """Seats 2 and 3 have lost in their group, and all have in the other."""
    return closed(closed(started(), (0, a(2, 3))), (0, a(0, at=2)), (1, a(1, at=2)))


def second_vote() -> MatchTable:
    return closed(first_vote(), (0, Vote(1, 2)), (1, Vote(1, 3)))


PHASES: tuple[Callable[[], MatchTable], ...] = (first_round, second_round, first_vote, second_vote)


@pytest.mark.parametrize("phase", PHASES)
@SHORT
@given(rng=CHANCE)
def test_nobody_learns_what_others_do_while_it_is_sealed(
    phase: Callable[[], MatchTable], rng: Random
) -> None:
    """Submitted or not, once or five times, counting or not, early or late, withdrawn, for a
    garnet: neither the public nor any seat can see it."""
    viewer: Viewer = rng.choice((PUBLIC_VIEWER, *range(SEATS)))
    one, other = sealed_worlds(phase, rng, viewer, anything)
    for audience in (viewer, PUBLIC_VIEWER):
        assert differences(received_by(one, audience), received_by(other, audience)) == []


def test_the_worlds_compared_are_mostly_different_ones() -> None:
    rng, apart = Random(1), 0
    for phase in PHASES:
        for _ in range(5):
            one, other = sealed_worlds(phase, rng)
            apart += received_by(one, MODERATOR).lines != received_by(other, MODERATOR).lines
    assert apart > 15


def test_the_phases_compared_are_the_named_ones() -> None:
    phases = [phase().match.awaiting.phase for phase in PHASES]
    assert phases == ["round1", "round2", "vote1", "vote2"]


# After it has been counted.


def exchanged(options: Options, seed: int, x: int, y: int, swap: bool) -> list[MatchTable]:
    """A match in which `x` and `y` may have exchanged what they submitted in the first round,
    after that round and at its end. All else is the same: later both give type B votes only,
    since one of them may have spent more."""
    rng = Random(seed)
    table = started(options)
    stage = (0, 1, 2, 3)
    said: list[Action] = [first_submission(seat, stage, rng) for seat in range(SEATS)]
    if swap:
        said[x], said[y] = said[y], said[x]
    for seat, action in enumerate(said):
        send(table, NOON + seat * SECOND, seat, action)
        assert table.code is None, (seat, action)
    table.when(PassDeadline(), table.due)
    before = as_it_is(table)
    while table.match.status == "running":
        go_on(table, rng, (x, y))
    return [before, table]


def as_it_is(table: MatchTable) -> MatchTable:
    """A table that stays as it is while the match goes on."""
    kept = MatchTable(table.game, table.match.created, table.records[0].at)
    kept.match, kept.records, kept.at = table.match, list(table.records), table.at
    return kept


def first_submission(seat: int, stage: Sequence[int], rng: Random) -> Action:
    """Type A votes within the tokens of both groups, type B votes, or both."""
    votes = [rng.choice(stage) for _ in range(rng.randint(1, 5 if seat in stage else 1))]
    others = [one for one in range(4, SEATS) if one != seat]
    given = [rng.choice(others) for _ in range(3)]
    return rng.choice((a(*votes), a(*votes), b(*given), both(votes, given)))


def go_on(table: MatchTable, rng: Random, poor: Sequence[int]) -> None:
    """Every awaited seat sends something from its menu; then the phase ends."""
    draw = table.draw
    if draw is not None:
        table.when(enter_draw(draw.id, outcome(draw, rng)))
        return
    phase = table.match.awaiting.phase
    for seat in table.match.awaiting.seats:
        offered = [received(GAME, sent) for offer in menu(table, seat) for sent in instances(offer)]
        if seat in poor:
            offered = [one for one in offered if not isinstance(one, Submit) or one.a is None]
        table.accepted(seat, rng.choice(offered), at=table.at + SECOND)
    if table.match.status == "running" and table.match.awaiting.phase == phase:
        table.when(PassDeadline(), table.due)


@SHORT
@given(
    seed=st.integers(0, 2**32),
    pair=st.sampled_from(((0, 1), (1, 3), (2, 3))),
    reveal=st.sampled_from(("A", "both", "none")),
    none_out=st.booleans(),
)
def test_nobody_ever_learns_who_voted_for_whom(
    seed: int, pair: tuple[int, int], reveal: Any, none_out: bool
) -> None:
    """Two players of the same standing exchange their submissions: the counts are the same, and
    up to the end of the match so is everything for everyone else."""
    options = Options(
        garnets=(1,) * SEATS,
        reveal_vote_counts=reveal,
        all_tied="none_out" if none_out else "all_out",
    )
    worlds = [exchanged(options, seed, *pair, swap=swap) for swap in (False, True)]
    for one, other in zip(*worlds, strict=True):
        others: list[Viewer] = [seat for seat in range(SEATS) if seat not in pair]
        for viewer in (PUBLIC_VIEWER, *others):
            assert differences(received_by(one, viewer), received_by(other, viewer)) == []


def test_the_exchanged_submissions_are_mostly_different_ones() -> None:
    def ends(seed: int) -> list[Received]:
        return [
            received_by(exchanged(OPTIONS, seed, 0, 1, swap)[-1], MODERATOR)
            for swap in (False, True)
        ]

    assert sum(one.lines != other.lines for one, other in map(ends, range(10))) == 10


# What a player of group A holds.


def test_the_tokens_of_group_a_reach_nobody_else() -> None:
    """Only the holder sees a number of tokens, except for those of group B at the end."""
    for seed in range(5):
        table = exchanged(OPTIONS, seed, 0, 1, swap=False)[-1]
        for viewer in (PUBLIC_VIEWER, *range(SEATS)):
            seen = [event for event in table.events if may_see(viewer, event)]
            assert {event.seat for event in seen if isinstance(event, HoldingsTold)} <= {viewer}
            (ended,) = (event for event in seen if isinstance(event, MainMatchEnded))
            assert ended.b_tokens[:4] == (None,) * 4
            telling = {type(event) for event in seen if mentions_tokens(event)}
            assert telling <= {HoldingsTold, MainMatchEnded}


def mentions_tokens(event: Any) -> bool:
    return any("tokens" in name for name in type(event).__struct_fields__)
