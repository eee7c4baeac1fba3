"""`/v1/tournaments/{id}/export`: a tournament for spreadsheets and other programs."""

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Literal

import msgspec
from litestar.params import QueryParameter
from litestar.response.base import ASGIResponse
from msgspec import Struct

from domain.tournament.open_stages import numbered_stage
from domain.tournament.state import Tournament, standing_of
from projections.audience.matches import MatchRow
from projections.fields import Player
from projections.tournaments.players import ShownPlayer, show_player
from projections.tournaments.reports import report_of, table_of
from projections.tournaments.stage_standings import StageStandings
from projections.tournaments.stages import ShownRound, ShownStage, show_round, show_stage
from service.http.access.guards import EVERYBODY
from service.http.description.routing import OfTournament, get, problems
from service.http.requests.dependencies import TheTournament, TournamentRequest
from service.http.requests.request_body import JSON
from service.http.requests.responses import json_bytes
from service.http.tournaments.rounds import OfStage, last_stage

MEDIA = {"csv": "text/csv", "trf": "text/plain"}
Form = Annotated[
    Literal["json", "csv", "trf"],
    QueryParameter(
        description="All stages as JSON; the standings of one, with its rounds, as CSV; or the "
        "closed rounds of one as a report of FIDE (TRF16)"
    ),
]


class ExportedStage(Struct, frozen=True):
    """A stage with its rounds and its standings."""

    stage: ShownStage
    rounds: list[ShownRound]
    standings: StageStandings


class TournamentExport(Struct, frozen=True):
    """A tournament: its players, its stages, and the champions once it is closed."""

    id: str
    name: str
    players: list[ShownPlayer]
    stages: list[ExportedStage]
    champions: tuple[Player, ...] | None


class TournamentExportController(OfTournament):
    """What one takes away from a tournament."""

    @get(
        "/export",
        summary="A tournament for other programs",
        guards=[EVERYBODY],
        opt=problems(
            "no_such_stage no_report",
            content={JSON: TournamentExport, MEDIA["csv"]: str, MEDIA["trf"]: str},
        ),
    )
    async def export_tournament_results(
        self, tournament: TheTournament, form: Form = "json", stage: OfStage = None
    ) -> ASGIResponse:
        """What everyone may see, in one answer. `stage` is for `csv` and `trf`. A report is for
        stages with two seats; in it players are numbered as they are seeded."""
        if form == "json":
            return json_bytes(msgspec.json.encode(await _exported(tournament)))
        state = await tournament.state()
        number = stage or last_stage(state)
        numbered_stage(standing_of(state), number)
        make = partial(_report if form == "trf" else _table, number)
        text = await tournament.instance.rounds.make_once(
            tournament.id, (form, number, None, None), make
        )
        name = f"{tournament.id}-{number}.{form}"
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return json_bytes(text.encode(), 200, headers, f"{MEDIA[form]}; charset=utf-8")


async def _exported(tournament: TournamentRequest) -> TournamentExport:
    """A tournament as it stood between two of its public events."""
    instance, seq, tables = tournament.instance, -1, list[StageStandings]()
    while seq != (loaded := await instance.tournaments.current(tournament.id)).public.seq:
        seq = loaded.public.seq
        tables = [
            await instance.rounds.standings(tournament.id, number, after=None, explain=None)
            for number in range(1, len(loaded.state.competition.stages) + 1)
        ]
    state = loaded.state
    scheduled = await instance.lists.scheduled(state.matches)
    rows = {match: entry.row for match, entry in scheduled.items()}
    stages = [exported_stage(state, table, rows) for table in tables]
    champions = state.competition.champions
    return TournamentExport(str(tournament.id), state.name, _players(state), stages, champions)


def exported_stage(
    state: Tournament, standings: StageStandings, rows: Mapping[str, MatchRow] = {}
) -> ExportedStage:
    """A stage as it stands, with these standings and the rows of its matches."""
    competition, number = state.competition, standings.stage
    rounds = competition.stages[number - 1].rounds
    rounds_shown = [show_round(state, number, round_.number, rows) for round_ in rounds]
    return ExportedStage(show_stage(competition, number), rounds_shown, standings)


def _players(state: Tournament) -> list[ShownPlayer]:
    return [show_player(state, player) for player in range(len(state.players))]


def _report(number: int, state: Tournament) -> str:
    return report_of(state.name, state.competition, number, state.results, state.players)


def _table(number: int, state: Tournament) -> str:
    return table_of(state.competition, number, state.results, _players(state))
