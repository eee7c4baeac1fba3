"""Leading: what one instance does for all on its store."""

from collections.abc import Coroutine, Sequence
from functools import partial
from typing import Any
from uuid import UUID

from service.application.scheduling.leader_tasks import (
    RETRY_SECONDS,
    Deadlines,
    EndedMatches,
    repeat,
)
from service.application.tournaments.settlement import Settlement
from service.checking.scrub import Scrub
from service.cluster.leader import Leader, LeaderLock, SoleInstance
from service.composition.storage import clock_is_right
from service.composition.streaming import Streaming
from service.event_store.database import POSTGRES
from service.event_store.postgres.leader_row import make_leader_row
from service.event_store.store_threads import in_store_thread
from service.notices.posting import NoticePoster
from service.notices.public_address import HostNames
from service.notices.sender import Sender
from service.read_models.index import Index

KEYS_SECONDS, LAPSES_SECONDS, NOTICES_SECONDS, FORGET_SECONDS = 1.0, 5.0, 1.0, 3600.0
"""Pauses between two looks at keys that were changed, at rulings that have lapsed, at the log for
notices, and at notices sent long ago. They are the same whatever happens, so the delay of a notice
does not tell its receiver how much else there was."""


class Leading(Streaming):
    """The parts of an instance that work while it leads."""

    def make_leader(self, lock: LeaderLock | None) -> None:
        """Makes what works while the instance leads; `lock` replaces the leader lock of the
        store."""
        clock, private = self.clock, self.settings.private_webhooks
        self.settlement = Settlement(self.store, self.tournaments, self.closed)
        self.settling = EndedMatches(
            lambda: unsettled(self.index),
            lambda match: self.settlement.settle(match),
            "not_settled",
        )
        self.advancing = EndedMatches(
            lambda: going_on(self.index, clock.now()),
            lambda tournament: self.rounds.advance(tournament),
            "round_not_continued",
        )
        self.signing = EndedMatches(
            lambda: unsigned(self.index), lambda match: self.notary.checkpoint(match), "not_signed"
        )
        posting = NoticePoster(clock, HostNames(), self.push_key, private=private)
        self.sender = Sender(self.webhooks, clock, self.key_lasts, posting, self.notices.follow)
        self.deadlines = Deadlines(
            self.index, self.scheduler, clock, self.presence, self.announcer, self.tournaments
        )
        self.deadlines.lapsed = self.advancing.match_ended
        self.scrub = self._scrub()
        ahead = self.database_ahead
        is_right = None if ahead is None else partial(clock_is_right, ahead)
        self.leader = Leader(lock or self._lock(), self._leader_tasks, is_right)
        self.announcer.due.listen(self._arm)
        self.announcer.over.listen(self._over)
        self.announcer.changed.listen(lambda _: self._tournament_changed())

    def _arm(self, match_id: UUID, due: int | None) -> None:
        """Arms a deadline if this instance leads; the leader finds the others' in the log."""
        if self.leader.leads:
            self.scheduler.arm(match_id, due)

    def _tournament_changed(self) -> None:
        """Goes on with rounds, and signs what was closed."""
        self.advancing.match_ended()
        self.signing.match_ended()

    def _over(self, in_tournament: bool) -> None:
        """Signs and settles what has ended."""
        self.signing.match_ended()
        if in_tournament:
            self.settling.match_ended()
            self.advancing.match_ended()

    def _leader_tasks(self) -> Sequence[Coroutine[Any, Any, None]]:
        async def notices() -> None:
            """Addresses to webhooks what is new."""
            await in_store_thread(self.notices.follow)

        async def own_notices() -> None:
            """Addresses to seats what is new for them alone."""
            await in_store_thread(self.own_notices.follow)

        async def forgetting() -> None:
            """Forgets what was sent long ago."""
            await in_store_thread(self.webhooks.forget, self.clock.now())

        return (
            repeat(RETRY_SECONDS, self.deadlines.move),
            self.scheduler.run(),
            self.deadlines.follow_log(shared=self.settings.shared),
            repeat(LAPSES_SECONDS, self.deadlines.record_lapses),
            self.settling.run(),
            self.advancing.run(),
            self.signing.run(),
            repeat(KEYS_SECONDS, self.complete_key_records),
            repeat(NOTICES_SECONDS, notices),
            repeat(NOTICES_SECONDS, own_notices),
            repeat(FORGET_SECONDS, forgetting),
            repeat(FORGET_SECONDS, self.tables.void_idle),
            self.sender.run(),
            *(() if self.scrub is None else (self.scrub.run(),)),
        )

    async def complete_key_records(self) -> None:
        """Puts on the records of matches what was done to their keys, whatever crashed between."""
        await self.match_keys.complete_changed(self.properties)

    def _lock(self) -> LeaderLock:
        """The leader lock of the store."""
        if self.settings.store["PERSISTENCE_MODULE"] != POSTGRES:
            return SoleInstance()
        # Imported here, so that an instance without PostgreSQL starts faster.
        from service.cluster.postgres_leader_lock import PostgresLeaderLock
        from service.event_store.postgres import QuickPostgresRecorder
        from service.event_store.postgres.connections import postgres_address

        make_leader_row(self.store)
        recorder = self.store.recorder
        assert isinstance(recorder, QuickPostgresRecorder), "the module has no other"
        return PostgresLeaderLock(postgres_address(self.settings.store), recorder.timelines)

    def _scrub(self) -> Scrub | None:
        """The scrub of the store; None for one in memory."""
        settings = self.settings
        if not settings.embedded and settings.store["PERSISTENCE_MODULE"] != POSTGRES:
            return None
        return Scrub(settings.store, self.properties, self.closed, self.clock)


def unsigned(index: Index) -> Sequence[UUID]:
    """The matches that are over and whose whole log is not signed yet, and the tournaments of which
    something was closed since. Blocks."""
    index.follow()
    return [*index.unsigned(), *index.unsigned_tournaments()]


def going_on(index: Index, now: int) -> Sequence[UUID]:
    """The tournaments with a round that is not closed, or with something that is due. Blocks."""
    index.follow()
    return index.due_tournaments(now)


def unsettled(index: Index) -> Sequence[UUID]:
    """The matches of tournaments that are over and not settled yet. Blocks."""
    index.follow()
    return index.unsettled()
