"""Requests to create something, kept so that each of them creates it once.

A request with an idempotency key is kept before anything else of what it creates: the fingerprint
of its body, and the id that was chosen. Whoever repeats it, even after a crash, finds what is
there, or goes on with the same id.

A request that is refused leaves its key free for another one: all that can be refused is looked at
before it is kept, and where a race makes it refused later, it is withdrawn.
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

from domain.commands import REUSED_KEY
from domain.game import Refused
from domain.tournament_state import Request
from service.door.pending import AlreadyThere
from service.door.tournaments import UnknownTournament
from service.storage.reading import from_store

T = TypeVar("T")

Keep = Callable[[], Awaitable[None]]
"""To be called by whoever creates, once all that can be refused has been looked at and before
anything is recorded."""

SCOPE = "organisers"
"""The keys of all organisers' requests are one another's: whoever repeats one may have been given
another key to the service meanwhile."""

NOTHING_MADE = (Refused, UnknownTournament, msgspec.ValidationError, AlreadyThere)
"""After these the request has recorded nothing of what it is to create."""


class RequestInFlight(Exception):
    """The same request is being answered at this moment."""


class RequestKept(Struct, frozen=True, tag="request.kept.1"):
    """A request under the key of this stream, and the id that was chosen for what it creates."""

    at: int
    fingerprint: bytes
    id: UUID


class RequestWithdrawn(Struct, frozen=True, tag="request.withdrawn.1"):
    """The request kept before came to nothing: the key may be used for another one."""

    at: int


_decoder = msgspec.msgpack.Decoder(RequestKept | RequestWithdrawn)
_encoder = msgspec.msgpack.Encoder()


class _Overtaken(Exception):
    """Another instance was first with the next event of the stream."""


def stream_of(scope: str, key: str) -> UUID:
    """The stream of a request in the store's `keys` table, which it shares with the keyrings.

    A UUID of version 8 (RFC 9562) from the first 128 bits of the SHA-256 of scope, a zero byte and
    key, its last bit set. It meets no ring: the rings of matches and tournaments are of version 7,
    and the fixed ones end in a bit that is not set.
    """
    drawn = int.from_bytes(sha256(f"{scope}\0{key}".encode()).digest()[:16])
    cleared = drawn & ~(0xF << 76) & ~(0b11 << 62)
    return UUID(int=cleared | 0x8 << 76 | 0b10 << 62 | 1)


class Requests:
    """The requests in the store, and those under way here."""

    def __init__(self, recorder: AggregateRecorder, clock: Callable[[], int]) -> None:
        self._recorder = recorder
        self._clock = clock
        self._under_way: dict[UUID, bytes] = {}

    async def once(
        self,
        request: Request | None,
        fresh: UUID,
        found: Callable[[UUID], Awaitable[T | None]],
        make: Callable[[UUID, Keep], Awaitable[T]],
    ) -> T:
        """What the request creates with `make`, under the id `fresh` or the one chosen before; or
        what is `found` under that, if the request is a repeat.

        Raises Refused (`idempotency_key_reused`), RequestInFlight, StoreUnavailable, and whatever
        `make` raises.
        """
        if request is None:
            return await make(fresh, _keep_nothing)
        stream = stream_of(SCOPE, request.key)
        with self._alone(stream, request.fingerprint):
            while True:
                try:
                    return await self._tried(stream, request.fingerprint, fresh, found, make)
                except _Overtaken:
                    continue

    def heard(self, key: str) -> bool:
        """Whether a request under this key has ever been kept here. Blocks."""
        return bool(self._recorder.select_events(stream_of(SCOPE, key), limit=1))

    @contextmanager
    def _alone(self, stream: UUID, fingerprint: bytes) -> Iterator[None]:
        under_way = self._under_way.get(stream)
        if under_way is not None:
            raise RequestInFlight if under_way == fingerprint else Refused(REUSED_KEY)
        self._under_way[stream] = fingerprint
        try:
            yield
        finally:
            del self._under_way[stream]

    async def _tried(
        self,
        stream: UUID,
        fingerprint: bytes,
        fresh: UUID,
        found: Callable[[UUID], Awaitable[T | None]],
        make: Callable[[UUID, Keep], Awaitable[T]],
    ) -> T:
        version, kept = await from_store(self._last, stream)
        if kept is not None and kept.fingerprint != fingerprint:
            raise Refused(REUSED_KEY)
        if kept is not None and (there := await found(kept.id)) is not None:
            return there
        keep: Keep = _keep_nothing
        if kept is None:
            kept = RequestKept(self._clock(), fingerprint, fresh)
            keep = partial(from_store, self._append, stream, version + 1, kept)
        try:
            return await make(kept.id, keep)
        except NOTHING_MADE:
            # Another instance may have made it while this one was refused.
            if (there := await found(kept.id)) is not None:
                return there
            await from_store(self._withdraw, stream, kept)
            raise

    def _last(self, stream: UUID) -> tuple[int, RequestKept | None]:
        """How long the stream is, and the request that is kept in it, if one is. Blocks."""
        stored = self._recorder.select_events(stream, desc=True, limit=1)
        if not stored:
            return 0, None
        last = _decoder.decode(stored[0].state)
        return stored[0].originator_version, last if isinstance(last, RequestKept) else None

    def _append(self, stream: UUID, version: int, event: RequestKept | RequestWithdrawn) -> None:
        name = str(event.__struct_config__.tag)
        try:
            self._recorder.insert_events(
                [StoredEvent(stream, version, name, _encoder.encode(event))]
            )
        except IntegrityError:
            raise _Overtaken from None

    def _withdraw(self, stream: UUID, kept: RequestKept) -> None:
        """Frees the key again, if the request has been kept at all. Blocks."""
        version, last = self._last(stream)
        if last == kept:
            self._append(stream, version + 1, RequestWithdrawn(self._clock()))


async def _keep_nothing() -> None:
    """The request has no key, or has been kept before."""
