"""Notary: signs checkpoints of logs, and never two that contradict each other.

Each checkpoint is recorded first, in a separate stream next to the match's own. A log that does not
extend the one signed before has been altered in the store: it is not signed, and the error is
logged for the operator.
"""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice
from time import perf_counter
from typing import ParamSpec, TypeVar
from uuid import UUID

from eventsourcing.persistence import PersistenceError
from msgspec import Struct

from domain.events import Event, Record
from domain.proof.checkpoints import Checkpoint, text
from domain.proof.commitments import hash_of_leaf
from domain.proof.log_events import CheckpointSigned
from domain.proof.merkle import Tree, add_leaves
from projections.audience.disclosure import PUBLIC_VIEWER, Viewer
from projections.evidence.bundle import Log, MatchLog, TournamentLog, bundle
from projections.evidence.subject_records import settled_in
from service.clock import Clock
from service.event_store.errors import ConcurrencyConflict, StoreUnavailable, UnknownMatch
from service.event_store.integrity.checked_records import ClosedRecords, decode_rows, read_checked
from service.event_store.integrity.digests import RecordAltered
from service.event_store.recorder import Row
from service.event_store.secret_store import SecretStore
from service.event_store.store import Store, paired_stream, rows
from service.event_store.stream_ids import TOURNAMENT
from service.observability import logs
from service.signing.signing_keys import ServiceSigner

P = ParamSpec("P")
T = TypeVar("T")


class CheckpointContradicted(RecordAltered):
    """The record does not extend the one of which a checkpoint was signed before."""

    def __init__(self, match: str) -> None:
        super().__init__(UUID(match), "it does not extend its signed checkpoint")


class Signed(Struct, frozen=True):
    """A checkpoint and its signed note."""

    checkpoint: Checkpoint
    note: str


class Lane:
    """A thread for one kind of evidence, so that no other kind waits for it, and the turn to use
    it; turns are given in the order of arrival."""

    def __init__(self, name: str) -> None:
        self.turn = asyncio.Semaphore(1)
        self._thread = ThreadPoolExecutor(1, name)

    async def run(self, do: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Calls a blocking function in the lane's thread, which `close` waits for. Raises
        StoreUnavailable if the store fails."""
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._thread, partial(do, *args, **kwargs))
        except (PersistenceError, sqlite3.Error) as error:
            logs.failure("store_failed", error)
            raise StoreUnavailable(error) from error

    def close(self) -> None:
        """Waits for the call under way, if any. Blocks."""
        self._thread.shutdown()


class Notary:
    """Signs checkpoints and bundles of matches and tournaments, by their ids. `append` records what
    is signed, or raises ConcurrencyConflict.

    Checkpoints, bundles of matches and those of tournaments never wait for one another, and neither
    do those that are `public`, which anyone may ask for, and the others: each of the six has a
    lane. Two lanes may sign the same match: whichever records its checkpoint second looks again.
    """

    def __init__(
        self,
        store: Store,
        secret_store: SecretStore,
        append: Callable[[Sequence[Row]], Awaitable[None]],
        signing: ServiceSigner,
        clock: Clock,
        closed: ClosedRecords | None = None,
    ) -> None:
        self._store = store
        self._secret_store = secret_store
        self._append = append
        self._signer = signing
        self._clock = clock
        self._closed = ClosedRecords() if closed is None else closed
        self._signing = {public: Lane("notary") for public in (False, True)}
        self._bundling = {public: Lane("bundles") for public in (False, True)}
        self._collecting = {public: Lane("tournaments") for public in (False, True)}

    async def checkpoint(self, match_id: UUID, *, public: bool = False) -> Signed:
        """Signs a checkpoint of the log at its current length.

        Raises UnknownMatch, RecordAltered or StoreUnavailable.
        """
        lane = self._signing[public]
        async with lane.turn:
            return (await self._sign(match_id, lane))[1]

    async def bundle(self, id_: UUID, audience: Viewer, *, public: bool = False) -> bytes:
        """The bundle of a match or a tournament for an audience; of a tournament with those of its
        settled matches for everyone. Raises the same errors as `checkpoint`."""
        lanes = self._collecting if id_.version == TOURNAMENT else self._bundling
        lane = lanes[public]
        async with lane.turn:
            return await self._bundle(id_, audience, lane)

    async def _bundle(self, id_: UUID, audience: Viewer, lane: Lane) -> bytes:
        log, checkpoint = await self._sign(id_, lane)
        inside: dict[str, bytes] | None = None
        if id_.version == TOURNAMENT:
            inside = {
                match: await self._bundle(UUID(match), PUBLIC_VIEWER, lane)
                for match in settled_in(log.records)
            }
        sign = self._signer
        return await lane.run(
            bundle, log, audience, checkpoint.note, sign.log, sign.receipt, inside
        )

    def last(self, match_id: UUID) -> CheckpointSigned | None:
        """The last checkpoint that was signed, if any. Blocks."""
        return self._last(match_id)[1]

    def close(self) -> None:
        """Waits for the reads under way, if any. Blocks."""
        for lanes in (self._signing, self._bundling, self._collecting):
            for lane in lanes.values():
                lane.close()

    async def _sign(self, match_id: UUID, lane: Lane) -> tuple[Log, Signed]:
        began = perf_counter()
        while True:
            # Read the last checkpoint before the log: checkpoints signed meanwhile are of longer
            # logs.
            times, before = await lane.run(self._last, match_id)
            log = await lane.run(self.read, match_id)
            checkpoint = await lane.run(log.checkpoint)
            signing = CheckpointSigned(checkpoint.size, checkpoint.root, log.complete)
            if before != signing:
                if before is not None:
                    await lane.run(self._check_extends, log, before)
                record: Record[Event] = Record(self._clock.now(), 0, signing)
                try:
                    await self._append(rows(paired_stream(match_id), times, [record]))
                except ConcurrencyConflict:
                    continue
            signed_checkpoint = Signed(checkpoint, self._signer.log(text(checkpoint)))
            self._store.instrumentation.time_signing(perf_counter() - began)
            return log, signed_checkpoint

    def _check_extends(self, log: Log, before: CheckpointSigned) -> None:
        """Raises CheckpointContradicted unless the log extends the one signed before."""
        tree = add_leaves(Tree(), map(hash_of_leaf, islice(log.leaves(), before.size)))
        grew = before.size < len(log.states) and not before.over
        if not grew or (tree.size, tree.root) != (before.size, before.root):
            raise _reported(CheckpointContradicted(log.subject.id))

    def read(self, match_id: UUID) -> Log:
        """The log at its present length. Blocks. Raises the same errors."""
        self._closed.check(match_id)
        with self._closed.closing():
            records_read = read_checked(self._store, match_id)
        if not records_read.states:
            raise UnknownMatch(match_id)
        log = TournamentLog if match_id.version == TOURNAMENT else MatchLog
        return log(str(match_id), records_read.states, self._secret_store.read(match_id).log_key)

    def _last(self, match_id: UUID) -> tuple[int, CheckpointSigned | None]:
        """How many checkpoints of a match have been signed, and the last one."""
        rows_stored = self._store.rows(paired_stream(match_id)).rows
        try:
            recorded = decode_rows(match_id, rows_stored, 0)
        except RecordAltered as error:
            raise _reported(error) from error
        last = recorded[-1].event if recorded else None
        if last is not None and not isinstance(last, CheckpointSigned):
            raise _reported(RecordAltered(match_id, "its checkpoints are something else"))
        return len(recorded), last


def _reported(error: RecordAltered) -> RecordAltered:
    logs.failure("record_altered", error, match=str(error.match))
    return error
