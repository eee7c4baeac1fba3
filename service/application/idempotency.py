"""Idempotency store: each request with an idempotency key creates its match, tournament or ruling
once.

A request is recorded before anything that it creates: the fingerprint of its body, and the id
chosen. A repeat, even after a crash, finds what was created or goes on with the same id.

A refused request leaves its key free for another one. Everything that can be refused is checked
before the request is recorded; if a race makes it refused later, the request is withdrawn.
"""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from typing import TypeVar
from uuid import UUID

import msgspec
from eventsourcing.persistence import AggregateRecorder, IntegrityError, StoredEvent
from msgspec import Struct

from domain.commands import REUSED_KEY, Conflict
from domain.game import Refused
from domain.tournament_state import Request
from service.application.command_queue import AlreadyExists, PreconditionFailed
from service.event_store.errors import UnknownTournament
from service.event_store.store_threads import in_store_thread
from service.event_store.stream_ids import INTERNAL, formed

T = TypeVar("T")

RecordRequest = Callable[[], Awaitable[None]]
"""Records the request. The code that creates calls it after every check that can refuse, and before
it records anything."""

SCOPE = "organisers"
"""All organisers share one scope of idempotency keys: an organiser may have got another API key
before they repeat a request."""

NOTHING_MADE = (
    Refused, UnknownTournament, msgspec.ValidationError, AlreadyExists, Conflict,
    PreconditionFailed,
)  # fmt: skip
"""Errors after which nothing of what the request was to create is on record."""


class RequestInFlight(Exception):
    """The same request is being executed at this moment."""


class RequestRecorded(Struct, frozen=True, tag="request.kept.1"):
    """A request under the key of this stream, and the id chosen for what it creates."""

    at: int
    fingerprint: bytes
    id: UUID


class RequestWithdrawn(Struct, frozen=True, tag="request.withdrawn.1"):
    """The request recorded before was refused: the key is free for another one."""

    at: int


_decoder = msgspec.msgpack.Decoder(RequestRecorded | RequestWithdrawn)
_encoder = msgspec.msgpack.Encoder()


class _LostRace(Exception):
    """Another instance recorded the next event of the stream first."""


def stream_of(scope: str, key: str) -> UUID:
    """The stream of a request in the store's `keys` table, which it shares with the keyrings.

    Its id is of the first 128 bits of the SHA-256 of scope, a zero byte and key, with the last bit
    set: the streams that a store has once have it clear.
    """
    drawn = int.from_bytes(sha256(f"{scope}\0{key}".encode()).digest()[:16])
    return formed(drawn | 1, INTERNAL)


class IdempotencyStore:
    """The requests in the store, and those in flight on this instance."""

    def __init__(self, recorder: AggregateRecorder, clock: Callable[[], int]) -> None:
        self._recorder = recorder
        self._clock = clock
        self._in_flight: dict[UUID, bytes] = {}

    async def once(
        self,
        request: Request | None,
        new_id: UUID,
        find_existing: Callable[[UUID], Awaitable[T | None]],
        create: Callable[[UUID, RecordRequest], Awaitable[T]],
        scope: str = SCOPE,
    ) -> T:
        """Executes the request once. A new request calls `create` with `new_id`. A repeat returns
        what `find_existing` finds under the id chosen before, or else calls `create` with that id.
        Keys of different scopes have nothing to do with one another.

        Raises Refused (`idempotency_key_reused`), RequestInFlight, StoreUnavailable, and whatever
        `create` raises.
        """
        if request is None:
            return await create(new_id, _record_nothing)
        stream = stream_of(scope, request.key)
        with self._exclusive(stream, request.fingerprint):
            while True:
                try:
                    return await self._attempt(
                        stream, request.fingerprint, new_id, find_existing, create
                    )
                except _LostRace:
                    continue

    @contextmanager
    def _exclusive(self, stream: UUID, fingerprint: bytes) -> Iterator[None]:
        in_flight = self._in_flight.get(stream)
        if in_flight is not None:
            raise RequestInFlight if in_flight == fingerprint else Refused(REUSED_KEY)
        self._in_flight[stream] = fingerprint
        try:
            yield
        finally:
            del self._in_flight[stream]

    async def _attempt(
        self,
        stream: UUID,
        fingerprint: bytes,
        new_id: UUID,
        find_existing: Callable[[UUID], Awaitable[T | None]],
        create: Callable[[UUID, RecordRequest], Awaitable[T]],
    ) -> T:
        version, recorded = await in_store_thread(self._last, stream)
        if recorded is not None and recorded.fingerprint != fingerprint:
            raise Refused(REUSED_KEY)
        if recorded is not None and (existing := await find_existing(recorded.id)) is not None:
            return existing
        record_request: RecordRequest = _record_nothing
        if recorded is None:
            recorded = RequestRecorded(self._clock(), fingerprint, new_id)
            record_request = partial(in_store_thread, self._append, stream, version + 1, recorded)
        try:
            return await create(recorded.id, record_request)
        except NOTHING_MADE:
            # Another instance may have created it while this one was refused.
            if (existing := await find_existing(recorded.id)) is not None:
                return existing
            await in_store_thread(self._withdraw, stream, recorded)
            raise

    def _last(self, stream: UUID) -> tuple[int, RequestRecorded | None]:
        """The length of the stream, and the request recorded in it and not withdrawn, if any.
        Blocks."""
        stored = self._recorder.select_events(stream, desc=True, limit=1)
        if not stored:
            return 0, None
        last = _decoder.decode(stored[0].state)
        return stored[0].originator_version, last if isinstance(last, RequestRecorded) else None

    def _append(
        self, stream: UUID, version: int, event: RequestRecorded | RequestWithdrawn
    ) -> None:
        name = str(event.__struct_config__.tag)
        try:
            self._recorder.insert_events(
                [StoredEvent(stream, version, name, _encoder.encode(event))]
            )
        except IntegrityError:
            raise _LostRace from None

    def _withdraw(self, stream: UUID, recorded: RequestRecorded) -> None:
        """Frees the key again, if the request was recorded. Blocks."""
        version, last = self._last(stream)
        if last == recorded:
            self._append(stream, version + 1, RequestWithdrawn(self._clock()))


async def _record_nothing() -> None:
    """For a request without a key, or one recorded before."""
