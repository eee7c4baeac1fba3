"""`/v1/tournaments/{id}/rounds/{n}/announcement`: a round as a text, ready to paste."""

from typing import Annotated
from uuid import UUID

from litestar import Controller
from litestar.di import NamedDependency
from litestar.params import PathParameter
from litestar.response.base import ASGIResponse

from projections.rounds import rounds_of
from service.http.access import EVERYBODY
from service.http.dependencies import TOURNAMENT_DEPENDENCIES, Call
from service.http.invitation_links import base_url
from service.http.list_age import AGE, age_headers
from service.http.operation import Answer, get
from service.http.parameters import QueryParameters
from service.http.problems import Failed
from service.http.responses import json_bytes
from service.instance import Instance
from service.notices.announcement import Pairing, Round, announcement

PLAIN, MARKDOWN = "text/plain", "text/markdown"

RoundNumber = Annotated[int, PathParameter(description="The number of the round, from 1")]


class AnnouncementsController(Controller):
    """The rounds of a tournament, announced."""

    path = "/v1/tournaments/{tournament_id:uuid}/rounds/{number:int}"
    tags = ("tournaments",)
    dependencies = TOURNAMENT_DEPENDENCIES

    @get(
        "/announcement",
        operation_id="announceRound",
        summary="A round as a text, ready to paste",
        security=EVERYBODY,
        answer_headers=[AGE],
        content={PLAIN: str, MARKDOWN: str},
        query=QueryParameters,
        answers={200: Answer(None, "The text")},
        errors="no_such_round",
    )
    async def announce(self, call: NamedDependency[Call], number: RoundNumber) -> ASGIResponse:
        """Who plays whom, since when, until when, and the results so far: what everybody may see.
        A match is in the first round behind all earlier matches of its players. With
        `Accept: text/markdown` it is Markdown in which names mean nothing but themselves.
        """
        announced = await _round(call.instance, call.id, number)
        media_type = MARKDOWN if MARKDOWN in call.request.headers.get("accept", "") else PLAIN
        base = base_url(call.instance.settings.public_url, call.request)
        text = announcement(announced, base, markdown=media_type == MARKDOWN)
        headers = age_headers(call.instance.lists.age) | {"Vary": "Accept"}
        return json_bytes(text.encode(), 200, headers, f"{media_type}; charset=utf-8")


async def _round(instance: Instance, tournament_id: UUID, number: int) -> Round:
    """A round. Raises Failed, UnknownTournament and StoreUnavailable."""
    shown = await instance.lists.tournament(tournament_id)
    rounds = rounds_of(match for match, _ in shown.matches)
    matches = [match for match, _ in shown.matches if rounds[match.match] == number]
    if not matches:
        raise Failed("no_such_round")
    found = await instance.lists.with_deadlines([match.match for match in matches])
    pairings = [Pairing(*found[match.match]) for match in matches if match.match in found]
    playing = {player for match in matches for player in match.players}
    without = [name for player, name in enumerate(shown.players) if player not in playing]
    return Round(str(tournament_id), shown.name, number, pairings, without)
