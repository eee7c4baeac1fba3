"""`/v1/tournaments/{id}/players/{n}/name`: a player gets another name, or the name is withheld."""

from typing import Annotated

from litestar import Controller
from msgspec import Meta, Struct

from domain.tournament.decide import LONGEST_REASON
from domain.tournament.naming import RenamePlayer
from projections.tournaments.players import ShownPlayer, show_player
from service.http.access.guards import ORGANISER
from service.http.description.described import examples, problems
from service.http.description.routing import delete, post
from service.http.requests.dependencies import Once, TheTournament
from service.http.requests.responses import Answer
from service.http.tournaments.players import PlayerOfPath

NAME = examples({"spelt": {"name": "Zoë", "reason": "It was misspelt."}})


class NewName(Struct, frozen=True, forbid_unknown_fields=True):
    """Another name for a player, and why."""

    name: str
    reason: Annotated[
        str, Meta(min_length=1, max_length=LONGEST_REASON, description="For the staff alone")
    ]


class NamesController(Controller):
    """The names of players."""

    path = "/v1/tournaments/{tournament_id:uuid}/players/{player:int}/name"
    tags = ("tournaments",)

    @post(
        summary="Rename a player",
        guards=[ORGANISER],
        opt=problems("no_such_player names_not_allowed name_taken moderator_plays"),
    )
    async def rename_player(
        self,
        tournament: TheTournament,
        player: PlayerOfPath,
        data: Annotated[NewName, NAME],
        once: Once,
    ) -> Answer[ShownPlayer]:
        """Needs an organiser's key. The name is shown from now on, also in the player's matches
        that are not over; what was recorded before keeps the old one."""
        command = RenamePlayer(player, data.name, data.reason)
        return await tournament.changed(command, once, lambda state: show_player(state, player))

    @delete(
        summary="Withhold a player's name",
        response_description="It is shown no more",
        guards=[ORGANISER],
        opt=problems("no_such_player name_taken"),
    )
    async def withhold_player_name(self, tournament: TheTournament, player: PlayerOfPath) -> None:
        """Needs an organiser's key. Every name that the player has had is `Player N` from now on,
        everywhere and at every position of the tournament and its matches, and stored no more. It
        cannot be had back; another name can be given."""
        await tournament.instance.withheld_names.of_player(tournament.id, player)
