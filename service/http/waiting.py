"""Requests for events that wait for the next one. Each counts as a stream while it waits."""

from time import monotonic
from uuid import UUID

from projections.disclosure import PUBLIC_VIEWER
from service.application.match_sessions import UnknownPosition
from service.http.context import context
from service.http.disconnects import unless_gone
from service.http.problems import AnyRequest
from service.http.rate_limiting import reserve_stream, stream_slots
from service.instance import Instance
from service.observability.request_log import WAITED
from service.streams.waiting import wait_for_event


async def wait_for_page(
    instance: Instance, request: AnyRequest, match_id: UUID, after: int, seconds: int
) -> None:
    """Returns when a public event after number `after` can be read, or none will come in time; at
    once if nobody needs to wait for it, or the client goes away.

    Raises Failed if too many streams are open, and UnknownPosition for a number not reached yet.
    """
    loaded, projection = await instance.sessions.projection(match_id, PUBLIC_VIEWER)
    if after > projection.seq:
        raise UnknownPosition
    if loaded.over or after < projection.seq:
        return
    reserve_stream(context(request).guard, request, None)
    instance.streams.instrumentation.stream_opened()
    stream_slots(request).callback(instance.streams.instrumentation.stream_closed)
    began = monotonic()
    try:
        await unless_gone(
            request, wait_for_event(instance.streams, match_id, PUBLIC_VIEWER, after, seconds)
        )
    finally:
        request.scope["state"][WAITED] = monotonic() - began
