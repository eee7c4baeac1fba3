"""How a test without HTTP notices that a match has grown."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from uuid import UUID

from projections.audience.disclosure import MODERATOR, Viewer
from service.instance import Instance
from service.streams.channels import Member
from tests.support.instance.service_instance import PATIENCE


@asynccontextmanager
async def joined(
    instance: Instance, match_id: UUID, viewer: Viewer = MODERATOR
) -> AsyncIterator[Member]:
    """A reader that has caught up and leaves at its audience's next news; moderators see every
    event."""
    # As every stream does: who follows before reading misses nothing.
    with instance.broadcast.following(match_id):
        while True:
            _, projection = await instance.sessions.projection(match_id, viewer)
            member = Member(projection.seq)
            with instance.broadcast.joined(match_id, viewer, member) as caught_up:
                if caught_up:
                    yield member
                    return


async def grown_until(instance: Instance, match_id: UUID, wanted: Callable[[], bool]) -> None:
    """Returns when the match is as wanted; looks again whenever it has grown."""
    async with asyncio.timeout(PATIENCE):
        while True:
            async with joined(instance, match_id) as member:
                if wanted():
                    return
                await member.left.wait()
