"""What everyone sees of the players of a tournament."""

from msgspec import Struct

from domain.tournament.stage_events import PlayerState
from domain.tournament.state import Tournament
from projections.fields import Player


class ShownPlayer(Struct, frozen=True):
    """A player of the roster: what they are in the tournament, and the rating, the seed and the
    team that the organiser has given."""

    player: Player
    name: str
    status: PlayerState
    rating: int | None
    seed: int | None
    team: str | None


def show_player(state: Tournament, number: int) -> ShownPlayer:
    """A player of the roster."""
    facts = state.competition.people[number]
    return ShownPlayer(
        number, state.players[number], facts.status, facts.rating, facts.seed, facts.team
    )
