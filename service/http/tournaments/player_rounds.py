"""`/v1/matches/{id}/ready` and `/v1/tournaments/{id}/stages/{n}/rounds/{r}/opponent`: what players
do for a round. They start its matches, and open tables, when all are ready, and choose in a show
whom they meet in the death match."""

from typing import Annotated
from uuid import UUID

from litestar import Controller
from msgspec import Struct

from domain.game import Refused
from domain.tournament.stage_commands import ChooseOpponent, SayReady
from domain.tournament.state import Tournament
from projections.fields import Seat
from projections.tournaments.stages import ShownRound, show_round
from service.http.access.guards import SEATED, Requires
from service.http.description.routing import examples, post, problems
from service.http.requests.dependencies import Number, Once, Sent, TheTournament, TournamentRequest
from service.http.requests.responses import Answer, created
from service.http.tournaments.rounds import RoundOfStage
from service.http.tournaments.stages import StageNumber

CHOICE = examples({"the second": {"player": 1}})


class ChosenOpponent(Struct, frozen=True, forbid_unknown_fields=True):
    """The player whom a candidate meets in the death match."""

    player: Number


class ReadyAnswer(Struct, frozen=True):
    """The seats of a match whose players are ready."""

    match: str
    ready: list[Seat]


class PlayerRoundsController(Controller):
    """What players do for a round."""

    path = "/v1"
    tags = ("tournaments",)

    @post(
        "/tournaments/{tournament_id:uuid}/stages/{stage:int}/rounds/{number:int}/opponent",
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

    @post(
        "/matches/{match_id:uuid}/ready",
        summary="Be ready for a match of a round, or at an open table",
        guards=[SEATED],
        opt=problems("not_started_by_players tournament_closed already_started"),
    )
    async def say_ready(self, sent: Sent, once: Once) -> Answer[ReadyAnswer]:
        """Needs a seat's key. An open table starts by itself when all of its seats are ready, and
        a match of a round where the stage says so (`"round":{"start":"ready"}`); it is public who
        is."""
        of_match = (await sent.instance.sessions.cached(sent.id)).match.created
        if of_match.table:
            seats, before = await sent.instance.tables.ready(sent.id, sent.seat)
            return created(ReadyAnswer(str(sent.id), sorted(seats)), repeated=before)
        tournament = of_match.tournament
        if tournament is None:
            raise Refused("not_started_by_players")
        cup, match = TournamentRequest(UUID(tournament), sent.instance, sent.request), str(sent.id)
        players = (await cup.state()).matches[match].players

        def show(state: Tournament) -> ReadyAnswer:
            there = state.competition.ready[match]
            return ReadyAnswer(match, [n for n, player in enumerate(players) if player in there])

        return await cup.changed(SayReady(match, players[sent.seat]), once, show)
