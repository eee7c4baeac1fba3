"""Builds that several requests may want at the same time: one build for all of them, a bounded
queue, and results that stay in memory for the next request."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, NamedTuple, TypeVar

from service.observability import logs

T = TypeVar("T")


class BuildsFull(Exception):
    """The queue of builds is full: the request may be sent again later."""


class WantedBuild(NamedTuple):
    """What is built. `key` says of what; `version` changes with everything that the result depends
    on, and is None if that can still grow. Only what is `public`, which everyone may have, is
    kept: requests for what is secret must not decide for whom the memory is left."""

    key: Hashable
    version: Hashable | None
    public: bool


class SharedBuilds(Generic[T]):
    """Builds one at a time. At most `most_queued` wait for their turn. Kept results together have
    at most `kept_size`, as `size` measures them; the least recently used ones are dropped."""

    def __init__(self, most_queued: int, kept_size: int, size: Callable[[T], int]) -> None:
        self._most_queued = most_queued
        self.queued = 0
        self._turn = asyncio.Semaphore(1)
        self._shared: dict[Hashable, _Build[T]] = {}
        self._tasks: set[asyncio.Task[T]] = set()
        self._kept: _Kept[T] = _Kept(kept_size, size)

    async def result(self, wanted: WantedBuild, build: Callable[[], Awaitable[T]]) -> T:
        """The kept result, or that of a build which all who want the same wait for. A build that
        no one waits for any more before its turn comes is not begun.

        Raises BuildsFull, or what `build` raises.
        """
        kept = self._kept.get(wanted)
        if kept is not None:
            return kept
        shared = self._shared.get(wanted.key)
        if shared is None or shared.wanted != wanted:
            shared = self._begin(wanted, build)
        shared.waiting += 1
        try:
            return await asyncio.shield(shared.task)
        finally:
            shared.waiting -= 1
            if not shared.waiting and not shared.begun:
                self._drop(shared)

    def stop(self) -> None:
        """Cancels every build. One that is under way in a thread still ends there."""
        for task in self._tasks:
            task.cancel()

    def _begin(self, wanted: WantedBuild, build: Callable[[], Awaitable[T]]) -> "_Build[T]":
        if self.queued >= self._most_queued:
            raise BuildsFull
        self.queued += 1
        shared = self._shared[wanted.key] = _Build(wanted)
        shared.task = asyncio.create_task(self._run(shared, build))
        self._tasks.add(shared.task)
        shared.task.add_done_callback(lambda _: self._ended(shared))
        return shared

    async def _run(self, shared: "_Build[T]", build: Callable[[], Awaitable[T]]) -> T:
        async with self._turn:
            shared.begun = True
            self.queued -= 1
            if shared.wanted.version is None:
                # It may read less than is on record when a later request comes.
                self._forget(shared)
            result = await build()
            self._kept.put(shared.wanted, result)
            return result

    def _drop(self, shared: "_Build[T]") -> None:
        """Takes a build out of the queue."""
        if shared.task.cancel():
            self.queued -= 1
            shared.begun = True
            self._forget(shared)

    def _ended(self, shared: "_Build[T]") -> None:
        self._tasks.discard(shared.task)
        self._forget(shared)
        if shared.task.cancelled():
            return
        error = shared.task.exception()
        if error is not None and not shared.waiting:
            logs.failure("not_built", error)

    def _forget(self, shared: "_Build[T]") -> None:
        """No later request shares this build."""
        if self._shared.get(shared.wanted.key) is shared:
            del self._shared[shared.wanted.key]


class _Build(Generic[T]):
    """A build in the queue or under way, and how many requests wait for it."""

    task: asyncio.Task[T]

    def __init__(self, wanted: WantedBuild) -> None:
        self.wanted = wanted
        self.waiting = 0
        self.begun = False


class _Kept(Generic[T]):
    """Results in memory, the least recently used first."""

    def __init__(self, most: int, size: Callable[[T], int]) -> None:
        self._most = most
        self._size = size
        self._total = 0
        self._results: OrderedDict[Hashable, tuple[Hashable, T]] = OrderedDict()

    def get(self, wanted: WantedBuild) -> T | None:
        version, result = self._results.get(wanted.key, (None, None))
        if not wanted.public or version is None or version != wanted.version:
            return None
        self._results.move_to_end(wanted.key)
        return result

    def put(self, wanted: WantedBuild, result: T) -> None:
        if not wanted.public or wanted.version is None or self._size(result) > self._most:
            return
        if wanted.key in self._results:
            self._total -= self._size(self._results.pop(wanted.key)[1])
        self._results[wanted.key] = wanted.version, result
        self._total += self._size(result)
        while self._total > self._most:
            self._total -= self._size(self._results.popitem(last=False)[1][1])
