"""`/v1/tournaments/{id}/events` and `/stream`: the public events of a tournament, page by page and
as they happen."""

from typing import Annotated

from litestar.openapi.datastructures import ResponseSpec
from litestar.params import QueryParameter
from litestar.response.base import ASGIResponse
from msgspec import Meta, Struct

from projections.audience.disclosure import PUBLIC_VIEWER, name_audience
from projections.audience.lines import Line
from projections.fields import PublicSeq
from service.http.access.guards import EVERYBODY
from service.http.description.routing import OfTournament, get, problems
from service.http.middleware.caching import of_history
from service.http.middleware.rate_limiting import reserve_stream
from service.http.requests.context import context
from service.http.requests.dependencies import PageLimit, TheTournament, position
from service.http.requests.event_answers import (
    ANSWERED,
    WAITS,
    EventPage,
    LastEventId,
    StreamEnd,
    StreamOf,
    number_in,
    page_of,
    public_lasting,
    wait_for_page,
    writer_of,
)
from service.http.requests.request_body import JSON
from service.http.requests.responses import INCARNATION, etag
from service.streams.channels import EVENT_STREAM, NDJSON, Form
from service.streams.live_stream import Reader

AfterEvent = Annotated[int, position("After this number in the public's count")]
FromEvent = Annotated[int | None, position("Behind this number; default: now")]
WaitForEvent = Annotated[
    WAITS | None,
    QueryParameter(
        description="If there is no event after `after`, answer when there is one, or with an "
        "empty page after this many seconds; at once when the tournament is closed"
    ),
]
NOTHING_MORE = "The tournament is closed, and there is nothing more"


class MatchGrown(Struct, frozen=True):
    """A match of the tournament has new public events; `public_seq` is the number of the last."""

    match: str
    public_seq: PublicSeq


class MatchGrownLine(Struct, frozen=True):
    """A line without a number: a match of the tournament has grown."""

    type: Annotated[
        str, Meta(description="What it says", extra_json_schema={"const": "match-grown"})
    ]
    data: MatchGrown


class TournamentEventsController(OfTournament):
    """The public events of tournaments."""

    @get(
        "/events",
        summary="The public events of a tournament",
        guards=[EVERYBODY],
        response_headers=ANSWERED,
        opt=problems(
            "history_went_back", content={JSON: EventPage}, conditional=True, public="alone"
        ),
    )
    async def list_tournament_events(
        self,
        tournament: TheTournament,
        after: AfterEvent = 0,
        limit: PageLimit = 100,
        wait: WaitForEvent = None,
    ) -> ASGIResponse:
        """Numbered 1, 2, 3 without gaps. The answer is the same for everyone, and no key is
        read."""
        instance, request = tournament.instance, tournament.request
        if wait is not None:
            await wait_for_page(request, instance.tournament_streams, tournament.id, after, wait)
        events = instance.tournament_events
        _, public = await events.projection(tournament.id)
        lines, more = await events.lines(tournament.id, PUBLIC_VIEWER, after, limit)
        last = after + len(lines)
        tag = etag(name_audience(PUBLIC_VIEWER), last, instance.edition, public.withheld, more=more)
        lasting = public_lasting(instance, wait, lines, more=more)
        return of_history(request, tag, page_of(lines, last, more=more), lasting)

    @get(
        "/stream",
        summary="The public events of a tournament, live",
        guards=[EVERYBODY],
        response_headers=[INCARNATION],
        responses={204: ResponseSpec(None, description=NOTHING_MORE)},
        opt=problems(
            "history_went_back",
            content={
                EVENT_STREAM.media_type: str,
                NDJSON.media_type: Line | StreamEnd | MatchGrownLine,
            },
            problem_headers={"409": [INCARNATION]},
        ),
    )
    async def stream_tournament_events(
        self, tournament: TheTournament, after: FromEvent = None, last_event_id: LastEventId = None
    ) -> ASGIResponse:
        """In the forms of a match's stream; it ends when the tournament is closed. Between the
        events it says without a number that a match has grown, so that one connection follows them
        all: `event: match-grown` with `{"match","public_seq"}`.
        """
        instance, request = tournament.instance, tournament.request
        stream = StreamOf(instance, instance.tournament_streams, tournament.id, PUBLIC_VIEWER)
        beginning = await stream.begin(after, number_in(last_event_id))

        def reader(form: Form) -> Reader:
            reserve_stream(context(request).guard, request, None)
            return Reader(PUBLIC_VIEWER, form, _everyone, writer=writer_of(request))

        return await stream.answer(request, beginning, reader)


async def _everyone() -> bool:
    """What everyone may read stays open."""
    return True
