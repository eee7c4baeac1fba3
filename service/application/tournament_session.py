"""A tournament in memory, on which its commands are decided."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from uuid import UUID

from msgspec import Struct

from domain.events import Event, Record
from domain.tournament_events import GarnetsPosted
from domain.tournament_state import NOTHING_YET, Tournament, fold
from service.event_store.store import Row, rows


class LoadedTournament(Struct):
    """A tournament as committed; `posted` counts the postings of each player."""

    state: Tournament
    length: int
    at: int
    posted: Counter[int]

    def extend(self, records: Sequence[Record[Event]]) -> None:
        """Adds what has just been committed, here or by another instance."""
        self.state = fold(self.state, [record.event for record in records])
        self.length += len(records)
        self.at = records[-1].at
        self.posted.update(_posted(records))

    def postings_of(self, player: int | None) -> int:
        """The number of postings of a player, or of all players."""
        return self.posted.total() if player is None else self.posted[player]


class TournamentSession:
    """One tournament in use. `loaded` is None until it is read, and after it is forgotten. `lock`
    lets one command through at a time; `users` counts those that have it or wait for it."""

    __slots__ = ("id", "loaded", "lock", "users")

    def __init__(self, tournament_id: UUID) -> None:
        self.id = tournament_id
        self.lock = asyncio.Lock()
        self.users = 0
        self.loaded: LoadedTournament | None = None

    def forget(self) -> None:
        """Drops the loaded tournament; it is read again from the store."""
        self.loaded = None


def empty_tournament() -> LoadedTournament:
    """A tournament about to be created; its record is empty."""
    return LoadedTournament(NOTHING_YET, 0, 0, Counter())


def from_record(records: Sequence[Record[Event]]) -> LoadedTournament:
    """A tournament from its whole record."""
    loaded = empty_tournament()
    loaded.extend(records)
    return loaded


def next_records(
    tournament_id: UUID, loaded: LoadedTournament, events: Sequence[Event], now: int
) -> tuple[list[Record[Event]], list[Row]]:
    """The events as the next records and rows of the stream; their time never decreases."""
    records = [Record(max(now, loaded.at), event) for event in events]
    return records, rows(tournament_id, loaded.length, records)


def _posted(records: Sequence[Record[Event]]) -> Counter[int]:
    """The number of postings among the records, by player."""
    return Counter(r.event.seat for r in records if isinstance(r.event, GarnetsPosted))
