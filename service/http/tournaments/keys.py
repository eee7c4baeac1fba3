"""`/v1/tournaments/{id}/players/{n}/key`, `/moderators/{n}/key` and `/organisers/{n}/key`: another
key in place of a lost one."""

from litestar import Controller

from domain.game import Refused
from service.http.access.guards import ORGANISER
from service.http.description.described import problems
from service.http.description.routing import post
from service.http.requests.dependencies import Once, TheActor, TheInstance
from service.http.requests.parameters import TournamentId
from service.http.requests.responses import SHOWN_ONCE, Answer, created
from service.http.tournaments.players import PlayerKey, PlayerOfPath
from service.http.tournaments.staff import (
    ModeratorKey,
    ModeratorOfPath,
    OrganiserKey,
    OrganiserOfPath,
)
from service.http.tournaments.stages import state_of


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
        self,
        tournament_id: TournamentId,
        player: PlayerOfPath,
        actor: TheActor,
        once: Once,
        instance: TheInstance,
    ) -> Answer[PlayerKey]:
        """Needs an organiser's key. The player's earlier keys end, with their open streams."""
        players = (await state_of(instance, tournament_id)).players
        if player >= len(players):
            raise Refused("no_such_player")
        made = await instance.tournament_keys.reissue(
            tournament_id, f"p{player}", players[player], actor, once
        )
        answer = PlayerKey(player, players[player], made.key)
        return created(answer, repeated=made.key is None, headers=SHOWN_ONCE)

    @post(
        "/moderators/{moderator:int}/key",
        summary="Give a moderator another key",
        guards=[ORGANISER],
        opt=problems("no_such_moderator"),
    )
    async def give_moderator_key(
        self,
        tournament_id: TournamentId,
        moderator: ModeratorOfPath,
        actor: TheActor,
        once: Once,
        instance: TheInstance,
    ) -> Answer[ModeratorKey]:
        """Needs an organiser's key. The moderator's earlier keys end, with their open streams."""
        state = await state_of(instance, tournament_id)
        if moderator not in state.in_office:
            raise Refused("no_such_moderator")
        name = state.moderators[moderator]
        made = await instance.tournament_keys.reissue(
            tournament_id, f"m{moderator}", name, actor, once
        )
        answer = ModeratorKey(moderator, name, made.key)
        return created(answer, repeated=made.key is None, headers=SHOWN_ONCE)

    @post(
        "/organisers/{organiser:int}/key",
        summary="Give an organiser another key",
        guards=[ORGANISER],
        opt=problems("no_such_organiser"),
    )
    async def give_organiser_key(
        self,
        tournament_id: TournamentId,
        organiser: OrganiserOfPath,
        actor: TheActor,
        once: Once,
        instance: TheInstance,
    ) -> Answer[OrganiserKey]:
        """Needs an organiser's key. The earlier keys of an organiser who was appointed end, with
        their open streams."""
        state = await state_of(instance, tournament_id)
        if organiser not in state.organising:
            raise Refused("no_such_organiser")
        name = state.organisers[organiser]
        made = await instance.tournament_keys.reissue(
            tournament_id, f"o{organiser}", name, actor, once
        )
        answer = OrganiserKey(organiser, name, made.key)
        return created(answer, repeated=made.key is None, headers=SHOWN_ONCE)
