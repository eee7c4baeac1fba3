"""`/v1/tournaments/{id}/stages/{n}/rounds/{r}`: what becomes of a published round."""

from typing import Annotated

from litestar import Controller
from msgspec import Struct

from domain.rulings.kinds import Text
from domain.tournament.decide import standing_of
from domain.tournament.open_stages import numbered_round
from domain.tournament.stage_commands import WithdrawRound
from projections.tournaments.stages import ShownRound, show_round
from service.http.access.guards import ORGANISER
from service.http.description.described import examples, problems
from service.http.description.routing import delete
from service.http.errors.problems import Failed
from service.http.requests.dependencies import TOURNAMENT, Once, TheTournament
from service.http.requests.etags import parse_tags
from service.http.requests.headers import if_match
from service.http.requests.responses import Answer, created
from service.http.tournaments.rounds import RoundOfStage
from service.http.tournaments.stages import StageNumber

IfMatchRound = Annotated[
    str | None, if_match("The `inputs` of the round in quotes, as its draft had them as `ETag`")
]
WHY = examples({"a wrong roster": {"reason": "Two players had been entered twice."}})


class RoundWithdrawal(Struct, frozen=True, forbid_unknown_fields=True):
    """Why a round is withdrawn."""

    reason: Text


class RoundChangesController(Controller):
    """What becomes of published rounds."""

    path = "/v1/tournaments/{tournament_id:uuid}/stages/{stage:int}/rounds/{number:int}"
    tags = ("tournaments",)
    dependencies = TOURNAMENT

    @delete(
        summary="Withdraw a round",
        status_code=200,
        guards=[ORGANISER],
        opt=problems(
            "no_such_stage no_such_round round_closed round_begun stale moderator_plays "
            "record_altered tournament_closed"
        ),
    )
    async def withdraw_round(
        self,
        tournament: TheTournament,
        stage: StageNumber,
        number: RoundOfStage,
        data: Annotated[RoundWithdrawal, WHY],
        once: Once,
        if_match: IfMatchRound = None,
    ) -> Answer[ShownRound]:
        """Needs an organiser's key. Only while none of its matches has started. They are void, and
        those that are not there yet are never created. The number of the round is not used again,
        and the next one is drafted as if it had not been."""
        instance, state = tournament.instance, await tournament.state()
        one = numbered_round(standing_of(state), stage, number)
        tags = parse_tags(if_match)
        if tags is not None and not {"*", f'"{one.inputs}"'}.intersection(tags):
            raise Failed("stale")
        command, by = WithdrawRound(stage, number, data.reason), await tournament.by()
        change = await instance.withdrawal.withdraw(tournament.id, command, once, by)
        state = await tournament.state()
        shown = show_round(state.competition, stage, number, state.results, {})
        return created(shown, repeated=True) if change.repeated else Answer(shown)
