"""Bugs of the kinds that the simulation must find, each as small as can be. They replace classes of
the product while a simulation runs."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any
from unittest.mock import patch
from uuid import UUID

from eventsourcing.persistence import IntegrityError, OperationalError

import service.instance
from projections.disclosure import Viewer
from service.application import match_service
from service.application.decision import Decision
from service.application.decision_queue import DecisionQueue
from service.application.match_service import MatchService
from service.application.match_session import MatchSession
from service.application.match_sessions import MatchSessions
from service.application.scheduler import Scheduler
from service.application.settlement import Settlement
from service.event_store.store import Length, Row, Store
from service.streams.broadcast import Broadcast, Member
from tests.support.simulation.simulation_run import Bug


class AnswersBeforeCommit(MatchService):
    """Answers as soon as the transaction has begun."""

    def _begin_commit(self, decisions: Sequence[Decision]) -> asyncio.Future[None]:
        commit = super()._begin_commit(decisions)
        self._respond(list(decisions))
        return commit


class SwapsStateEarly(MatchService):
    """Replaces the state when the transaction begins."""

    def _begin_commit(self, decisions: Sequence[Decision]) -> asyncio.Future[None]:
        for decision in decisions:
            if decision.records:
                decision.adopt()
        return super()._begin_commit(decisions)


class ForgetsThoseWhoWait(DecisionQueue):
    """A lost wake-up: commands for which a transaction had no room are not decided again."""

    def done(self, session: MatchSession, again: Sequence[Any]) -> None:
        session.deciding = False
        session.queue.extendleft(reversed(again))
        if again:
            self.add(session)


class SleepsThrough(Scheduler):
    """A lost wake-up: it does not notice that an earlier deadline has been set."""

    def arm(self, match: UUID, due: int | None) -> None:
        noticed, self._changed = self._changed, asyncio.Event()
        super().arm(match, due)
        self._changed = noticed


class JoinsUnchecked(Broadcast):
    """A lost wake-up: a reader may wait for news although there are some that it lacks."""

    @contextmanager
    def joined(self, match_id: UUID, viewer: Viewer, member: Member) -> Iterator[bool]:
        loaded, seq = self._find(match_id), member.seq
        projection = None if loaded is None else loaded.projections.find(viewer)
        if projection is not None:
            member.seq = projection.seq
        with super().joined(match_id, viewer, member) as joined:
            member.seq = seq
            yield joined


class PassesDeadlinesAgain(Store):
    """What lost a race because of a deadline is put behind what won it."""

    def append(
        self, rows: Sequence[Row], unchanged: Sequence[Length] = (), digests: Sequence[Row] = ()
    ) -> None:
        try:
            super().append(rows, unchanged, digests)
        except IntegrityError:
            if not any(row.topic.startswith("match.deadline-passed") for row in rows):
                raise
            end = len(self.states(UUID(rows[0].stream)))
            super().append([row._replace(version=n) for n, row in enumerate(rows, end + 1)])


class TrustsWhatWon(MatchSessions):
    """A match that was read again after a conflict counts as current for ever."""

    async def _prepare(self, session: MatchSession) -> None:
        after_conflict = bool(session.queue and session.queue[0].tries)
        await super()._prepare(session)
        if after_conflict:
            self._trusted.add(session.id)

    async def _catch_up(self, session: MatchSession) -> None:
        if session.id not in self._trusted:
            await super()._catch_up(session)

    @property
    def _trusted(self) -> set[UUID]:
        trusted: set[UUID] = self.__dict__.setdefault("trusted", set())
        return trusted


class RepeatsTransactions(Store):
    """Appends again when the answer was lost, as the library does by itself: it finds its own rows,
    which look like another writer's."""

    def append(
        self, rows: Sequence[Row], unchanged: Sequence[Length] = (), digests: Sequence[Row] = ()
    ) -> None:
        try:
            super().append(rows, unchanged, digests)
        except OperationalError:
            super().append(rows, unchanged, digests)


class SettlesSeldom(Settlement):
    """A lost wake-up: matches that ended under an earlier leader are forgotten."""

    def _unsettled(self) -> list[UUID]:
        return super()._unsettled() if self._ended.is_set() else []


def _bug(name: str, replacement: type) -> Bug:
    """Puts a class in place of the one with this name of which instances are made."""
    maker = match_service if name == "DecisionQueue" else service.instance
    return partial(patch.object, maker, name, replacement)


BUGS: Mapping[str, Bug] = {
    "answer before commit": _bug("MatchService", AnswersBeforeCommit),
    "state swapped early": _bug("MatchService", SwapsStateEarly),
    "lost wake-up of a command": _bug("DecisionQueue", ForgetsThoseWhoWait),
    "lost wake-up of a deadline": _bug("Scheduler", SleepsThrough),
    "lost wake-up of a reader": _bug("Broadcast", JoinsUnchecked),
    "lost wake-up of the settlement": _bug("Settlement", SettlesSeldom),
    "deadline passed twice": _bug("Store", PassesDeadlinesAgain),
    "stale read after a conflict": _bug("MatchSessions", TrustsWhatWon),
    "retry that repeats": _bug("Store", RepeatsTransactions),
}
"""Every planted bug by its name."""
