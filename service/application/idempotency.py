"""Idempotency store: each request with an idempotency key creates its match, tournament or ruling
once.

A request is recorded before anything that it creates: the fingerprint of its body, and the id
chosen. A repeat, even after a crash, finds what was created or goes on with the same id.

A refused request leaves its key free for another one. Everything that can be refused is checked
before the request is recorded; if a race makes it refused later, the request is withdrawn.
"""

import hmac
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import TypeVar
from uuid import UUID

import msgspec
from eventsourcing.persistence import AggregateRecorder, IntegrityError, StoredEvent
from msgspec import Struct

from domain.game import Refused
from domain.match.commands import REUSED_KEY, Conflict
from domain.tournament.state import KeyedRequest
from service.application.matches.command_queue import AlreadyExists, PreconditionFailed
from service.event_store.errors import UnknownTournament
from service.event_store.integrity.digests import RecordAltered
from service.event_store.store_threads import in_store_thread
from service.event_store.stream_ids import NOWHERE, stream_of
from service.observability import logs

T = TypeVar("T")

RecordRequest = Callable[[], Awaitable[None]]
"""Records the request. The code that creates calls it after every check that can refuse, and before
it records anything."""

CHECK_BYTES = 16

SCOPE = "requests"
"""What the streams of requests are named after, with the key."""

NOTHING_MADE = (
    Refused, UnknownTournament, msgspec.ValidationError, AlreadyExists, Conflict,
    PreconditionFailed,
)  # fmt: skip
"""Errors after which nothing of what the request was to create is on record."""


class RequestInFlight(Exception):
    """The same request is being executed at this moment."""


class RequestRecorded(Struct, frozen=True, tag="request.kept.1"):
    """A request under the key of this stream, and the id chosen for what it creates; `begun` is the
    number of events that its match had before it."""

    at: int
    fingerprint: bytes
    id: UUID
    begun: int = 0


class ViewThen(Struct, frozen=True):
    """The view in an answer, which is not stored: that of an audience of a match after its first
    `seq` events; and the bytes after it."""

    match: str
    audience: str
    seq: int
    behind: bytes

    @property
    def match_id(self) -> UUID:
        """The id of the match."""
        return UUID(self.match)


class StoredAnswer(Struct, frozen=True):
    """An answer without secrets: its body is `body`, then the view, if there is one."""

    status: int
    headers: dict[str, str]
    body: bytes
    view: ViewThen | None = None


class RequestAnswered(Struct, frozen=True, tag="request.answered.1"):
    """The answer to the request recorded before."""

    at: int
    fingerprint: bytes
    answer: StoredAnswer


class RequestWithdrawn(Struct, frozen=True, tag="request.withdrawn.1"):
    """The request recorded before was refused: the key is free for another one."""

    at: int


Event = RequestRecorded | RequestAnswered | RequestWithdrawn

_decoder = msgspec.msgpack.Decoder(Event)
_encoder = msgspec.msgpack.Encoder()


class RequestAltered(RecordAltered):
    """What is stored of a request under an idempotency key is not what was recorded."""

    def __init__(self, stream: UUID) -> None:
        super().__init__(stream, "what is stored of a request under an idempotency key has changed")


class _LostRace(Exception):
    """Another instance recorded the next event of the stream first."""


class IdempotencyStore:
    """The requests in the store, and those in flight on this instance. `catch_up` brings the
    instance up to what another one has done: an answer that it gives again is true on both. It
    blocks."""

    def __init__(
        self, recorder: AggregateRecorder, clock: Callable[[], int], catch_up: Callable[[], None]
    ) -> None:
        self._recorder = recorder
        self._clock = clock
        self._catch_up = catch_up
        self._in_flight: dict[str, bytes] = {}

    async def once(
        self,
        request: KeyedRequest | None,
        new_id: UUID,
        find_existing: Callable[[UUID], Awaitable[T | None]],
        create: Callable[[UUID, RecordRequest], Awaitable[T]],
    ) -> T:
        """Executes the request once. A new request calls `create` with `new_id`. A repeat returns
        what `find_existing` finds under the id chosen before, or else calls `create` with that id.

        Raises Refused (`idempotency_key_reused`), RequestInFlight, StoreUnavailable, and whatever
        `create` raises.
        """
        if request is None:
            return await create(new_id, _record_nothing)
        with self._exclusive(request):
            while True:
                try:
                    return await self._attempt(request, new_id, find_existing, create)
                except _LostRace:
                    continue

    async def find_id(self, request: KeyedRequest) -> UUID | None:
        """The id that was chosen for what a request creates, if it is on record. Raises
        StoreUnavailable."""
        _, last = await in_store_thread(self._last, request)
        return last.id if isinstance(last, RequestRecorded) else None

    async def remember(
        self,
        request: KeyedRequest,
        execute: Callable[[int], Awaitable[StoredAnswer]],
        refusals: tuple[type[Exception], ...],
        length: Callable[[], Awaitable[int]],
    ) -> StoredAnswer:
        """Executes the request once, and returns the first answer whenever it comes again. After
        one of the `refusals` the key is free again, unless another instance has been answered. Each
        try is executed with the `length` that was recorded before the first.

        Raises Refused (`idempotency_key_reused`), RequestInFlight, StoreUnavailable, and whatever
        `execute` and `length` raise.
        """
        with self._exclusive(request):
            version, last = await in_store_thread(self._last, request)
            if last is not None and last.fingerprint != request.fingerprint:
                raise Refused(REUSED_KEY)
            if isinstance(last, RequestAnswered):
                await in_store_thread(self._catch_up)
                return last.answer
            request_record = last
            try:
                if request_record is None:
                    length_before = await length()
                    request_record = RequestRecorded(
                        self._clock(), request.fingerprint, NOWHERE, length_before
                    )
                    await in_store_thread(self._append, request, version + 1, request_record)
            except _LostRace:
                raise RequestInFlight from None
            try:
                answer = await execute(request_record.begun)
            except refusals:
                answered = await in_store_thread(self._withdraw, request, request_record)
                if answered is None:
                    raise
                return answered.answer
            answer_record = RequestAnswered(self._clock(), request.fingerprint, answer)
            await in_store_thread(self._conclude, request, answer_record)
            return answer

    @contextmanager
    def _exclusive(self, request: KeyedRequest) -> Iterator[None]:
        in_flight = self._in_flight.get(request.key)
        if in_flight is not None:
            raise RequestInFlight if in_flight == request.fingerprint else Refused(REUSED_KEY)
        self._in_flight[request.key] = request.fingerprint
        try:
            yield
        finally:
            del self._in_flight[request.key]

    async def _attempt(
        self,
        request: KeyedRequest,
        new_id: UUID,
        find_existing: Callable[[UUID], Awaitable[T | None]],
        create: Callable[[UUID, RecordRequest], Awaitable[T]],
    ) -> T:
        version, request_record = await in_store_thread(self._last, request)
        if request_record is not None and request_record.fingerprint != request.fingerprint:
            raise Refused(REUSED_KEY)
        assert not isinstance(request_record, RequestAnswered), "an address is of one kind"
        if (
            request_record is not None
            and (existing := await find_existing(request_record.id)) is not None
        ):
            return existing
        record_request: RecordRequest = _record_nothing
        if request_record is None:
            request_record = RequestRecorded(self._clock(), request.fingerprint, new_id)
            record_request = partial(
                in_store_thread, self._append, request, version + 1, request_record
            )
        try:
            return await create(request_record.id, record_request)
        except NOTHING_MADE:
            # Another instance may have created it while this one was refused.
            _, last_record = await in_store_thread(self._last, request)
            if isinstance(last_record, RequestRecorded):
                if (existing := await find_existing(last_record.id)) is not None:
                    return existing
                await in_store_thread(self._withdraw, request, request_record)
            raise

    def _last(self, request: KeyedRequest) -> tuple[int, RequestRecorded | RequestAnswered | None]:
        """The length of the stream, and the request recorded in it and not withdrawn, or its
        answer, if any. Raises RequestAltered. Blocks."""
        stream = stream_of(SCOPE, request.key)
        rows = self._recorder.select_events(stream, desc=True, limit=1)
        if not rows:
            return 0, None
        version, state = rows[0].originator_version, rows[0].state
        if not hmac.compare_digest(
            state[:CHECK_BYTES], _check(request, version, state[CHECK_BYTES:])
        ):
            error = RequestAltered(stream)
            logs.failure("record_altered", error, request=str(stream))
            raise error
        last = _decoder.decode(state[CHECK_BYTES:])
        return version, None if isinstance(last, RequestWithdrawn) else last

    def _append(self, request: KeyedRequest, version: int, event: Event) -> None:
        name, content = str(event.__struct_config__.tag), _encoder.encode(event)
        state = _check(request, version, content) + content
        try:
            self._recorder.insert_events(
                [StoredEvent(stream_of(SCOPE, request.key), version, name, state)]
            )
        except IntegrityError:
            raise _LostRace from None

    def _conclude(self, request: KeyedRequest, answer_record: RequestAnswered) -> None:
        """Records the answer, unless another instance has recorded its own. Blocks."""
        version, last = self._last(request)
        while not isinstance(last, RequestAnswered):
            with suppress(_LostRace):
                self._append(request, version + 1, answer_record)
            version, last = self._last(request)

    def _withdraw(
        self, request: KeyedRequest, request_record: RequestRecorded
    ) -> RequestAnswered | None:
        """Frees the key again, if the request was recorded; returns the answer that it has had
        elsewhere meanwhile. Blocks."""
        version, last = self._last(request)
        if last == request_record:
            self._append(request, version + 1, RequestWithdrawn(self._clock()))
        return last if isinstance(last, RequestAnswered) else None


def _check(request: KeyedRequest, version: int, content: bytes) -> bytes:
    """What precedes the content of a row. It is made by the client's key, of which the store has
    only a hash. Who can write to the store and guesses that key, like `1`, can make it anew: such a
    row is protected against damage, not against its operator."""
    mac = hmac.digest(request.key.encode(), b"%d\n%b" % (version, content), "sha256")
    return mac[:CHECK_BYTES]


async def _record_nothing() -> None:
    """For a request without a key, or one recorded before."""
