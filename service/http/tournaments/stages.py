"""`/v1/tournaments/{id}/stages`: stages, their rounds, standings and brackets, and lots."""

from typing import Annotated, Any

from litestar.params import PathParameter
from msgspec import UNSET, Struct, UnsetType, defstruct
from msgspec.structs import asdict, fields, replace

from domain.tournament.open_stages import numbered_stage
from domain.tournament.stage_commands import AddStage, ChangeStage, CloseStage, CloseTournament
from domain.tournament.stages import Stage
from domain.tournament.state import standing_of
from projections.fields import Player
from projections.tournaments.stages import ShownStage, show_stage
from service.application.tournaments.round_matches import check_match
from service.http.access.guards import EVERYBODY, ORGANISER
from service.http.description.routing import OfTournament, examples, get, patch, post, problems
from service.http.requests.dependencies import Once, TheTournament
from service.http.requests.responses import Answer, answer_header, created

StageNumber = Annotated[int, PathParameter(description="The number of the stage, from 1")]
LOCATION = answer_header("Location", "What was created")

NEW_STAGE = examples(
    {"Swiss": {"name": "Swiss", "format": "swiss", "match": {"game": "dollar-prize"}, "rounds": 5}}
)
OTHER_SETTINGS = examples({"seven rounds": {"rounds": 7}})

StageSettings: Any = defstruct(
    "StageSettings",
    [(field.name, field.type | UnsetType, UNSET) for field in fields(Stage)],
    frozen=True,
    forbid_unknown_fields=True,
    module=__name__,
)
StageSettings.__doc__ = "Other settings for a stage; what is left out stays."


class StageList(Struct, frozen=True):
    """The stages of a tournament."""

    stages: list[ShownStage]


class ClosedTournament(Struct, frozen=True):
    """A tournament that is over."""

    champions: tuple[Player, ...]


class StagesController(OfTournament):
    """Stages of tournaments."""

    @post(
        "/stages",
        summary="Add a stage",
        guards=[ORGANISER],
        response_headers=[LOCATION],
        opt=problems(
            "unknown_format settings_do_not_fit scores_do_not_rank no_such_stage "
            "no_such_moderator not_on_roster "
            "paired_twice too_many_stages tournament_closed unknown_game seats_not_allowed "
            "options_not_allowed record_not_allowed"
        ),
    )
    async def add_stage(
        self, tournament: TheTournament, data: Annotated[Stage, NEW_STAGE], once: Once
    ) -> Answer[ShownStage]:
        """Needs an organiser's key. It opens when its first round is published."""
        check_match(data)
        change = await tournament.execute(AddStage(data), once)
        state = await tournament.state()
        number = len(state.competition.stages)
        answer = show_stage(state.competition, number)
        address = f"{tournament.address}/stages/{number}"
        return created(answer, repeated=change.repeated, headers={LOCATION.name: address})

    @patch(
        "/stages/{stage:int}",
        summary="Change a stage",
        guards=[ORGANISER],
        opt=problems(
            "unknown_format settings_do_not_fit scores_do_not_rank no_such_stage "
            "no_such_moderator not_on_roster "
            "paired_twice stage_begun tournament_closed unknown_game seats_not_allowed "
            "options_not_allowed record_not_allowed"
        ),
    )
    async def change_stage(
        self,
        tournament: TheTournament,
        stage: StageNumber,
        data: Annotated[StageSettings, OTHER_SETTINGS],
    ) -> Answer[ShownStage]:
        """Needs an organiser's key. Until its first round is published."""
        now = standing_of(await tournament.state())
        settings = numbered_stage(now, stage).settings
        changed = {name: value for name, value in asdict(data).items() if value is not UNSET}
        settings = replace(settings, **changed)
        check_match(settings)
        await tournament.execute(ChangeStage(stage, settings))
        return Answer(show_stage((await tournament.state()).competition, stage))

    @get("/stages", summary="The stages of a tournament", guards=[EVERYBODY])
    async def list_stages(self, tournament: TheTournament) -> Answer[StageList]:
        """What everyone may see."""
        competition = (await tournament.state()).competition
        numbers = range(1, len(competition.stages) + 1)
        return Answer(StageList([show_stage(competition, number) for number in numbers]))

    @get(
        "/stages/{stage:int}", summary="A stage", guards=[EVERYBODY], opt=problems("no_such_stage")
    )
    async def show_stage(self, tournament: TheTournament, stage: StageNumber) -> Answer[ShownStage]:
        """What everyone may see."""
        state = await tournament.state()
        numbered_stage(standing_of(state), stage)
        return Answer(show_stage(state.competition, stage))

    @post(
        "/stages/{stage:int}/close",
        summary="Close a stage",
        guards=[ORGANISER],
        opt=problems("no_such_stage results_not_final lots_not_drawn tournament_closed"),
    )
    async def close_stage(
        self, tournament: TheTournament, stage: StageNumber
    ) -> Answer[ShownStage]:
        """Needs an organiser's key. Its places are fixed."""
        return await tournament.changed(
            CloseStage(stage), None, lambda state: show_stage(state.competition, stage)
        )

    @post(
        "/close",
        summary="Close a tournament",
        guards=[ORGANISER],
        opt=problems("results_not_final tournament_closed"),
    )
    async def close_tournament(self, tournament: TheTournament) -> Answer[ClosedTournament]:
        """Needs an organiser's key. Every stage must be closed."""
        return await tournament.changed(
            CloseTournament(),
            None,
            lambda state: ClosedTournament(state.competition.champions or ()),
        )
