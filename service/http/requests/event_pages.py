"""Pages of events: what they are, for how long anyone may keep those of the public, and waiting for
the next one."""

from collections.abc import Sequence
from time import monotonic
from typing import Literal
from uuid import UUID

from msgspec import Struct

from domain.events import stored_name
from domain.match.events import SeatNamed
from domain.tournament.events import PlayerNamed
from projections.audience.disclosure import PUBLIC_VIEWER
from projections.audience.lines import Line
from projections.fields import Next
from service.application.matches.match_sessions import UnknownPosition
from service.http.errors.problems import AnyRequest
from service.http.middleware import caching
from service.http.middleware.disconnects import unless_gone
from service.http.middleware.head import is_head
from service.http.middleware.rate_limiting import reserve_stream, stream_slots
from service.http.requests.context import context
from service.http.requests.headers import ETAG, INCARNATION, answer_header
from service.instance import Instance
from service.observability.request_log import WAITED
from service.streams.live_stream import LiveStreams

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
