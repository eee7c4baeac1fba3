"""The threads of a simulated process: those that read its store, and its writer."""

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any, Literal, Protocol

from service.application.matches.writer import Writer
from service.event_store.store_threads import StoreThreads

Done = Callable[[Any, BaseException | None], None]


class Threaded(Protocol):
    """A process that calls blocking functions."""

    def in_thread(
        self, call: Callable[[], Any], done: Done, kind: Literal["read", "write"] = "read"
    ) -> None: ...


class SimulatedThreads(StoreThreads):
    """The threads in which a simulated process reads its store; they are never full."""

    def __init__(self, process: Threaded) -> None:
        super().__init__("simulated")
        self._process = process

    @property
    def full(self) -> bool:
        return False

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self._process.in_thread(partial(fn, *args, **kwargs), partial(_finish, future))
        return future


def _finish(future: Future[Any], result: Any, error: BaseException | None) -> None:
    if not future.set_running_or_notify_cancel():
        return
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(error)


class _Transaction:
    """One call of the writer; it happens once."""

    def __init__(self, commit: Callable[[], None], done: asyncio.Future[None]) -> None:
        self._commit = commit
        self._begun = False
        self.done = done

    def run(self) -> None:
        if not self._begun:
            self._begun = True
            self._commit()

    def finish(self, _: Any, error: BaseException | None) -> None:
        if self.done.done():
            return
        if error is None:
            self.done.set_result(None)
        else:
            self.done.set_exception(error)


class SimulatedWriter(Writer):
    """The writer of a simulated process: one transaction after another."""

    def __init__(self, process: Threaded) -> None:
        super().__init__()
        self._process = process
        self._waiting: deque[_Transaction] = deque()
        self._under_way: _Transaction | None = None

    def submit(self, commit: Callable[[], None]) -> asyncio.Future[None]:
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Transaction(commit, done))
        if self._under_way is None:
            self._begin_next()
        return done

    def close(self) -> None:
        """Commits everything submitted at once."""
        if self._under_way is not None:
            self._under_way.run()
        while self._waiting:
            self._waiting.popleft().run()

    def _begin_next(self) -> None:
        self._under_way = self._waiting.popleft() if self._waiting else None
        if self._under_way is not None:
            one = self._under_way
            self._process.in_thread(partial(self._commit, one), one.finish, "write")

    def _commit(self, one: _Transaction) -> None:
        try:
            one.run()
        finally:
            self._begin_next()
