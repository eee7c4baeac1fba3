"""Work that nobody needs any more when its client has gone."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from service.http.problems import AnyRequest, Failed

T = TypeVar("T")


async def while_connected(request: AnyRequest, work: Coroutine[Any, Any, T]) -> T:
    """The result of the work, which is cancelled when the client disconnects. The request needs no
    body. Raises Failed, which nobody receives, if the client has gone, and what the work raises.
    """
    working = asyncio.create_task(work)
    gone = asyncio.create_task(_disconnected(request))
    try:
        await asyncio.wait((working, gone), return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        raise Failed("try_again")
    finally:
        working.cancel()
        gone.cancel()
        await asyncio.gather(working, gone, return_exceptions=True)


async def _disconnected(request: AnyRequest) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
