"""The number of a store's format, by which an older release refuses a newer store."""

from importlib.metadata import version

import msgspec
from eventsourcing.persistence import PersistenceError
from msgspec import Struct

from service.event_store.properties import Properties

FORMAT = 1
"""The format that this release writes, and the highest that it reads. A release that stores what
earlier ones cannot read, as an event under a new name, has the next number."""

PROPERTY = "format"
"""The name of the row among the store's properties."""


class NewerStore(PersistenceError):
    """The store is in a format that this release does not know."""

    def __init__(self, stored: "StoreFormat", own: "StoreFormat") -> None:
        super().__init__(
            f"this store is in format {stored.number}, of Arbiter {stored.release}; this is Arbiter"
            f" {own.release}, which knows format {own.number}. Run that release, or a newer one"
        )


class StoreFormat(Struct, frozen=True):
    """The number of a format, and the first release that wrote this store in it."""

    number: int
    release: str


_decoder = msgspec.msgpack.Decoder(StoreFormat)


def this_release() -> StoreFormat:
    """What this release writes."""
    return StoreFormat(FORMAT, version("arbiter"))


def record_format(properties: Properties, own: StoreFormat | None = None) -> None:
    """Puts the number of this release's format into the store. Raises NewerStore, and changes
    nothing, if the store has a higher one. Blocks."""
    own = own or this_release()
    stored = known_format(properties, own)
    if stored is None or stored.number < own.number:
        properties.set(PROPERTY, msgspec.msgpack.encode(own))


def known_format(properties: Properties, own: StoreFormat | None = None) -> StoreFormat | None:
    """The format of a store. Raises NewerStore if its number is higher than that of this release.
    Blocks."""
    own, stored = own or this_release(), stored_format(properties)
    if stored is not None and stored.number > own.number:
        raise NewerStore(stored, own)
    return stored


def stored_format(properties: Properties) -> StoreFormat | None:
    """The format of a store; None if nothing has been stored in it yet."""
    stored = properties.get(PROPERTY)
    return None if stored is None else _decoder.decode(stored)
