"""Work for a request, which is given up when its client goes away."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from service.http.errors.problems import AnyRequest

T = TypeVar("T")


async def unless_gone(request: AnyRequest, work: Coroutine[Any, Any, T]) -> T | None:
    """The result of the work; None if the client goes away first: then the work is cancelled. The
    request needs no body. Raises what the work raises."""
    working = asyncio.create_task(work)
    disconnect = asyncio.create_task(_disconnected(request))
    try:
        await asyncio.wait((working, disconnect), return_when=asyncio.FIRST_COMPLETED)
        return working.result() if working.done() else None
    finally:
        working.cancel()
        disconnect.cancel()
        await asyncio.gather(working, disconnect, return_exceptions=True)


async def _disconnected(request: AnyRequest) -> None:
    """Returns when the client has gone. The body of the request is read and ignored."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
