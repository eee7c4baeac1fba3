"""Matches whose deadlines are moved in every way and order, beside what the contract says of each
deadline that begins (/docs/operate#when-the-service-was-away)."""

from collections.abc import Iterable, Sequence
from random import Random
from typing import Any, NamedTuple

from msgspec.structs import replace

from domain.commands import Act, ClosePhase, Command, MoveDeadline, PassDeadline
from domain.deadlines import DAY, HOUR, SECOND, Absence, TimeOfDay, Wait
from domain.events import PUBLIC
from domain.looking_back import past_of
from domain.match_events import Chance
from domain.match_state import AnyGame
from domain.ruling_kinds import Extend, PauseMatch, ResumeMatch, Rewind, Ruling
from tests.support.tables.directing import START, close_phase
from tests.support.tables.game_strategies import next_input
from tests.support.tables.match_table import MatchTable, seated
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
    """Where the open phase is: the instant at which it would end had nothing been moved, and behind
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
        if self.table.due is not None or self.table.match.left is not None:
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
    """The instant at which a wait is over that begins now, behind a deadline that would have passed
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
