"""The incarnation of a store: a random id that changes when the store is restored from a backup.

A restored match may go on differently: what a cache has of the store before says nothing about it.
"""

import secrets
from contextlib import suppress
from uuid import UUID

from eventsourcing.persistence import AggregateRecorder, IntegrityError, StoredEvent

from service.event_store.dump import KEYRINGS, DumpedRow, StoreDump

INCARNATIONS = UUID("61726269-7465-8272-8000-696e6361726e")
"""The stream of the ids, beside the keyrings; the last one counts. UUID version 8 (RFC 9562)."""

STORED_NAME = "store.incarnation-begun.1"

SIZE = 16


def incarnation(keyrings: AggregateRecorder) -> bytes:
    """The store's id, which is drawn at the first call. Every process that uses the store has the
    same. Blocks."""
    with suppress(IntegrityError):
        if not keyrings.select_events(INCARNATIONS, limit=1):
            first = StoredEvent(INCARNATIONS, 1, STORED_NAME, secrets.token_bytes(SIZE))
            keyrings.insert_events([first])
    (last,) = keyrings.select_events(INCARNATIONS, desc=True, limit=1)
    return bytes(last.state)


def begin_incarnation(dump: StoreDump) -> None:
    """Gives a store that nobody serves another id. Blocks."""
    begun = sum(
        stream == INCARNATIONS.bytes for page in dump.pages(KEYRINGS) for stream, *_ in page
    )
    row: DumpedRow = (INCARNATIONS.bytes, begun + 1, STORED_NAME, secrets.token_bytes(SIZE))
    dump.insert(KEYRINGS, [[row]])
