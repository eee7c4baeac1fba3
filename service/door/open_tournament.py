"""A tournament held in memory: what its door has to know."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from uuid import UUID

from msgspec import Struct

from domain.events import Event, Record
from domain.tournament_events import GarnetsPosted
from domain.tournament_state import NOTHING_YET, Tournament, fold
from service.storage.store import Row, rows


class OpenTournament:
    """One tournament in memory, as committed. `lock` lets its commands in one by one, `users` are
    those who hold it or wait for it."""

    __slots__ = (
        "_posted",
        "at",
        "id",
        "length",
        "loaded",
        "lock",
        "state",
        "users",
    )

    def __init__(self, tournament_id: UUID) -> None:
        self.id = tournament_id
        self.lock = asyncio.Lock()
        self.users = 0
        self.forget()

    def forget(self) -> None:
        """Drops what was read; the store knows."""
        self.loaded = False
        self.state = NOTHING_YET
        self.length = 0
        self.at = 0
        self._posted = Counter[int]()

    def load(self, loaded: "Loaded") -> None:
        """Takes in what was read of a tournament that exists."""
        self.state, self._posted = loaded.state, loaded.posted
        self.length, self.at = loaded.length, loaded.at
        self.loaded = True

    def extend(self, records: Sequence[Record[Event]]) -> None:
        """Takes in what has just been committed."""
        self.state = fold(self.state, [record.event for record in records])
        self.length += len(records)
        self.at = records[-1].at
        self._posted.update(_posted(records))
        self.loaded = True

    def drafted(self, events: Sequence[Event], now: int) -> tuple[list[Record[Event]], list[Row]]:
        """Events as they would be recorded next, at a time that never decreases."""
        records = [Record(max(now, self.at), event) for event in events]
        return records, rows(self.id, self.length, records)

    def posted(self, player: int | None) -> int:
        """How many postings of a player's there are, or of everybody's."""
        return self._posted.total() if player is None else self._posted[player]


class Loaded(Struct):
    """A whole record, and what it comes to."""

    state: Tournament
    length: int
    at: int
    posted: Counter[int]


def loaded(records: Sequence[Record[Event]]) -> Loaded:
    """What the whole record of a tournament comes to."""
    state = fold(NOTHING_YET, [record.event for record in records])
    return Loaded(state, len(records), records[-1].at, _posted(records))


def _posted(records: Sequence[Record[Event]]) -> Counter[int]:
    """How many of the records are postings, by player."""
    return Counter(r.event.seat for r in records if isinstance(r.event, GarnetsPosted))
