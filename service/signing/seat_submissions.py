"""Reads a seat's submissions from the store by the positions of its own events, and no others."""

from collections.abc import Iterator, Sequence
from uuid import UUID

from msgspec.structs import replace

from domain.encoding import decode, decode_all
from domain.events import Event, Record
from domain.match_events import ActionReceived, AwaitingChanged, ClientSeedGiven
from projections.submissions import Submission, submissions
from service.event_store.store import Store

EVENTS_A_READ = 200
"""The seat's events that are read at a time."""


class SeatSubmissions:
    """The submissions of one seat. `positions` are those of the events that it may see."""

    def __init__(self, store: Store, match_id: UUID, seat: int, positions: Sequence[int]) -> None:
        self._store = store
        self._match_id = match_id
        self._seat = seat
        self._positions = positions
        self._unmatched: dict[int, bytes] = {}

    def after(self, seq: int) -> Iterator[tuple[Submission, bytes]]:
        """Each submission after the seat's own number `seq`, with its stored bytes. Blocks."""
        numbered = self._events(seq)
        for made in submissions(numbered, self._phase_after(seq)):
            stored = self._unmatched.pop(made.outcome.position)
            if made.event.seat == self._seat:
                yield replace(made, count=made.count + seq), stored

    def _events(self, seq: int) -> Iterator[tuple[int, Record[Event]]]:
        for start in range(seq, len(self._positions), EVENTS_A_READ):
            positions = self._positions[start : start + EVENTS_A_READ]
            for position, stored in zip(positions, self._read(positions), strict=True):
                record = decode(stored)
                if isinstance(record.event, ActionReceived | ClientSeedGiven):
                    self._unmatched[position] = stored
                yield position, record

    def _phase_after(self, seq: int) -> str | None:
        """The phase after the seat's first `seq` events."""
        for end in range(min(seq, len(self._positions)), 0, -EVENTS_A_READ):
            states = self._read(self._positions[max(0, end - EVENTS_A_READ) : end])
            for record in reversed(decode_all(states)):
                if isinstance(record.event, AwaitingChanged):
                    return record.event.phase
        return None

    def _read(self, positions: Sequence[int]) -> list[bytes]:
        return self._store.states_at(self._match_id, positions)
