"""Waiting for an audience's next event, for readers that ask again and again."""

import asyncio
from uuid import UUID

from projections.disclosure import Viewer
from service.instance import Instance

OVER = ("ended", "void")


async def wait_for_event(
    instance: Instance, match_id: UUID, viewer: Viewer, after: int, seconds: float
) -> None:
    """Returns when the audience has an event after its number `after`: at once if there is one, if
    the match is over or the service stops, and at the latest after `seconds`.

    When it returns depends on the audience's own events alone. Raises UnknownMatch, or the store's
    own errors.
    """
    try:
        async with asyncio.timeout(seconds):
            with instance.waiters.listening(match_id) as wake_up:
                while not instance.stopping.is_set():
                    wake_up.clear()
                    _, projection = await instance.sessions.projection(match_id, viewer)
                    state = projection.state
                    if state.seq > after or state.status in OVER:
                        return
                    await wake_up.wait()
    except TimeoutError:
        return
