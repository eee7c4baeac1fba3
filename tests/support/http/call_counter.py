"""Counts the work of a service without a clock: the calls that its threads make."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

SIGNED = "sign"
SIGNATURE = 500
"""A signature takes as long as so many calls, within one."""


class CallCounter:
    """The calls of all threads that were started while it counted them; `take` begins anew."""

    def __init__(self) -> None:
        self._calls = 0

    def take(self) -> int:
        """The calls since this was last asked."""
        calls, self._calls = self._calls, 0
        return calls

    def add(self, _frame: FrameType, event: str, function: Any) -> None:
        """What a thread reports: see `threading.setprofile`."""
        if event == "call":
            self._calls += 1
        elif event == "c_call":
            self._calls += SIGNATURE if function.__name__ == SIGNED else 1


@contextmanager
def counted_calls() -> Iterator[CallCounter]:
    """Threads that are started within it are counted for as long as they run."""
    counter = CallCounter()
    before = threading.getprofile()
    threading.setprofile(counter.add)
    try:
        yield counter
    finally:
        threading.setprofile(before)
