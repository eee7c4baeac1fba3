"""`/v1/matches/{id}/ready`: players start a match of a round when all of them are ready."""

from uuid import UUID

from litestar import Controller
from msgspec import Struct

from domain.game import Refused
from domain.tournament.stage_commands import SayReady
from domain.tournament.state import Tournament
from projections.fields import Seat
from service.http.access.guards import SEATED
from service.http.description.described import problems
from service.http.description.routing import post
from service.http.requests.dependencies import Once, Sent, TournamentRequest
from service.http.requests.responses import Answer


class ReadyAnswer(Struct, frozen=True):
    """The seats of a match whose players are ready."""

    match: str
    ready: list[Seat]


class ReadyController(Controller):
    """Who is ready for a match."""

    path = "/v1/matches/{match_id:uuid}"
    tags = ("tournaments",)

    @post(
        "/ready",
        summary="Be ready for a match of a round",
        guards=[SEATED],
        opt=problems("not_started_by_players tournament_closed"),
    )
    async def say_ready(self, sent: Sent, once: Once) -> Answer[ReadyAnswer]:
        """Needs a seat's key. Where the stage says so (`"round":{"start":"ready"}`) the match
        starts by itself when all of its players are ready; it is public who is."""
        tournament = (await sent.instance.sessions.cached(sent.id)).match.created.tournament
        if tournament is None:
            raise Refused("not_started_by_players")
        cup, match = TournamentRequest(UUID(tournament), sent.instance, sent.request), str(sent.id)
        players = (await cup.state()).matches[match].players

        def shown(state: Tournament) -> ReadyAnswer:
            there = state.competition.ready[match]
            return ReadyAnswer(match, [n for n, player in enumerate(players) if player in there])

        return await cup.changed(SayReady(match, players[sent.seat]), once, shown)
