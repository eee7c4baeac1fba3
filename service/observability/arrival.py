"""Since when a sender has waited for an answer."""

import asyncio
from contextvars import ContextVar

_arrived: ContextVar[float | None] = ContextVar("arrived", default=None)


def arrive() -> None:
    """The request that is answered from here on arrives now."""
    _arrived.set(asyncio.get_running_loop().time())


def seconds_since_arrival() -> float:
    """How long ago the request that is being answered arrived; 0 for what no one has sent."""
    arrived = _arrived.get()
    return 0.0 if arrived is None else asyncio.get_running_loop().time() - arrived
