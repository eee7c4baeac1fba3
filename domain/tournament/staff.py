"""The people of a tournament after their entry: who organises and moderates it, appointed and
removed (/docs/tournaments#staff), and the names of players (/docs/tournaments#names)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from domain.events import Event
from domain.game import Refused
from domain.names import Fault, fault_in, is_of
from domain.tournament.events import (
    MatchGiven,
    MatchTaken,
    ModeratorAppointed,
    ModeratorNamed,
    ModeratorRemoved,
    OrganiserAppointed,
    OrganiserRemoved,
    PlayerNamed,
    PlayerRenamed,
)
from domain.tournament.state import Added, Tournament, player_called, player_of

MOST_ORGANISERS = 16
MOST_MODERATORS = 64

UNBLINDED = b""
"""The blind of a name before the events are recorded."""

NAME_CODES: Mapping[Fault, str] = {"taken": "name_taken", "not_good": "names_not_allowed"}
"""The code by which a name with a fault is refused."""

CODES = {
    "no_such_moderator": "The tournament has no moderator of this number.",
    "no_such_organiser": "The tournament has appointed no organiser of this number.",
    "moderator_plays": "A person cannot moderate a match in which they play.",
    "no_such_tournament_match": "The tournament has no such match.",
}


class NewOrganiser(Struct, frozen=True, forbid_unknown_fields=True):
    """One more organiser, of this tournament alone."""

    name: str


class NewModerator(Struct, frozen=True, forbid_unknown_fields=True):
    """A moderator to appoint."""

    name: str


class AppointModerator(Struct, frozen=True):
    """A moderator is appointed, and given these matches at once."""

    name: str
    matches: tuple[str, ...]


class RemoveOrganiser(Struct, frozen=True):
    """An organiser who was appointed is removed."""

    organiser: int


class RemoveModerator(Struct, frozen=True):
    """A moderator is removed, from their matches, too."""

    moderator: int


class GiveMatch(Struct, frozen=True):
    """A moderator of the tournament is assigned a match."""

    match: str
    moderator: int


class TakeMatch(Struct, frozen=True):
    """A moderator moderates a match no more."""

    match: str
    moderator: int


StaffCommand = (
    NewOrganiser
    | NewModerator
    | AppointModerator
    | RemoveOrganiser
    | RemoveModerator
    | GiveMatch
    | TakeMatch
)


def decide_staff(state: Tournament, command: StaffCommand) -> list[Event]:
    """The events that a command on the staff gives; none if it is so already. Raises Refused."""
    return _DECIDERS[type(command)](state, command)


def check_newcomer(names: Sequence[str], name: str, *, room: bool) -> None:
    """Raises Refused unless someone of this name can join those with `names`."""
    check_name(fault_in(name, names))
    if not room:
        raise Refused("roster_full")


def check_name(fault: Fault | None) -> None:
    """Raises Refused for a name with a fault."""
    if fault is not None:
        raise Refused(NAME_CODES[fault])


def appointed(number: int, name: str) -> list[Event]:
    """The events that appoint a moderator."""
    return [ModeratorAppointed(number), ModeratorNamed(number, name, UNBLINDED)]


def match_in(state: Tournament, match: str) -> Added:
    """A match of the tournament. Raises Refused if it has none of this id."""
    entry = state.matches.get(match)
    if entry is None:
        raise Refused("no_such_tournament_match")
    return entry


def check_moderator(state: Tournament, number: int) -> None:
    """Raises Refused unless the tournament has a moderator of this number."""
    if number not in state.in_office:
        raise Refused("no_such_moderator")


def _organiser(state: Tournament, command: NewOrganiser) -> list[Event]:
    names = [state.organisers[number] for number in state.organising]
    check_newcomer(names, command.name, room=len(state.organisers) < MOST_ORGANISERS)
    return [OrganiserAppointed(len(state.organisers), command.name)]


def _remove_organiser(state: Tournament, command: RemoveOrganiser) -> list[Event]:
    if not 0 <= command.organiser < len(state.organisers):
        raise Refused("no_such_organiser")
    is_gone = command.organiser in state.dismissed
    return [] if is_gone else [OrganiserRemoved(command.organiser)]


def _moderator(state: Tournament, command: NewModerator) -> list[Event]:
    matches = tuple(_matches_for_all(state, command.name))
    return _appoint(state, AppointModerator(command.name, matches))


def _appoint(state: Tournament, command: AppointModerator) -> list[Event]:
    names = [state.moderators[number] for number in state.in_office]
    check_newcomer(names, command.name, room=len(state.moderators) < MOST_MODERATORS)
    number = len(state.moderators)
    assignments = (MatchGiven(match, number) for match in command.matches)
    return [*appointed(number, command.name), *assignments]


def _matches_for_all(state: Tournament, name: str) -> Iterator[str]:
    """The matches of the stages that all moderators moderate, but for those in which the person of
    this name plays."""
    player = player_called(state, name)
    for stage in state.competition.stages:
        if stage.settings.moderators == "all":
            tables = (table for round_ in stage.rounds for table in round_.tables)
            for table in tables:
                yield from () if player in table.players else table.matches


def _remove_moderator(state: Tournament, command: RemoveModerator) -> list[Event]:
    if command.moderator in state.removed:
        return []
    check_moderator(state, command.moderator)
    matches = (
        match for match, entry in state.matches.items() if command.moderator in entry.moderators
    )
    events = [MatchTaken(match, command.moderator) for match in matches]
    return [*events, ModeratorRemoved(command.moderator)]


def _give(state: Tournament, command: GiveMatch) -> list[Event]:
    entry = match_in(state, command.match)
    check_moderator(state, command.moderator)
    if player_of(state, command.moderator) in entry.players:
        raise Refused("moderator_plays")
    has_match = command.moderator in entry.moderators
    return [] if has_match else [MatchGiven(command.match, command.moderator)]


def _take(state: Tournament, command: TakeMatch) -> list[Event]:
    entry = match_in(state, command.match)
    if not 0 <= command.moderator < len(state.moderators):
        raise Refused("no_such_moderator")
    has_match = command.moderator in entry.moderators
    return [MatchTaken(command.match, command.moderator)] if has_match else []


_DECIDERS: Mapping[type[StaffCommand], Callable[[Tournament, Any], list[Event]]] = {
    NewOrganiser: _organiser,
    NewModerator: _moderator,
    AppointModerator: _appoint,
    RemoveOrganiser: _remove_organiser,
    RemoveModerator: _remove_moderator,
    GiveMatch: _give,
    TakeMatch: _take,
}


class RenamePlayer(Struct, frozen=True):
    """A player has this name from now on, for a `reason` that staff can read."""

    player: int
    name: str
    reason: str


def decide_name(state: Tournament, command: RenamePlayer) -> list[Event]:
    """The events of another name; none if the player has it. A player may have an earlier name of
    their own again, and never one that someone else has or had. Raises Refused."""
    player, name = command.player, command.name
    if not 0 <= player < len(state.players):
        raise Refused("no_such_player")
    if state.players[player] == name and state.blinds[player]:
        return []
    others = [other for number, other in state.named if number != player]
    check_name(fault_in(name, (*others, *state.waiting.values())))
    moderators = [state.moderators[number] for number in _directing(state, player)]
    if is_of(name, moderators):
        raise Refused("moderator_plays")
    return [PlayerRenamed(player, command.reason), PlayerNamed(player, name, UNBLINDED)]


def _directing(state: Tournament, player: int) -> set[int]:
    """The moderators of the player's matches."""
    matches = (entry for entry in state.matches.values() if player in entry.players)
    return {moderator for entry in matches for moderator in entry.moderators}
