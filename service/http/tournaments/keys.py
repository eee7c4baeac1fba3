"""`/v1/tournaments/{id}/players/{n}/key`, `/moderators/{n}/key` and `/organisers/{n}/key`: another
key in place of a lost one."""

from typing import TypeVar

from litestar import Controller

from domain.game import Refused
from domain.tournament.state import KeyedRequest
from service.auth.key_events import Slot
from service.http.access.guards import ORGANISER
from service.http.description.described import problems
from service.http.description.routing import post
from service.http.requests.dependencies import Once, TheTournament, TournamentRequest
from service.http.requests.responses import SHOWN_ONCE, Answer, created
from service.http.tournaments.players import PlayerKey, PlayerOfPath
from service.http.tournaments.staff import (
    ModeratorKey,
    ModeratorOfPath,
    OrganiserKey,
    OrganiserOfPath,
)

Key = TypeVar("Key", PlayerKey, ModeratorKey, OrganiserKey)


class TournamentKeysController(Controller):
    """The keys of the people of tournaments."""

    path = "/v1/tournaments/{tournament_id:uuid}"
    tags = ("tournaments",)

    @post(
        "/players/{player:int}/key",
        summary="Give a player another key",
        guards=[ORGANISER],
        opt=problems("no_such_player"),
    )
    async def give_player_key(
        self, tournament: TheTournament, player: PlayerOfPath, once: Once
    ) -> Answer[PlayerKey]:
        """Needs an organiser's key. The player's earlier keys end, with their open streams."""
        players = (await tournament.state()).players
        if player >= len(players):
            raise Refused("no_such_player")
        key = await _another(tournament, f"p{player}", "", once)
        return _shown(PlayerKey(player, players[player], key))

    @post(
        "/moderators/{moderator:int}/key",
        summary="Give a moderator another key",
        guards=[ORGANISER],
        opt=problems("no_such_moderator"),
    )
    async def give_moderator_key(
        self, tournament: TheTournament, moderator: ModeratorOfPath, once: Once
    ) -> Answer[ModeratorKey]:
        """Needs an organiser's key. The moderator's earlier keys end, with their open streams."""
        state = await tournament.state()
        if moderator not in state.in_office:
            raise Refused("no_such_moderator")
        name = state.moderators[moderator]
        key = await _another(tournament, f"m{moderator}", name, once)
        return _shown(ModeratorKey(moderator, name, key))

    @post(
        "/organisers/{organiser:int}/key",
        summary="Give an organiser another key",
        guards=[ORGANISER],
        opt=problems("no_such_organiser"),
    )
    async def give_organiser_key(
        self, tournament: TheTournament, organiser: OrganiserOfPath, once: Once
    ) -> Answer[OrganiserKey]:
        """Needs an organiser's key. The earlier keys of an organiser who was appointed end, with
        their open streams."""
        state = await tournament.state()
        if organiser not in state.organising:
            raise Refused("no_such_organiser")
        name = state.organisers[organiser]
        key = await _another(tournament, f"o{organiser}", name, once)
        return _shown(OrganiserKey(organiser, name, key))


async def _another(
    tournament: TournamentRequest, slot: Slot, name: str, once: KeyedRequest | None
) -> str | None:
    """Another key for a person; None to a repeated request."""
    keys, by = tournament.instance.tournament_keys, await tournament.by()
    return (await keys.reissue(tournament.id, slot, name, by, once)).key


def _shown(answer: Key) -> Answer[Key]:
    return created(answer, repeated=answer.key is None, headers=SHOWN_ONCE)
