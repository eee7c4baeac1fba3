"""The names of players after their entry (/docs/tournaments#names)."""

from msgspec import Struct

from domain.events import Event
from domain.game import Refused
from domain.names import fault_in, is_of
from domain.tournament.events import PlayerNamed, PlayerRenamed
from domain.tournament.staff import UNBLINDED, check_name
from domain.tournament.state import Tournament


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
    matches = (one for one in state.matches.values() if player in one.players)
    return {moderator for one in matches for moderator in one.moderators}
