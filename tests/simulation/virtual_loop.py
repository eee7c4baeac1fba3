"""An event loop whose time is virtual: it never waits, and nothing outside it decides an order.

Callbacks run in the order in which they were asked for, as asyncio promises. What may come in any
order in reality (threads, network) comes after delays that a seed decides.
"""

import asyncio
import contextvars
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor
from math import ceil
from typing import Any, Protocol

TURN_MICROSECONDS = 5
"""Virtual time that one turn of the loop takes."""

MOST_TURNS = 20_000_000
"""Turns after which a simulation counts as running forever."""


class Process(Protocol):
    """What the loop needs of a simulated process. `suspended` has the callbacks that came while it
    was frozen."""

    frozen: bool
    suspended: list[asyncio.Handle]

    def in_thread(
        self, call: Callable[[], Any], done: Callable[[Any, BaseException | None], None]
    ) -> None:
        """Calls a blocking function as a thread would, then `done` with its result or error."""

    def adopt(self, task: "asyncio.Task[Any]") -> None:
        """Notes a task that dies with the process."""


PROCESS: contextvars.ContextVar[Process | None] = contextvars.ContextVar("process", default=None)
"""The simulated process to which the code that runs belongs; None for what is outside all."""


class NothingLeft(Exception):
    """Everything waits, and nothing will ever happen."""


class EndlessTurns(Exception):
    """The simulation does not come to an end."""


class _Ready(deque[asyncio.Handle]):
    """The callbacks to run next, without those of frozen processes."""

    def __init__(self) -> None:
        super().__init__()
        self.frozen = 0

    def append(self, handle: asyncio.Handle) -> None:
        if self.frozen:
            process = handle._context.get(PROCESS)  # type: ignore[attr-defined]
            if process is not None and process.frozen:
                process.suspended.append(handle)
                return
        super().append(handle)


class _Selector:
    """Stands in for the wait for input: no input comes, and time passes at once."""

    def __init__(self, loop: "VirtualLoop") -> None:
        self._loop = loop

    def select(self, timeout: float | None) -> tuple[()]:
        if timeout is None:
            raise NothingLeft
        self._loop.pass_time(max(TURN_MICROSECONDS, ceil(timeout * 1e6)))
        return ()


class VirtualLoop(asyncio.BaseEventLoop):
    """The event loop of a simulation; `micros` is its time in microseconds. `errors` are those of
    callbacks, which no one else hears of."""

    def __init__(self) -> None:
        super().__init__()
        self.micros = 0
        self.turns = 0
        self._ready = _Ready()
        self._selector = _Selector(self)
        self._clock_resolution = 1e-6
        self.errors: list[str] = []
        self.set_task_factory(_task)
        self.set_exception_handler(_note_error)

    def time(self) -> float:
        return self.micros / 1e6

    def pass_time(self, microseconds: int) -> None:
        """Passes time, and counts a turn."""
        self.micros += microseconds
        self.turns += 1
        if self.turns > MOST_TURNS:
            raise EndlessTurns

    def freeze(self, process: Process) -> None:
        """Holds back all callbacks of a process, which does not notice."""
        if not process.frozen:
            process.frozen = True
            self._ready.frozen += 1

    def thaw(self, process: Process) -> None:
        """Lets a process go on."""
        if process.frozen:
            process.frozen = False
            self._ready.frozen -= 1
            for handle in process.suspended:
                self._ready.append(handle)
            process.suspended.clear()

    def run_in_executor(  # type: ignore[override]
        self, executor: Executor | None, func: Callable[..., Any], *args: Any
    ) -> "asyncio.Future[Any]":
        process = PROCESS.get()
        assert process is not None, "only processes have threads"
        future: asyncio.Future[Any] = self.create_future()
        process.in_thread(lambda: func(*args), lambda *came: _settle(future, *came))
        return future

    def _process_events(self, event_list: object) -> None:
        """There is no input."""

    def _write_to_self(self) -> None:
        """Nothing sleeps that would have to be woken."""


def _settle(future: "asyncio.Future[Any]", result: Any, error: BaseException | None) -> None:
    if future.done():
        return
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(error)


def _task(
    loop: asyncio.AbstractEventLoop, coro: Any, context: contextvars.Context | None = None
) -> "asyncio.Task[Any]":
    """A task, which belongs to the process in whose context it is made."""
    task: asyncio.Task[Any] = asyncio.Task(coro, loop=loop, context=context)
    process = PROCESS.get() if context is None else context.get(PROCESS)
    if process is not None:
        process.adopt(task)
    return task


def _note_error(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Notes the error of a callback. That of a task which no one awaited is noticed only when the
    task leaves memory, at no definite time, and is for the operator's log."""
    assert isinstance(loop, VirtualLoop)
    if "future" not in context and "task" not in context:
        loop.errors.append(f"{context['message']}: {context.get('exception')!r}")
