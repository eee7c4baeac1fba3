"""A relay before a server that cuts connections after chosen numbers of bytes."""

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from tests.support.servers.live_server import Live
from tests.support.servers.relay import Relay


class CuttingRelay(Relay):
    """Forwards bytes to a server. The n-th request ("GET /v1/…") that matches a pattern of
    `limits` has its connection cut after the n-th of these numbers of bytes that come back.
    `cuts` is how many connections were cut."""

    def __init__(self, port: int, limits: Mapping[str, Sequence[int]]) -> None:
        super().__init__(port)
        self._limits = {pattern: list(behind) for pattern, behind in limits.items()}
        self._left: dict[asyncio.StreamWriter, int] = {}
        self.cuts = 0

    def came(self, requests: list[str], client: asyncio.StreamWriter) -> None:
        for pattern, behind in self._limits.items():
            if behind and any(re.search(pattern, one) for one in requests):
                self._left[client] = behind.pop(0)

    def cut_behind(self, received: int, client: asyncio.StreamWriter) -> int | None:
        left = self._left.get(client)
        if left is None:
            return None
        self._left[client] = left - received
        return left if received >= left else None

    def end(self, client: asyncio.StreamWriter) -> None:
        self.cuts += 1
        del self._left[client]
        client.close()


@contextmanager
def cutting(live: Live, limits: Mapping[str, Sequence[int]]) -> Iterator[CuttingRelay]:
    """A relay before a live server, on its loop. No connection is left open after it."""
    relay = CuttingRelay(live.port, limits)
    asyncio.run_coroutine_threadsafe(relay.start(), live.loop).result(10)
    try:
        yield relay
    finally:
        asyncio.run_coroutine_threadsafe(relay.stop(), live.loop).result(10)
