"""What everyone may know of a tournament, folded from its public events only."""

from collections.abc import Collection, Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from domain.events import Event, Record
from domain.game import Result
from domain.tournament.events import (
    MatchAdded,
    MatchCorrected,
    MatchGiven,
    MatchSettled,
    ModeratorAppointed,
    PlayerEntered,
    TournamentCreated,
)
from domain.tournament.staff_events import MatchTaken, ModeratorRemoved
from projections.texts.timestamps import Timestamp, rfc3339
from projections.tournaments.standings import Standing, standings


class MatchShown(Struct, frozen=True):
    """A match: the numbers of the players who sit in it, seat by seat, and of those who moderate
    it. `result` is the one that counts in the standings, null while it does not."""

    match: str
    game: str
    players: tuple[int, ...]
    moderators: tuple[int, ...] = ()
    result: Result | None = None


class ShownTournament(Struct, frozen=True):
    """A tournament as everyone sees it: matches in the order in which they were added, each with
    its status, and the ranked standings, in which what `annulled` players did is left out."""

    name: str
    players: tuple[str, ...]
    moderators: tuple[str, ...]
    matches: Sequence[tuple[MatchShown, str]]
    standings: Sequence[Standing]
    annulled: frozenset[int] = frozenset()

    def standings_with(self, match: str, result: Result | None) -> list[Standing]:
        """The standings if a match counted with this result, or not at all with None."""
        results = ((one, result if one.match == match else one.result) for one, _ in self.matches)
        counted = ((one.players, counts) for one, counts in results)
        return standings(self.players, counted, self.annulled)

    def standings_without(self, annulled: Collection[int]) -> list[Standing]:
        """The standings if what these players have played counted for no one, and all else did."""
        counted = ((one.players, one.result) for one, _ in self.matches)
        return standings(self.players, counted, annulled)


SHOWN = (MatchAdded, MatchGiven, MatchTaken, MatchSettled, MatchCorrected)
"""The events that change a match of it."""


def show_match(shown: MatchShown | None, event: Event) -> MatchShown | None:
    """The match after an event about it; None before it was added."""
    match event:
        case MatchAdded(match, game, players):
            return MatchShown(match, game, players)
        case MatchGiven(_, moderator) if shown is not None:
            return replace(shown, moderators=(*shown.moderators, moderator))
        case MatchTaken(_, moderator) if shown is not None:
            left = tuple(one for one in shown.moderators if one != moderator)
            return replace(shown, moderators=left)
        case MatchSettled(_, result) | MatchCorrected(_, result) if shown is not None:
            return replace(shown, result=result)
    return shown


def rounds_of(matches: Iterable[MatchShown]) -> dict[str, int]:
    """The round of each match, by its id, from 1."""
    played: dict[int, int] = {}
    rounds: dict[str, int] = {}
    for match in matches:
        number = 1 + max((played.get(player, 0) for player in match.players), default=0)
        rounds[match.match] = number
        played.update(dict.fromkeys(match.players, number))
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
