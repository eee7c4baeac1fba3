"""Records read from a store and judged: by their digest, and by whether they can be decoded."""

from collections.abc import Sequence
from typing import NamedTuple, get_args
from uuid import UUID

from domain.encoding import UPCASTERS, decode, decode_all
from domain.events import Event, Record, stored_name
from domain.games import AnyEvent
from projections.audience.lines import checksum
from projections.audience.own_lines import OwnRows
from service.event_store.integrity.digests import (
    NEWER,
    ROW_CHANGED,
    UNREADABLE,
    Digest,
    RecordAltered,
    StoredRow,
    begun,
    checked,
)
from service.event_store.store import Store

KNOWN_NAMES = frozenset({*map(stored_name, get_args(AnyEvent)), *UPCASTERS})
"""The stored names of all events that this release can read."""


class CheckedRecords(NamedTuple):
    """Records of a match, the bytes as which they are stored, and the digest after them."""

    records: list[Record[Event]]
    states: list[bytes]
    digest: Digest


def read_checked(store: Store, match: UUID, since: Digest | None = None) -> CheckedRecords:
    """The records of a match after those that `since` covers, by default all of them.

    Raises RecordAltered if they do not agree with the stored digest, or cannot be decoded.
    """
    before = since or begun(match)
    found = store.rows(match, before.length)
    digest = checked(match, before, found)
    states = [row.state for row in found.rows]
    return CheckedRecords(decoded(match, found.rows, before.length), states, digest)


def decoded(match: UUID, rows: Sequence[StoredRow], after: int) -> list[Record[Event]]:
    """The records of rows that follow position `after`. Raises RecordAltered."""
    try:
        return decode_all([row.state for row in rows])
    except Exception:  # noqa: BLE001  an upcaster may raise anything for damaged fields
        return [_decoded(match, row, position) for position, row in enumerate(rows, after + 1)]


def _decoded(match: UUID, row: StoredRow, position: int) -> Record[Event]:
    try:
        return decode(row.state)
    except Exception as error:
        raise RecordAltered(match, undecoded(row), position) from error


def undecoded(row: StoredRow) -> str:
    """What is wrong with a row that cannot be decoded, for the operator."""
    name = row.topic.decode(errors="replace")
    return UNREADABLE if name in KNOWN_NAMES else f"{UNREADABLE}, or {NEWER}: {name!r}"


def own_states(store: Store, match: UUID, own: OwnRows) -> list[bytes]:
    """The stored bytes of an audience's own records, and of no others.

    Raises RecordAltered if one is missing, or does not have its checksum: that which it had when
    the record was read as a whole.
    """
    states = store.states_at(match, own.positions)
    if len(states) != len(own.positions):
        raise RecordAltered(match, ROW_CHANGED)
    for position, state, expected in zip(own.positions, states, own.checksums, strict=True):
        if checksum(state) != expected:
            raise RecordAltered(match, ROW_CHANGED, position)
    return states
