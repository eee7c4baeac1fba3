"""Readers of many streams, as a test uses them: they join, read in their process, and report."""

import asyncio
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from tempfile import NamedTemporaryFile

import msgspec

from tests.faults.stream_reader_process import Order, Progress, Read, Wanted
from tests.support.faults.server_process import PATIENCE
from tests.support.repository import ROOT

PACE = 0.1


class Readers:
    """Their process."""

    def __init__(self, port: int) -> None:
        self._lock = asyncio.Lock()
        self._began = time.monotonic()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.stream_reader_process", str(port)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )

    async def come(self, readers: Iterable[Wanted]) -> None:
        """These readers open their streams."""
        await self._send(Order("come", list(readers)))

    async def progress(self) -> Progress:
        """Their progress."""
        return await self._send(Order("look"))

    async def until(self, true: Callable[[Progress], bool], patience: float = PATIENCE) -> Progress:
        """Their progress, as soon as the condition is true."""
        give_up = time.monotonic() + patience
        while not true(progress := await self.progress()):
            assert time.monotonic() < give_up, "waited in vain"
            await asyncio.sleep(PACE)
        return progress

    async def report(self) -> dict[str, Read]:
        """What each has read, by name."""
        with NamedTemporaryFile() as to:
            await self._send(Order("report", to=to.name))
            return msgspec.msgpack.decode(to.read(), type=dict[str, Read])

    def close(self) -> None:
        """Ends the process, and every stream with it."""
        with self._process as process:
            process.kill()

    async def _send(self, order: Order) -> Progress:
        async with self._lock:
            return await asyncio.to_thread(self._exchange, order)

    def _exchange(self, order: Order) -> Progress:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(msgspec.json.encode(order) + b"\n")
        self._process.stdin.flush()
        return msgspec.json.decode(self._process.stdout.readline(), type=Progress)


@contextmanager
def reading(url: str) -> Iterator[Readers]:
    """Readers at a service; they are gone when the context exits."""
    readers = Readers(int(url.rpartition(":")[2]))
    try:
        yield readers
    finally:
        readers.close()
