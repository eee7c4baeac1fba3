"""Leading: what one instance does for all on its store."""

from collections.abc import Coroutine, Sequence
from functools import partial
from typing import Any
from uuid import UUID

from service.application.leader_tasks import RETRY_SECONDS, Deadlines, record_lapses, repeated
from service.application.settlement import Settlement
from service.auth.key_form import KeyReference
from service.auth.keys import Keyring
from service.checking.scrub import Scrub
from service.cluster.leader import ClockGuardedLock, Leader, LeaderLock, SoleInstance
from service.composition.feature import Feature
from service.composition.play import Keys, Play
from service.composition.proof import Proof
from service.composition.storage import Storage
from service.composition.time import Time, clock_is_right
from service.event_store.database import POSTGRES
from service.event_store.leader_row import make_leader_row
from service.event_store.store_threads import in_store_thread
from service.notices.host_names import HostNames
from service.notices.log_reader import NoticeReader
from service.notices.posting import Posting
from service.notices.sender import Sender
from service.read_models.index import Index

KEYS_SECONDS, LAPSES_SECONDS, NOTICES_SECONDS, FORGET_SECONDS = 1.0, 5.0, 1.0, 3600.0
"""Pauses between two looks at keys that were changed, at rulings that have lapsed, at the log for
notices, and at notices sent long ago. They are the same whatever happens, so the delay of a notice
does not tell its receiver how much else there was."""


class Leading(Feature):
    """The parts of an instance that work while it leads."""

    settlement: Settlement
    scrub: Scrub | None
    notices: NoticeReader
    sender: Sender
    leader: Leader


def leading(
    storage: Storage, time: Time, play: Play, keys: Keys, proof: Proof, lock: LeaderLock | None
) -> Leading:
    """Makes what works while the instance leads; `lock` replaces the leader lock of the store."""
    settlement = Settlement(storage.store, storage.index, play.tournaments, storage.closed)
    notices = NoticeReader(storage.store.recorder, storage.index, storage.webhooks)
    sender = _sender(storage, notices)
    scrub = _scrub(storage)

    def tasks() -> Sequence[Coroutine[Any, Any, None]]:
        keys.key_records.begin()
        return (
            *_deadline_tasks(storage, time, play),
            settlement.run(),
            proof.notary.run(partial(unsigned, storage.index)),
            repeated(KEYS_SECONDS, keys.key_records.follow),
            *_notice_tasks(storage, notices),
            sender.run(),
            *(() if scrub is None else (scrub.run(),)),
        )

    leader = Leader(_guarded(lock or _lock(storage), time), tasks)
    _listen(storage, play, proof, settlement, leader)
    return Leading(
        settlement=settlement, scrub=scrub, notices=notices, sender=sender, leader=leader
    )


def _listen(
    storage: Storage, play: Play, proof: Proof, settlement: Settlement, leader: Leader
) -> None:
    """Settles and signs what has ended, and arms deadlines if this instance is the leader, which
    finds the others' in the log."""

    def arm(match_id: UUID, due: int | None) -> None:
        if leader.leads:
            play.scheduler.arm(match_id, due)

    def over(in_tournament: bool) -> None:
        proof.notary.match_ended()
        if in_tournament:
            settlement.match_ended()

    storage.announcer.due.listen(arm)
    storage.announcer.over.listen(over)


def _deadline_tasks(
    storage: Storage, time: Time, play: Play
) -> Sequence[Coroutine[Any, Any, None]]:
    deadlines = Deadlines(
        storage.index, play.scheduler, storage.clock, time.presence, storage.announcer
    )

    async def lapses() -> None:
        await record_lapses(storage.index, play.tournaments, storage.clock)

    return (
        repeated(RETRY_SECONDS, deadlines.move),
        deadlines.report(),
        deadlines.follow_log(shared=storage.settings.shared),
        repeated(LAPSES_SECONDS, lapses),
    )


def _notice_tasks(storage: Storage, notices: NoticeReader) -> Sequence[Coroutine[Any, Any, None]]:
    async def follow_notices() -> None:
        """Addresses to webhooks what is new."""
        await in_store_thread(notices.follow)

    async def forget_notices() -> None:
        """Forgets what was sent long ago."""
        await in_store_thread(storage.webhooks.forget, storage.clock.now())

    return repeated(NOTICES_SECONDS, follow_notices), repeated(FORGET_SECONDS, forget_notices)


def unsigned(index: Index) -> Sequence[UUID]:
    """The matches that are over and whose whole log is not signed yet. Blocks."""
    index.follow()
    return index.unsigned()


async def key_lasts(keyring: Keyring, key: KeyReference) -> bool:
    """Whether the key by which somebody asked for notices has not ended. Raises
    StoreUnavailable."""
    if key.key_hash in keyring.cached(key.slot, key.ring):
        return True
    return key.key_hash in await in_store_thread(keyring.read, key.slot, key.ring)


def _sender(storage: Storage, notices: NoticeReader) -> Sender:
    settings = storage.settings
    posting = Posting(
        storage.clock, HostNames(), private=settings.notices.private, smtp=settings.notices.smtp
    )
    valid = partial(key_lasts, storage.keyring)
    return Sender(storage.webhooks, storage.clock, valid, posting, notices.follow)


def _lock(storage: Storage) -> LeaderLock:
    """The leader lock of a store."""
    if storage.settings.store["PERSISTENCE_MODULE"] != POSTGRES:
        return SoleInstance()
    # Imported here, so that an instance without PostgreSQL starts faster.
    from service.cluster.postgres_leader_lock import PostgresLeaderLock
    from service.event_store.postgres_connections import postgres_address

    make_leader_row(storage.store)
    return PostgresLeaderLock(postgres_address(storage.settings.store))


def _guarded(lock: LeaderLock, time: Time) -> LeaderLock:
    """The lock, which an instance with a wrong clock does not keep."""
    if time.database_ahead is None:
        return lock
    return ClockGuardedLock(lock, partial(clock_is_right, time.database_ahead))


def _scrub(storage: Storage) -> Scrub | None:
    """The scrub of a store; None for one in memory."""
    settings = storage.settings
    if not settings.embedded and settings.store["PERSISTENCE_MODULE"] != POSTGRES:
        return None
    return Scrub(
        settings.store,
        storage.properties,
        storage.closed,
        storage.clock,
        share=settings.scrub.share / 100,
        days=settings.scrub.days,
    )
