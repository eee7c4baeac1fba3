"""The notary: signs what a log says of itself, and never signs that it says something else.

What is signed is recorded first, in a stream of the match beside its own. A log that is shorter
than the one signed before, or another, has been changed behind the service's back: it is not
signed, and the operator hears of it.
"""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice
from time import perf_counter
from typing import ParamSpec, TypeVar
from uuid import UUID

import msgspec
from eventsourcing.persistence import PersistenceError
from msgspec import Struct

from domain.checkpoints import Checkpoint, text
from domain.events import Event, Record
from domain.log_events import CheckpointSigned
from domain.match_events import MatchEnded
from domain.merkle import Tree, grown, leaf_hash
from projections.disclosure import Viewer
from projections.evidence.bundle import Log, bundle
from service import logs
from service.clock import Clock
from service.door.dealer import Dealer
from service.door.open_matches import UnknownMatch
from service.door.pending import Overtaken
from service.proof.signing import Signing
from service.storage.reading import StoreUnavailable
from service.storage.store import Row, Store, beside, rows
from service.watcher import NOBODY, Watcher

RETRY_SECONDS = 5.0

P = ParamSpec("P")
T = TypeVar("T")


class RecordAltered(Exception):
    """The record is not the one of which a checkpoint was signed before."""


class Signed(Struct, frozen=True):
    """A checkpoint: what it says, and the signed note."""

    checkpoint: Checkpoint
    note: str


class Notary:
    """Signs checkpoints and bundles. `append` records what is signed, or raises Overtaken;
    `unsigned` names the matches that are over and whose whole log nobody has signed yet."""

    def __init__(
        self,
        store: Store,
        dealer: Dealer,
        append: Callable[[Sequence[Row]], Awaitable[None]],
        signing: Signing,
        clock: Clock,
        unsigned: Callable[[], Iterable[UUID]],
        watcher: Watcher = NOBODY,
    ) -> None:
        self._store = store
        self._dealer = dealer
        self._append = append
        self._signing = signing
        self._clock = clock
        self._unsigned = unsigned
        self._watcher = watcher
        self._news = asyncio.Event()
        self._one = asyncio.Semaphore(1)
        self._reader = ThreadPoolExecutor(1, "notary")

    def over(self) -> None:
        """Tells that a match has ended."""
        self._news.set()

    async def checkpoint(self, match_id: UUID) -> Signed:
        """The signed checkpoint of a log at its present length.

        Raises UnknownMatch, RecordAltered or StoreUnavailable.
        """
        async with self._one:
            return (await self._signed(match_id))[1]

    async def bundle(self, match_id: UUID, audience: Viewer) -> bytes:
        """The bundle of a match for an audience. Raises as `checkpoint` does."""
        async with self._one:
            log, signed = await self._signed(match_id)
            sign = self._signing
            return await self._read_by(bundle, log, audience, signed.note, sign.log, sign.receipt)

    async def run(self) -> None:
        """Signs the log of every match that is over, for as long as the service runs."""
        while True:
            self._news.clear()
            if await self._sign_all():
                await self._news.wait()
            else:
                await asyncio.sleep(RETRY_SECONDS)

    def close(self) -> None:
        """Waits for what is being read, if anything. Blocks."""
        self._reader.shutdown()

    async def _sign_all(self) -> bool:
        """Signs the log of every match that is over. Whether all went well; else it is logged."""
        try:
            unsigned = await self._read_by(self._unsigned)
        except Exception as error:  # noqa: BLE001  it is tried again
            logs.failed("not_signed", error)
            return False
        signed = [await self._sign_at_end(match_id) for match_id in unsigned]
        return all(signed)

    async def _sign_at_end(self, match_id: UUID) -> bool:
        """Whether the log was signed, or never will be."""
        try:
            await self.checkpoint(match_id)
        except (RecordAltered, UnknownMatch):
            return True
        except Exception as error:  # noqa: BLE001  the others must not wait for it
            logs.failed("not_signed", error, match=str(match_id))
            return False
        return True

    async def _signed(self, match_id: UUID) -> tuple[Log, Signed]:
        began = perf_counter()
        while True:
            # First what was signed: whatever anybody signs meanwhile is of no shorter log.
            times, before = await self._read_by(self._last, match_id)
            log = await self._read_by(self._read, match_id)
            told = await self._read_by(log.checkpoint)
            over = any(isinstance(record.event, MatchEnded) for record in log.records)
            signing = CheckpointSigned(told.size, told.root, over)
            if before != signing:
                if before is not None:
                    await self._read_by(self._check_extends, log, before)
                record: Record[Event] = Record(self._clock.now(), signing)
                try:
                    await self._append(rows(beside(match_id), times, [record]))
                except Overtaken:
                    continue
            signed = Signed(told, self._signing.log(text(told)))
            self._watcher.signed(perf_counter() - began)
            return log, signed

    async def _read_by(self, do: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Does a blocking thing in the notary's own thread, which `close` waits for. Raises
        StoreUnavailable if the store fails."""
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._reader, partial(do, *args, **kwargs))
        except (PersistenceError, sqlite3.Error) as error:
            logs.failed("store_failed", error)
            raise StoreUnavailable from error

    def _check_extends(self, log: Log, before: CheckpointSigned) -> None:
        """Raises RecordAltered unless the log begins with the one that was signed before."""
        tree = grown(Tree(), map(leaf_hash, islice(log.leaves(), before.size)))
        grew = before.size < len(log.states) and not before.over
        if not grew or (tree.size, tree.root) != (before.size, before.root):
            raise _altered(log.match_id)

    def _read(self, match_id: UUID) -> Log:
        states = self._store.states(match_id)
        if not states:
            raise UnknownMatch(match_id)
        try:
            return Log(str(match_id), states, self._dealer.hidden(match_id).log_key)
        except msgspec.DecodeError:
            raise _altered(str(match_id)) from None

    def _last(self, match_id: UUID) -> tuple[int, CheckpointSigned | None]:
        """How often something has been signed of a match, and what was the last time."""
        recorded = self._store.read(beside(match_id))
        last = recorded[-1].event if recorded else None
        assert last is None or isinstance(last, CheckpointSigned)
        return len(recorded), last


def _altered(match: str) -> RecordAltered:
    """What is raised, and told to the operator."""
    altered = RecordAltered(match)
    logs.failed("record_altered", altered, match=match)
    return altered
