"""The incarnation of a store: a random id that changes when its history goes back, because a backup
was restored or a loss accepted.

A restored match may go on differently: what a cache or a reader has of the store before says
nothing about it. Why each incarnation began is in the history of the store.
"""

import secrets
from contextlib import suppress
from hashlib import sha256
from importlib.metadata import version
from uuid import UUID

from eventsourcing.persistence import AggregateRecorder, IntegrityError, StoredEvent

from service.event_store.dump import KEYRINGS, DumpedRow, StoreDump
from service.event_store.store_history import HISTORY, StoreEvent, encode_event, name_of

INCARNATIONS = UUID("61726269-7465-f272-8000-696e6361726e")
"""The stream of the ids, beside the keyrings; the last one counts."""

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


def begin_again(keyrings: AggregateRecorder, because: StoreEvent) -> bytes:
    """Gives a store another id, and records why, in one transaction. Returns the id. Raises
    IntegrityError if another process does the same. Blocks."""
    drawn = secrets.token_bytes(SIZE)
    keyrings.insert_events(
        [
            _next(keyrings, INCARNATIONS, STORED_NAME, drawn),
            _next(keyrings, HISTORY, name_of(because), encode_event(because)),
        ]
    )
    return drawn


def _next(keyrings: AggregateRecorder, stream: UUID, name: str, state: bytes) -> StoredEvent:
    last = keyrings.select_events(stream, desc=True, limit=1)
    version = last[0].originator_version if last else 0
    return StoredEvent(stream, version + 1, name, state)


def begin_incarnation(dump: StoreDump, because: StoreEvent) -> None:
    """The same for a store that nobody serves. Blocks."""
    begun = {INCARNATIONS.bytes: 0, HISTORY.bytes: 0}
    for page in dump.pages(KEYRINGS):
        for stream, *_ in page:
            if stream in begun:
                begun[stream] += 1
    rows: list[DumpedRow] = [
        (stream, begun[stream] + 1, name, state)
        for stream, name, state in (
            (INCARNATIONS.bytes, STORED_NAME, secrets.token_bytes(SIZE)),
            (HISTORY.bytes, name_of(because), encode_event(because)),
        )
    ]
    dump.insert(KEYRINGS, [rows])


def edition(store_incarnation: bytes) -> str:
    """The part of entity tags that changes when the same number of events may be shown differently:
    with the release, and with the store's incarnation."""
    return f"{_short(version('arbiter').encode())}-{_short(store_incarnation)}"


def same_history(one: str, other: str) -> bool:
    """Whether two editions are of one incarnation: then a number means the same events in both,
    though two releases may show them differently."""
    return one.partition("-")[2] == other.partition("-")[2]


def _short(content: bytes) -> str:
    return sha256(content).hexdigest()[:8]
