"""`/v1/tournaments/{id}/stages/{n}/rounds/{r}/opponent`: a candidate of a show chooses whom they
meet in the death match."""

from typing import Annotated

from litestar import Controller
from msgspec import Struct

from domain.tournament.stage_commands import ChooseOpponent
from projections.tournaments.stages import ShownRound, show_round
from service.http.access.guards import Requires
from service.http.description.described import examples, problems
from service.http.description.routing import post
from service.http.requests.dependencies import Once, TheTournament
from service.http.requests.parameters import Number
from service.http.requests.responses import Answer
from service.http.tournaments.rounds import RoundOfStage
from service.http.tournaments.stages import StageNumber

CHOICE = examples({"the second": {"player": 1}})


class ChosenOpponent(Struct, frozen=True, forbid_unknown_fields=True):
    """The player whom a candidate meets in the death match."""

    player: Number


class ShowsController(Controller):
    """Elimination shows."""

    path = "/v1/tournaments/{tournament_id:uuid}"
    tags = ("tournaments",)

    @post(
        "/stages/{stage:int}/rounds/{number:int}/opponent",
        summary="Choose an opponent in a show",
        guards=[Requires("player")],
        opt=problems(
            "no_such_stage no_such_round not_candidate choice_over immune eliminated "
            "player_not_active tournament_closed"
        ),
    )
    async def choose_opponent(
        self,
        tournament: TheTournament,
        stage: StageNumber,
        number: RoundOfStage,
        data: Annotated[ChosenOpponent, CHOICE],
        once: Once,
    ) -> Answer[ShownRound]:
        """Needs the key of the round's only candidate, who chooses once among those who are neither
        immune nor gone, within the stage's `choice_hours`; then lots choose."""
        candidate, at = await tournament.player(), tournament.instance.clock.now()
        command = ChooseOpponent(stage, number, data.player, candidate, at)
        return await tournament.changed(
            command, once, lambda state: show_round(state, stage, number)
        )
