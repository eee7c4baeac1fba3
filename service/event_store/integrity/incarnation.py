"""The incarnation of a store: a random id that changes when its history goes back, because a backup
was restored or a loss accepted. Why each began is the history of the store.

A restored match may go on differently: what a cache or a reader has of the store before says
nothing about it.
"""

import secrets
from collections.abc import Iterable
from contextlib import suppress
from hashlib import sha256
from importlib.metadata import version
from uuid import UUID

import msgspec
from eventsourcing.persistence import AggregateRecorder, IntegrityError, StoredEvent
from msgspec import Struct

INCARNATIONS = UUID("61726269-7465-f272-8000-696e6361726e")
"""The stream of the ids, next to the keyrings; the last one counts."""

HISTORY = UUID("61726269-7465-f272-8000-686973746f72")
"""The stream of why they began, next to the keyrings."""

STORED_NAME = "store.incarnation-begun.1"

SIZE = 16


class LossAccepted(Struct, frozen=True, tag="store.loss-accepted.1"):
    """The operator went on with a log that has lost its end: of `marked` events it had `found`.
    The times here are microseconds since 1970."""

    at: int
    marked: int
    found: int


class LossNoticed(Struct, frozen=True, tag="store.loss-noticed.1"):
    """An instance had seen `seen` events in a shared store, which then ended after `found`."""

    at: int
    seen: int
    found: int


class BackupRestored(Struct, frozen=True, tag="store.restored.1"):
    """The operator restored a backup with `length` events. `made_at` is its time; None if that is
    not known."""

    at: int
    length: int
    made_at: int | None = None


StoreEvent = LossAccepted | LossNoticed | BackupRestored

_encode = msgspec.msgpack.Encoder().encode
_decoder = msgspec.msgpack.Decoder(StoreEvent)


def history(keyrings: AggregateRecorder) -> list[StoreEvent]:
    """When the store went back, the oldest first. Blocks."""
    return decoded_history(row.state for row in keyrings.select_events(HISTORY))


def decoded_history(states: Iterable[bytes]) -> list[StoreEvent]:
    """The same from the rows of its stream, in order."""
    return list(map(_decoder.decode, states))


def incarnation(keyrings: AggregateRecorder) -> bytes:
    """The store's id, which is drawn at the first call. Every process that uses the store has the
    same. Blocks."""
    with suppress(IntegrityError):
        if not keyrings.select_events(INCARNATIONS, limit=1):
            first = StoredEvent(INCARNATIONS, 1, STORED_NAME, secrets.token_bytes(SIZE))
            keyrings.insert_events([first])
    (last,) = keyrings.select_events(INCARNATIONS, desc=True, limit=1)
    return bytes(last.state)


def begin_again(keyrings: AggregateRecorder, because: StoreEvent) -> None:
    """Gives a store another id, and records why, in one transaction. Raises IntegrityError if
    another process does the same. Blocks."""
    name = str(because.__struct_config__.tag)
    keyrings.insert_events(
        [
            StoredEvent(stream, len(keyrings.select_events(stream)) + 1, topic, state)
            for stream, topic, state in (
                (INCARNATIONS, STORED_NAME, secrets.token_bytes(SIZE)),
                (HISTORY, name, _encode(because)),
            )
        ]
    )


def edition(store_incarnation: bytes) -> str:
    """The part of entity tags that changes when the same number of events may be shown differently:
    with the release, and with the store's incarnation."""
    return f"{_short(version('arbiter').encode())}-{_short(store_incarnation)}"


def same_history(edition: str, other: str) -> bool:
    """Whether two editions are of one incarnation: then a number means the same events in both,
    though two releases may show them differently."""
    return edition.partition("-")[2] == other.partition("-")[2]


def _short(content: bytes) -> str:
    return sha256(content).hexdigest()[:8]
