"""`/v1/tournaments/{id}/players/{n}/name`: a player gets another name."""

from typing import Annotated

from litestar import Controller
from msgspec import Meta, Struct

from domain.tournament.decide import LONGEST_REASON
from domain.tournament.naming import RenamePlayer
from projections.tournaments.players import ShownPlayer, show_player
from service.http.access.guards import ORGANISER
from service.http.description.described import examples, problems
from service.http.description.routing import post
from service.http.requests.dependencies import TOURNAMENT, Once, TheTournament
from service.http.requests.responses import Answer, created
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
    dependencies = TOURNAMENT

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
        change = await tournament.execute(command, once)
        shown = show_player(await tournament.state(), player)
        return created(shown, repeated=change.repeated)
