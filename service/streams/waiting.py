"""Waiting for an audience's next event, for readers that ask again and again."""

import asyncio
from uuid import UUID

from projections.disclosure import Viewer
from service.streams.broadcast import Member
from service.streams.live_stream import LiveStreams


async def wait_for_event(
    streams: LiveStreams, match_id: UUID, viewer: Viewer, after: int, seconds: float
) -> None:
    """Returns when the audience has an event after its number `after`: at once if there is one, if
    the match is over or the service stops, and at the latest after `seconds`.

    When it returns depends on the audience's own events alone. Raises UnknownMatch, or the store's
    own errors.
    """
    try:
        async with asyncio.timeout(seconds):
            with streams.broadcast.following(match_id):
                while not streams.stopping.is_set():
                    loaded, projection = await streams.sessions.projection(match_id, viewer)
                    if loaded.over or projection.seq > after:
                        return
                    member = Member(after)
                    with streams.broadcast.joined(match_id, viewer, member) as joined:
                        if joined:
                            await member.left.wait()
    except TimeoutError:
        return
