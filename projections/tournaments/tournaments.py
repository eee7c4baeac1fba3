"""What everyone may know of a tournament, folded from its public events only."""

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from domain.events import Event, Record
from domain.tournament.events import (
    MatchAdded,
    ModeratorAppointed,
    ModeratorRemoved,
    PlayerEntered,
    TournamentCreated,
)
from domain.tournament.state import Added
from projections.fields import Timestamp, rfc3339


def rounds_of(matches: Mapping[str, Added]) -> dict[str, int]:
    """The round of each match, by its id, from 1: the first after all earlier ones of its
    players."""
    last_rounds: dict[int, int] = {}
    rounds: dict[str, int] = {}
    for match, entry in matches.items():
        number = 1 + max((last_rounds.get(player, 0) for player in entry.players), default=0)
        rounds[match] = number
        last_rounds.update(dict.fromkeys(entry.players, number))
    return rounds


# The list of tournaments.


class TournamentRow(Struct, frozen=True):
    """A tournament in the list: its name, and the numbers of its players, moderators and
    matches."""

    id: str
    name: str
    players: int
    moderators: int
    matches: int
    created: Timestamp


LISTED = (TournamentCreated, PlayerEntered, ModeratorAppointed, ModeratorRemoved, MatchAdded)
"""The events that change a row."""


def list_tournament(
    tournament: str, row: TournamentRow | None, record: Record[Event]
) -> TournamentRow | None:
    """The row after `record`; None before the tournament was created."""
    event = record.event
    if isinstance(event, TournamentCreated):
        return TournamentRow(tournament, event.name, 0, 0, 0, rfc3339(record.at))
    if row is None:
        return None
    match event:
        case PlayerEntered():
            return replace(row, players=row.players + 1)
        case ModeratorAppointed():
            return replace(row, moderators=row.moderators + 1)
        case ModeratorRemoved():
            return replace(row, moderators=row.moderators - 1)
        case MatchAdded():
            return replace(row, matches=row.matches + 1)
    return row
