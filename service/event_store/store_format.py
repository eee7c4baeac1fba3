"""The stored names of events that the releases which wrote a store know.

Each release names itself and its own in a row of the store when it starts. An older release that is
started again finds out there, before it serves, whether the log has events that it cannot read.
"""

from collections.abc import Collection
from importlib.metadata import version
from typing import Protocol, get_args, runtime_checkable

import msgspec
from eventsourcing.persistence import ApplicationRecorder, PersistenceError
from msgspec import Struct

from domain.encoding import UPCASTERS
from domain.events import stored_name
from domain.games import AnyEvent
from service.event_store.properties import Properties
from service.observability import logs
from service.observability.store_faults import fault_of

PROPERTY = "formats"
"""The name of the row among the store's properties."""

PAGE = 100_000
"""Positions of the log that one statement looks through: 100,000 take some hundredths of a
second."""

KNOWN = frozenset(stored_name(kind) for kind in get_args(AnyEvent)) | frozenset(UPCASTERS)
"""The stored names that this release can read."""


class NewerStore(PersistenceError):
    """The log has events that this release does not know."""

    def __init__(self, release: str, own: str, unknown: Collection[str]) -> None:
        super().__init__(
            f"this store was written by {release}; this is Arbiter {own}, which does not know"
            f" {', '.join(sorted(unknown))}. Run that release, or a newer one"
        )


class Formats(Struct, frozen=True):
    """The newest release that wrote a store, and the stored names that it and those before it know.
    `checked`: up to this position the log has no other ones."""

    release: str
    names: tuple[str, ...]
    checked: int = 0


_decoder = msgspec.msgpack.Decoder(Formats)


@runtime_checkable
class TopicRecorder(Protocol):
    """A recorder that tells which stored names occur in a part of the log."""

    def select_topics(self, position: int, upto: int) -> list[str]: ...


def record_formats(
    properties: Properties,
    recorder: ApplicationRecorder,
    known: Collection[str] = KNOWN,
    own: str | None = None,
) -> None:
    """Adds this release's stored names to those of the store. Raises NewerStore, and changes
    nothing, if the log has events that are not among the `known` ones. Blocks.

    It reads what was recorded since it was last called; a damaged log is checked later. If another
    release knows more names, it reads the whole log.
    """
    own = own or version("arbiter")
    before = _stored(properties)
    if not isinstance(recorder, TopicRecorder):
        return
    end = recorder.max_notification_id() or 0
    newer = set(before.names) - set(known)
    try:
        occurring = _topics(recorder, 0 if newer else min(before.checked, end), end)
    except PersistenceError as error:
        if fault_of(error) != "corrupt":
            raise
        # The health of the store says so, too; what can still be read is served.
        logs.failure("formats_not_checked", error)
        return
    if unknown := occurring - set(known):
        named = f"Arbiter {before.release}" if unknown & newer else "a newer release"
        raise NewerStore(named, own, unknown)
    names = tuple(sorted({*before.names, *known}))
    after = Formats(before.release if newer else own, names, end)
    if after != before:
        properties.set(PROPERTY, msgspec.msgpack.encode(after))


def _stored(properties: Properties) -> Formats:
    stored = properties.get(PROPERTY)
    return Formats("", ()) if stored is None else _decoder.decode(stored)


def _topics(recorder: TopicRecorder, position: int, end: int) -> set[str]:
    found: set[str] = set()
    for start in range(position, end, PAGE):
        found.update(recorder.select_topics(start, min(start + PAGE, end)))
    return found
