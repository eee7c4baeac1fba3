"""`/v1/tournaments/{id}/rounds/{n}/announcement`: a round as a text, ready to paste."""

from typing import Annotated
from uuid import UUID

from litestar import Controller, get
from litestar.di import NamedDependency
from litestar.params import PathParameter
from litestar.response.base import ASGIResponse

from projections.tournaments import rounds_of
from service.http.described import CONTENT, problems
from service.http.guards import EVERYBODY
from service.http.invitation_links import base_url
from service.http.list_age import AGE, age_headers
from service.http.parameters import TournamentId
from service.http.problems import AnyRequest, Failed
from service.http.responses import json_bytes
from service.instance import Instance
from service.notices.announcement import Pairing, Round, announcement
from service.read_models.lists import Lists

PLAIN, MARKDOWN = "text/plain", "text/markdown"

RoundNumber = Annotated[int, PathParameter(description="The number of the round, from 1")]


class AnnouncementsController(Controller):
    """The rounds of a tournament, announced."""

    path = "/v1/tournaments/{tournament_id:uuid}/rounds/{number:int}"
    tags = ("tournaments",)

    @get(
        "/announcement",
        operation_id="announceRound",
        summary="A round as a text, ready to paste",
        response_description="The text",
        guards=[EVERYBODY],
        response_headers=[AGE],
        opt=problems("bad_request no_such_round", **{CONTENT: {PLAIN: str, MARKDOWN: str}}),
    )
    async def announce(
        self,
        request: AnyRequest,
        tournament_id: TournamentId,
        number: RoundNumber,
        instance: NamedDependency[Instance],
        lists: NamedDependency[Lists],
    ) -> ASGIResponse:
        """Who plays whom, since when, until when, and the results so far: what everybody may see.
        A match is in the first round behind all earlier matches of its players. With
        `Accept: text/markdown` it is Markdown in which names mean nothing but themselves.
        """
        announced = await _round(lists, tournament_id, number)
        media_type = MARKDOWN if MARKDOWN in request.headers.get("accept", "") else PLAIN
        base = base_url(instance.settings.server.public_url, request)
        text = announcement(announced, base, markdown=media_type == MARKDOWN)
        headers = age_headers(lists.age) | {"Vary": "Accept"}
        return json_bytes(text.encode(), 200, headers, f"{media_type}; charset=utf-8")


async def _round(lists: Lists, tournament_id: UUID, number: int) -> Round:
    """A round. Raises Failed, UnknownTournament and StoreUnavailable."""
    shown = await lists.tournament(tournament_id)
    rounds = rounds_of(match for match, _ in shown.matches)
    matches = [match for match, _ in shown.matches if rounds[match.match] == number]
    if not matches:
        raise Failed("no_such_round")
    ids = [match.match for match in matches]
    found = await lists.read(lambda index: index.with_deadlines(ids))
    pairings = [Pairing(*found[match.match]) for match in matches if match.match in found]
    playing = {player for match in matches for player in match.players}
    without = [name for player, name in enumerate(shown.players) if player not in playing]
    return Round(str(tournament_id), shown.name, number, pairings, without)
