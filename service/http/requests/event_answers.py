"""Events as answers.

Pages of them: what they are, for how long anyone may keep those of the public, and waiting for the
next one. Streams of them: where they begin, their form, and how they are counted.
"""

from collections.abc import Callable, Sequence
from time import monotonic
from typing import Annotated, Literal, NamedTuple, cast
from uuid import UUID

from litestar.params import HeaderParameter
from litestar.response.base import ASGIResponse
from litestar.response.streaming import ASGIStreamingResponse
from msgspec import Meta, Struct

from domain.events import stored_name
from domain.match.events import SeatNamed
from domain.tournament.events import PlayerNamed
from projections.audience.disclosure import PUBLIC_VIEWER, Viewer
from projections.audience.lines import Line
from projections.fields import Next
from service.application.matches.match_sessions import UnknownPosition
from service.http.errors.mistakes import in_header, in_query
from service.http.errors.problems import AnyRequest, Failed
from service.http.middleware import caching
from service.http.middleware.disconnects import unless_gone
from service.http.middleware.head import is_head
from service.http.middleware.page_security import DATA, POLICY
from service.http.middleware.rate_limiting import reserve_stream, stream_slots
from service.http.requests.context import context
from service.http.requests.responses import (
    ETAG,
    INCARNATION,
    answer_header,
    incarnation_header,
    json_bytes,
)
from service.instance import Instance
from service.observability.request_log import WAITED
from service.streams.channels import EVENT_STREAM, NDJSON, ChunkWriter, Form
from service.streams.live_stream import LiveStreams, Reader

WAITS = Literal[5, 10, 20, 30]
"""The seconds that a request may wait: a cache in front has few addresses to keep."""

CACHE_CONTROL = answer_header("Cache-Control", "With `as=public`, for how long anybody may keep it")
NAMING = tuple(f'"type":"{stored_name(kind)}"'.encode() for kind in (SeatNamed, PlayerNamed))
"""How lines are recognised that hold a name."""

ANSWERED = (ETAG, CACHE_CONTROL, INCARNATION)


class EventPage(Struct, frozen=True):
    """Some of an audience's events."""

    events: list[Line]
    next: Next


def page_of(lines: Sequence[bytes], last: int, *, more: bool) -> bytes:
    """The body of a page of events, of which the last has number `last`."""
    return b'{"events":[%b],"next":%b}' % (b",".join(lines), b"%d" % last if more else b"null")


def public_lasting(
    instance: Instance, wait: int | None, lines: Sequence[bytes], *, more: bool
) -> dict[str, str]:
    """For how long anyone may keep a page of public events, which was waited for or not. A name can
    be withheld later."""
    lasting = caching.HISTORY if more and wait is None else caching.CHANGING
    if lasting == caching.HISTORY and any(mark in line for line in lines for mark in NAMING):
        lasting = caching.PAGE
    shared = wait is None or not instance.stopping.is_set()
    return {"Cache-Control": lasting, **({} if shared else caching.NOT_SHARED)}


async def wait_for_page(
    request: AnyRequest, streams: LiveStreams, id_: UUID, after: int, seconds: int
) -> None:
    """Returns when a public event after number `after` of a match or tournament can be read, or
    none will come in time; at once for HEAD, if no one needs to wait for it, or the client goes
    away.

    Raises Failed if too many streams are open, and UnknownPosition for a number not reached yet.
    """
    loaded, projection = await streams.records.projection(id_, PUBLIC_VIEWER)
    if after > projection.seq:
        raise UnknownPosition
    if loaded.over or after < projection.seq or is_head(request):
        return
    reserve_stream(context(request).guard, request, None)
    streams.instrumentation.stream_opened()
    stream_slots(request.scope).callback(streams.instrumentation.stream_closed)
    began = monotonic()
    try:
        await unless_gone(request, streams.wait_for_event(id_, PUBLIC_VIEWER, after, seconds))
    finally:
        request.scope["state"][WAITED] = monotonic() - began


CHUNK_WRITER = "arbiter.chunk_writer"
"""The ASGI extension by which lines are written to a connection directly (`ChunkWriter`)."""

NO_STORE = {"Cache-Control": "no-store"}

LastEventId = Annotated[
    str | None,
    HeaderParameter(
        name="Last-Event-ID",
        description="What an interrupted reader saw last",
        schema_extra={"pattern": "^[0-9]{0,15}$"},
    ),
]

BEYOND_LAST = (in_header("Last-Event-ID", "beyond_end", "Read again from the beginning."),)
BEYOND_AFTER = (in_query("after", "beyond_end", "Read again from the beginning."),)
NO_NUMBER = (in_header("Last-Event-ID", "malformed", "Send the `id` of the last event."),)


class StreamEnd(Struct, frozen=True):
    """The last line of a stream: the match or the tournament is over, and everything has been
    sent."""

    end: Annotated[bool, Meta(description="Nothing follows", extra_json_schema={"const": True})]
    seq: Annotated[int, Meta(ge=0, description="The audience's own count")]


def writer_of(request: AnyRequest) -> ChunkWriter | None:
    """What writes lines to the connection of a request directly, if its server does."""
    extensions = request.scope.get("extensions") or {}
    return cast(ChunkWriter | None, extensions.get(CHUNK_WRITER))


def number_in(last_event_id: str | None) -> int | None:
    """The number that an interrupted reader saw last. Raises Failed."""
    if last_event_id is None or last_event_id == "":
        return None
    if not (last_event_id.isascii() and last_event_id.isdigit() and len(last_event_id) < 16):
        raise Failed("bad_request", "Last-Event-ID: not a number of this stream", errors=NO_NUMBER)
    return int(last_event_id)


class StreamOf(NamedTuple):
    """The stream of the events of an audience of a match or a tournament."""

    instance: Instance
    streams: LiveStreams
    id: UUID
    viewer: Viewer

    async def begin(self, after: int | None, last_seen: int | None) -> int:
        """The number after which the stream begins: by default the audience's last.

        What an interrupted reader saw last wins. Raises Failed for a number that the audience has
        not.
        """
        _, own = await self.streams.records.projection(self.id, self.viewer)
        begin, beyond = (after, BEYOND_AFTER) if last_seen is None else (last_seen, BEYOND_LAST)
        if begin is not None and begin > own.seq:
            headers = incarnation_header(self.instance)
            raise Failed("history_went_back", headers=headers, errors=beyond)
        return own.seq if begin is None else begin

    async def answer(
        self, request: AnyRequest, after: int, reader: Callable[[Form], Reader]
    ) -> ASGIResponse:
        """The events after a number for a `reader`, who is counted once the stream opens; 204 if
        nothing more will come."""
        no_store = NO_STORE | incarnation_header(self.instance)
        if await self.streams.everything_sent(self.id, self.viewer, after):
            return json_bytes(b"", 204, no_store)
        accepted = request.headers.get("accept", "")
        form = NDJSON if NDJSON.media_type in accepted else EVENT_STREAM
        headers = {**no_store, POLICY: DATA, "X-Accel-Buffering": "no"}
        opened = () if is_head(request) else self.streams.follow(self.id, reader(form), after)
        return ASGIStreamingResponse(
            iterator=iter(opened) if isinstance(opened, tuple) else opened,
            media_type=form.media_type,
            headers=headers,
        )
