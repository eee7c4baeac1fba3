"""Rulings, section 8: a wait for a time of day stays on its grid, whatever moved its deadline; a
wait of seconds counts from the deadline as moved."""

from collections.abc import Iterable, Sequence
from random import Random
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from domain.events import PUBLIC
from domain.games import GAMES
from domain.games.together.options import Options
from domain.match.commands import Act, ClosePhase, Command, MoveDeadline, PassDeadline
from domain.match.deadlines import DAY, HOUR, SECOND, Absence, TimeOfDay, Wait
from domain.match.events import Chance, DeadlinePassed
from domain.match.state import AnyGame
from domain.proof.rejudging import rejudge
from domain.rulings.kinds import Extend, PauseMatch, Reapply, ResumeMatch, Rewind, Ruling
from domain.rulings.looking_back import past_of
from tests.support.instants import NOON
from tests.support.tables import toy_game
from tests.support.tables.bidding import LOTS
from tests.support.tables.directing import START, close_phase, enter_draw
from tests.support.tables.game_strategies import next_input, options
from tests.support.tables.match_table import MATCH, MatchTable, judged_again, replayed, seated
from tests.support.tables.rewind_positions import last, started
from tests.support.tables.ruling_tables import rule

SPANS = (0, SECOND, 90 * 60 * SECOND, 23 * HOUR, 25 * HOUR, 3 * DAY)
"""By how much time goes on, and by how much deadlines are moved."""

WAYS = ("pass", "pause", "resume", "wait", "act", "close", "extend", "absence", "rewind")


class Step(NamedTuple):
    """Something that happens: in which way, and by how much."""

    way: str
    span: int
    seed: int


class Clocked(NamedTuple):
    """Where the open phase is: the instant at which it would end had nothing been moved, and after
    a deadline that has passed, while a draw is awaited, the one at which that would have passed."""

    length: int
    unmoved: int | None = None
    passed: int | None = None


class DeadlineWalk:
    """A match by the clock of the rules. `begun` are the waits of all phases that began."""

    def __init__(self, game: AnyGame, seats: int, options: Any, chance: Chance) -> None:
        usual = seated(game, seats, options, chance, clock="rules").match.created
        created = replace(usual, record=game.records[0], rulings="single")
        self.table = MatchTable(game, created)
        self.begun: list[Wait] = []
        self.past = [Clocked(0)]
        self._do(START, self.table.at)

    def play(self, steps: Iterable[Step]) -> None:
        for step in steps:
            if self.table.match.over:
                return
            getattr(self, f"_{step.way}")(step.span, Random(step.seed))

    # What happens.

    def _act(self, span: int, rng: Random) -> None:
        if self.table.match.status == "running":
            at, command = next_input(self.table, rng)
            self._do(command, at)

    def _close(self, span: int, rng: Random) -> None:
        if self.table.match.status == "running" and self.table.match.awaiting.phase is not None:
            self._do(close_phase(), self.table.at)

    def _pass(self, span: int, rng: Random) -> None:
        if self.table.due is not None:
            self._do(PassDeadline(), self.table.due)

    def _wait(self, span: int, rng: Random) -> None:
        until = self.table.at + span
        while self.table.due is not None and self.table.due <= until:
            self._pass(span, rng)
        self.table.at = until

    def _pause(self, span: int, rng: Random) -> None:
        if self.table.match.status == "running":
            self._rule(PauseMatch())

    def _resume(self, span: int, rng: Random) -> None:
        if self.table.match.status == "paused":
            self._rule(ResumeMatch())
            if self.table.due is not None and self.table.due <= self.table.at:
                self._pass(span, rng)

    def _extend(self, span: int, rng: Random) -> None:
        if self.table.due is not None or self.table.match.time_left is not None:
            self._rule(Extend(seconds=1 + span // SECOND))

    def _absence(self, span: int, rng: Random) -> None:
        at = self.table.at
        if self.table.due is not None and span > 0:
            self._do(MoveDeadline(Absence(at, at + span)), at + span)

    def _rewind(self, span: int, rng: Random) -> None:
        public = [n for n, e in enumerate(self.table.events, 1) if e.audience == PUBLIC]
        ruling = Rewind(rng.choice(public))
        past = past_of(self.table.game, self.table.start, self.table.records, ruling)
        if past.fault is None:
            at_point = [one for one in self.past if one.length < past.start][-1]
            self._do(rule(self._id(), ruling), self.table.at)
            self.past[-1] = at_point._replace(length=len(self.table.records))

    def _rule(self, ruling: Ruling) -> None:
        self._do(rule(self._id(), ruling), self.table.at)

    def _id(self) -> str:
        return f"ruling at {len(self.table.records)}"

    # What the contract says of it.

    def _do(self, command: Command, at: int) -> None:
        before, phase = self.past[-1], self.table.match.awaiting.phase
        self.table.when(command, at)
        match = self.table.match
        ended = isinstance(command, PassDeadline | ClosePhase)
        begins = match.awaiting.phase is not None and (ended or match.awaiting.phase != phase)
        since = _counted_from(command, before)
        length = len(self.table.records)
        if begins and match.status == "running":
            deadline = self.table.game.awaits(match.game).deadline
            wait = None if deadline is None else deadline.wait
            due = None if wait is None else due_by_contract(wait, since, self.table.at)
            assert self.table.due == due, (command, before)
            self.begun += [] if wait is None else [wait]
            self.past.append(Clocked(length, due))
        elif match.awaiting.phase is None:
            self.past.append(Clocked(length, None, since))
        else:
            self.past.append(before._replace(length=length))


def _counted_from(command: Command, before: Clocked) -> int | None:
    if isinstance(command, PassDeadline):
        return before.unmoved
    return None if isinstance(command, Act | ClosePhase) else before.passed


def due_by_contract(wait: Wait, since: int | None, now: int) -> int:
    """The instant at which a wait is over that begins now, after a deadline that would have passed
    at `since`."""
    if not isinstance(wait, TimeOfDay):
        return now + wait.seconds * SECOND
    days = (_at_time(wait, start) for start in (now if since is None else since, now))
    return next(day for day in days if day > now)


def _at_time(wait: TimeOfDay, start: int) -> int:
    hours, minutes = map(int, wait.utc.split(":"))
    day = start // DAY * DAY + (hours * 60 + minutes) * 60 * SECOND
    while day < start + wait.hours * HOUR:
        day += DAY
    return day


def by_time_of_day(waits: Sequence[Wait]) -> int:
    """How many waits are for a time of day."""
    return sum(isinstance(wait, TimeOfDay) for wait in waits)


TIMED: Any = {"bid_seconds": 60, "thank_by": "13:00"}

FIRST = NOON + 50 * HOUR
"""The end of the first round: 14:00 at least 48 hours after noon."""

SECOND_ROUND = FIRST + DAY
THIRD_ROUND = SECOND_ROUND + DAY


def round_1() -> MatchTable:
    return started("together", 6, Options())


def passed(table: MatchTable) -> MatchTable:
    assert table.due is not None
    return table.when(PassDeadline(), table.due)


def paused_for(table: MatchTable, length: int) -> MatchTable:
    return table.pause().resume(table.at + length)


@pytest.mark.parametrize("reapply", ["none", "while_legal"])
def test_a_phase_that_begins_in_a_rewind_is_on_the_grid(reapply: Reapply) -> None:
    """The second round begins in it where the end of the first is judged again."""
    table = paused_for(round_1(), SECOND)
    passed(table)
    back = Rewind(last(table, DeadlinePassed), (), reapply)
    table.when(rule("back", back), FIRST + 2 * HOUR)
    if reapply == "while_legal":
        assert table.match.time_left == 22 * HOUR
    table.when(rule("on", ResumeMatch()), FIRST + 3 * HOUR)
    if reapply == "none":
        passed(table)
    assert table.match.unmoved == SECOND_ROUND
    assert passed(table).due == THIRD_ROUND
    assert rejudge(MATCH, table.records) == table.match


def test_rounds_judged_again_in_a_rewind_stay_on_the_grid() -> None:
    """Also where the last of them begins after the instants of those before."""
    table = round_1()
    first = last(passed(table), DeadlinePassed)
    passed(table)
    table.when(rule("back", Rewind(first, (), "while_legal")), SECOND_ROUND + HOUR)
    assert table.match.first_due == THIRD_ROUND
    table.when(rule("on", ResumeMatch()), SECOND_ROUND + 5 * HOUR)
    assert table.due == THIRD_ROUND + 4 * HOUR


@pytest.mark.parametrize("later", [0, 10 * 60 * SECOND])
def test_a_draw_between_two_phases_does_not_cost_a_day(later: int) -> None:
    """In Blind Bid the bids of three end at 12:01, a coin decides who of two is to thank by 13:00,
    at least an hour on: it is tomorrow, also where the bids were moved to tomorrow and the coin is
    flipped later."""
    table = seated(toy_game.GAME, 3, toy_game.Options(**TIMED), clock="rules").when(START)
    table.when(LOTS)
    table.accepted(0, toy_game.Bid(4)).accepted(1, toy_game.Bid(4))
    passed(paused_for(table, DAY))
    table.when(enter_draw("tie", ("tails",)), table.at + later)
    assert table.due == NOON + DAY + HOUR


def timed_options(name: str, seats: int) -> st.SearchStrategy[Any]:
    if name == "blind-bid":
        return st.builds(
            toy_game.Options,
            share=st.booleans(),
            bid_seconds=st.integers(1, 10**6),
            thank_by=st.sampled_from(("00:00", "13:00", "23:59")),
        )
    usual = st.just(Options()) if name == "together" else st.nothing()
    return usual | options(EVERY[name], seats)


EVERY = {**GAMES, "blind-bid": toy_game.GAME}
STEPS = st.lists(
    st.builds(Step, st.sampled_from(WAYS), st.sampled_from(SPANS), st.integers(0, 2**16)),
    min_size=5,
    max_size=40,
)


@pytest.mark.parametrize("name", EVERY)
@settings(max_examples=40, deadline=None)
@given(steps=STEPS, chance=st.sampled_from(("server", "manual")), data=st.data())
def test_every_wait_begins_where_the_contract_says(
    name: str, steps: list[Step], chance: Chance, data: st.DataObject
) -> None:
    game = EVERY[name]
    walk = DeadlineWalk(game, game.seats[0], data.draw(timed_options(name, game.seats[0])), chance)
    walk.play(steps)
    assert replayed(game, walk.table.records) == walk.table.match
    assert judged_again(game, walk.table.records).records == walk.table.records


@pytest.mark.parametrize("name", ["together", "blind-bid"])
def test_such_matches_have_waits_for_a_time_of_day(name: str) -> None:
    """Without them the property would show nothing of the grid."""
    game, begun = EVERY[name], 0
    for luck in range(20):
        rng = Random(luck)
        chosen = Options() if name == "together" else toy_game.Options(**TIMED)
        walk = DeadlineWalk(game, game.seats[0], chosen, "server")
        walk.play(
            Step(rng.choice(WAYS), rng.choice(SPANS), rng.randrange(2**16)) for _ in range(40)
        )
        begun += by_time_of_day(walk.begun)
    assert begun > 5
