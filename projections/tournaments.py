"""What everybody may know of a tournament, folded from its public events alone."""

from collections.abc import Iterable, Mapping

from msgspec import Struct
from msgspec.structs import replace

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
    for event in events:
        if may_see(PUBLIC_VIEWER, event):
            shown = _evolve(shown, event)
    return shown


def _evolve(shown: Shown, event: Event) -> Shown:
    match event:
        case TournamentCreated(name):
            return replace(shown, name=name)
        case PlayerEntered(_, name):
            return replace(shown, players=(*shown.players, name))
        case ModeratorAppointed(_, name):
            return replace(shown, moderators=(*shown.moderators, name))
        case MatchAdded(match, game, players):
            return _with(shown, MatchShown(match, game, players))
        case MatchGiven(match, moderator):
            given = shown.matches[match]
            return _with(shown, replace(given, moderators=(*given.moderators, moderator)))
        case MatchSettled(match, result):
            return _with(shown, replace(shown.matches[match], result=result))
    return shown


def _with(shown: Shown, match: MatchShown) -> Shown:
    return replace(shown, matches={**shown.matches, match.match: match})


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
