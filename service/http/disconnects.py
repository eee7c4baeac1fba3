"""Requests whose client goes away before they are answered."""

import asyncio
from collections.abc import Coroutine
from typing import Any

from service.http.problems import AnyRequest


async def unless_gone(request: AnyRequest, waiting: Coroutine[Any, Any, None]) -> None:
    """Waits until `waiting` is done, or, if that is earlier, the client has gone. Raises what it
    raises."""
    task = asyncio.ensure_future(waiting)
    gone = asyncio.ensure_future(_disconnected(request))
    try:
        await asyncio.wait((task, gone), return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            task.result()
    finally:
        task.cancel()
        gone.cancel()
        await asyncio.gather(task, gone, return_exceptions=True)


async def _disconnected(request: AnyRequest) -> None:
    """Returns when the client has gone. The body of the request is read and ignored."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
