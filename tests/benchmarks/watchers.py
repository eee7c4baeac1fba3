"""Watchers of a stream in a process of their own, and the orders to them."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from tests.benchmarks.watcher_process import WatcherAnswer, WatcherOrder


class Watchers:
    """The watchers of one process. `expect` and `arrived` go in pairs around an action: the first
    says which line is awaited, the second returns when all have it."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self._process = process

    def open(self, path: str, count: int, after: int, source: str = "127.0.0.1") -> None:
        """This many more watchers of the stream come, whose last line was number `after`."""
        self._order(WatcherOrder("open", path, count, source, after))
        self._answer()

    def expect(self, seq: int) -> None:
        """From now on the watchers await this line, which must not have been written yet."""
        self._order(WatcherOrder("reach", seq=seq))
        self._answer()

    def arrived(self) -> list[float]:
        """When each had the awaited line, by the monotonic clock. Blocks until all have it."""
        return self._answer().arrived

    def raw(self) -> bytes:
        """All bytes that the first watcher has received after the head of its answer."""
        self._order(WatcherOrder("raw"))
        return self._answer().raw

    def close(self) -> None:
        """All leave."""
        self._order(WatcherOrder("close"))
        self._answer()

    def _order(self, order: WatcherOrder) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(msgspec.json.encode(order) + b"\n")
        self._process.stdin.flush()

    def _answer(self) -> WatcherAnswer:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the watchers have failed: see the error above"
        return msgspec.json.decode(line, type=WatcherAnswer)


@contextmanager
def watchers(port: int) -> Iterator[Watchers]:
    """A process for watchers of the server at this port; it ends with the context."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.benchmarks.watcher_process", str(port)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        yield Watchers(process)
    finally:
        process.kill()
        process.wait(20)
        for pipe in (process.stdin, process.stdout):
            assert pipe is not None
            pipe.close()
