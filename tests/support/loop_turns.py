"""How much is done between two turns of an event loop."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest


class Turns:
    """Counts the turns of a loop, and the calls of a function between two of them."""

    def __init__(self) -> None:
        self.taken = self.calls = self.most = 0
        self._in_turn = 0

    def count(self, patch: pytest.MonkeyPatch, of: type, name: str) -> None:
        """Counts the calls of a method from now on."""
        plain: Callable[..., Any] = getattr(of, name)
        last = self.taken

        def counted(*args: Any, **given: Any) -> Any:
            nonlocal last
            self._in_turn = self._in_turn + 1 if last == self.taken else 1
            self.calls, last = self.calls + 1, self.taken
            self.most = max(self.most, self._in_turn)
            return plain(*args, **given)

        patch.setattr(of, name, counted)

    async def tick(self) -> None:
        """Takes each turn, until it is cancelled."""
        while True:
            self.taken += 1
            await asyncio.sleep(0)


@asynccontextmanager
async def counting() -> AsyncIterator[Turns]:
    """Counts the turns of this loop inside the context."""
    turns = Turns()
    ticker = asyncio.create_task(turns.tick())
    try:
        yield turns
    finally:
        ticker.cancel()
