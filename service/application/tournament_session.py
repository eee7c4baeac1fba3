"""A tournament in memory, on which its commands are decided."""

from collections.abc import Sequence
from uuid import UUID

from msgspec import Struct
from msgspec.structs import replace

from domain.batches import batch
from domain.events import Event, Record
from domain.tournament_state import NOTHING_YET, Tournament, fold
from service.event_store.recorder import Row
from service.event_store.store import rows


class LoadedTournament(Struct):
    """A tournament as committed."""

    state: Tournament
    length: int
    at: int

    def extend(self, records: Sequence[Record[Event]]) -> None:
        """Adds what has just been committed, here or by another instance."""
        self.state = fold(self.state, [record.event for record in records])
        self.length += len(records)
        self.at = records[-1].at

    def postings_of(self, player: int | None) -> int:
        """The number of postings of a player, or of all players."""
        posted = self.state.posted
        return sum(posted.values()) if player is None else posted.get(player, 0)


def empty_tournament() -> LoadedTournament:
    """A tournament about to be created; its record is empty."""
    return LoadedTournament(NOTHING_YET, 0, 0)


def from_record(records: Sequence[Record[Event]]) -> LoadedTournament:
    """A tournament from its whole record."""
    loaded = empty_tournament()
    loaded.extend(records)
    return loaded


def next_records(
    tournament_id: UUID,
    loaded: LoadedTournament,
    events: Sequence[Event],
    now: int,
    lapsed: Sequence[Record[Event]] = (),
) -> tuple[list[Record[Event]], list[Row]]:
    """What has `lapsed`, and behind it the events, as the next records and rows of the stream;
    their time never decreases."""
    records: list[Record[Event]] = []
    at = loaded.at
    for record in (*lapsed, *batch(events, now)):
        at = max(at, record.at)
        records.append(replace(record, at=at))
    return records, rows(tournament_id, loaded.length, records)
