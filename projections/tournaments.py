"""What everybody may know of a tournament, folded from its public events alone."""

from collections.abc import Iterable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from domain.changes import Changes
from domain.events import Event, Record
from domain.game import Result
from domain.tournament_events import (
    MatchAdded,
    MatchGiven,
    MatchSettled,
    ModeratorAppointed,
    PlayerEntered,
    TournamentCreated,
)
from projections.disclosure import PUBLIC_VIEWER, may_see
from projections.instants import rfc3339


class MatchShown(Struct, frozen=True):
    """A match: the numbers of the players who sit in it, seat by seat, and of those who moderate
    it. `result` is the one that counts in the standings, null before it does."""

    match: str
    game: str
    players: tuple[int, ...]
    moderators: tuple[int, ...] = ()
    result: Result | None = None


class Shown(Struct, frozen=True):
    """A tournament as everybody sees it; matches are in the order in which they were added."""

    name: str = ""
    players: tuple[str, ...] = ()
    moderators: tuple[str, ...] = ()
    matches: Mapping[str, MatchShown] = {}


def show(shown: Shown, events: Iterable[Event]) -> Shown:
    """The tournament after these events, of which those that are not public are not looked at."""
    changes = Changes(shown)
    for event in events:
        if may_see(PUBLIC_VIEWER, event):
            _take(changes, event)
    return changes.after()


def _take(changes: Changes[Shown], event: Event) -> None:
    match event:
        case TournamentCreated(name):
            changes.put("name", name)
        case PlayerEntered(_, name):
            changes.add("players", name)
        case ModeratorAppointed(_, name):
            changes.add("moderators", name)
        case MatchAdded(match, game, players):
            changes.mapping("matches")[match] = MatchShown(match, game, players)
        case MatchGiven(match, moderator):
            matches = changes.mapping("matches")
            given = (*matches[match].moderators, moderator)
            matches[match] = replace(matches[match], moderators=given)
        case MatchSettled(match, result):
            matches = changes.mapping("matches")
            matches[match] = replace(matches[match], result=result)


# The list of tournaments.


class TournamentRow(Struct, frozen=True):
    """A tournament in the list: its name, and how many play, moderate and are played."""

    id: str
    name: str
    players: int
    moderators: int
    matches: int
    created_at: str


LISTED = (TournamentCreated, PlayerEntered, ModeratorAppointed, MatchAdded)
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
        case MatchAdded():
            return replace(row, matches=row.matches + 1)
    return row
