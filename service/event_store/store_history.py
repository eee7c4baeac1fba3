"""The history of a store: when it went back, and why. Each entry begins another incarnation."""

from uuid import UUID

import msgspec
from eventsourcing.persistence import AggregateRecorder
from msgspec import Struct

HISTORY = UUID("61726269-7465-f272-8000-686973746f72")
"""The stream of the entries, beside the keyrings."""


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

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(StoreEvent)


def name_of(event: StoreEvent) -> str:
    """The stored name of an entry."""
    return str(event.__struct_config__.tag)


def encode_event(event: StoreEvent) -> bytes:
    """An entry as it is stored."""
    return _encoder.encode(event)


def history(keyrings: AggregateRecorder) -> list[StoreEvent]:
    """All entries, the oldest first. Blocks."""
    return [_decoder.decode(stored.state) for stored in keyrings.select_events(HISTORY)]
