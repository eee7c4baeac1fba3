"""Reads a seat's submissions from the store by the positions of its own events, and no others."""

from collections.abc import Iterator
from uuid import UUID

from msgspec.structs import replace

from domain.encoding import decode, decode_all
from domain.events import Event, Record
from domain.match_events import ActionReceived, AwaitingChanged, ClientSeedGiven
from projections.audience_projection import OwnRows
from projections.submissions import Submission, submissions
from service.event_store.checked_records import own_states
from service.event_store.store import Store

EVENTS_A_READ = 200
"""The seat's events that are read at a time."""


class SeatSubmissions:
    """The submissions of one seat. `own` is where the events that it may see are stored. Whatever
    reads raises RecordAltered if one of them has changed."""

    def __init__(self, store: Store, match_id: UUID, seat: int, own: OwnRows) -> None:
        self._store = store
        self._match_id = match_id
        self._seat = seat
        self._own = own
        self._unmatched: dict[int, bytes] = {}

    def after(self, seq: int) -> Iterator[tuple[Submission, bytes]]:
        """Each submission after the seat's own number `seq`, with its stored bytes. Blocks."""
        numbered = self._events(seq)
        for made in submissions(numbered, self._phase_after(seq)):
            stored = self._unmatched.pop(made.outcome.position)
            if made.event.seat == self._seat:
                yield replace(made, count=made.count + seq), stored

    def _events(self, seq: int) -> Iterator[tuple[int, Record[Event]]]:
        for start in range(seq, len(self._own.positions), EVENTS_A_READ):
            wanted = self._own.cut(start, start + EVENTS_A_READ)
            for position, stored in zip(wanted.positions, self._read(wanted), strict=True):
                record = decode(stored)
                if isinstance(record.event, ActionReceived | ClientSeedGiven):
                    self._unmatched[position] = stored
                yield position, record

    def _phase_after(self, seq: int) -> str | None:
        """The phase after the seat's first `seq` events."""
        for end in range(min(seq, len(self._own.positions)), 0, -EVENTS_A_READ):
            states = self._read(self._own.cut(max(0, end - EVENTS_A_READ), end))
            for record in reversed(decode_all(states)):
                if isinstance(record.event, AwaitingChanged):
                    return record.event.phase
        return None

    def _read(self, wanted: OwnRows) -> list[bytes]:
        return own_states(self._store, self._match_id, wanted)
