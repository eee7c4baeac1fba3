"""Outages of a store: what has failed of it, and has not been found to work since. In the log an
outage is a line when it begins and a line when it is over, however many requests, streams and tasks
meet it."""

import threading
import time
from collections.abc import Callable
from contextvars import ContextVar

from msgspec import Struct

from service.observability.store_faults import Fault

QUIET_SECONDS = 3.0
"""An outage is over when the store works and nothing has failed for so long. A store that comes and
goes is one outage."""


class Outage(Struct):
    """A fault that has shown since `began`, in monotonic seconds. `works_since` is when the store
    was first found to work after the latest failure."""

    began: float
    latest: float
    failures: int = 1
    works_since: float | None = None


class EndedOutage(Struct, frozen=True):
    """An outage that is over: its length in seconds, and how many failures it caused."""

    fault: Fault
    seconds: float
    failures: int


class Outages:
    """The outages of one store, one for each kind of fault. Any thread may call its methods.

    Nothing is counted before its `start`. `now` returns monotonic seconds.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._open: dict[Fault, Outage] = {}
        self._report: Callable[[], None] | None = None

    def start(self, report: Callable[[], None] | None) -> None:
        """From now on failures are counted, and `report` is called at each; with None no more."""
        with self._lock:
            self._open.clear()
            self._report = report

    def failed(self, fault: Fault) -> bool:
        """Counts a failure. Returns whether it is to be logged: it is the first of its outage, or
        nothing is counted."""
        with self._lock:
            report = self._report
            if report is None:
                return True
            now, outage = self._now(), self._open.get(fault)
            if outage is None:
                self._open[fault] = Outage(now, now)
            else:
                outage.latest, outage.works_since = now, None
                outage.failures += 1
        report()
        return outage is None

    def works(self) -> list[EndedOutage]:
        """The store has been found to work. Returns the outages that are over by now; damaged
        bytes stay damaged."""
        ended = []
        with self._lock:
            now = self._now()
            for fault, outage in list(self._open.items()):
                if fault == "corrupt":
                    continue
                if outage.works_since is None:
                    outage.works_since = now
                if now - outage.latest >= QUIET_SECONDS:
                    del self._open[fault]
                    seconds = outage.works_since - outage.began
                    ended.append(EndedOutage(fault, round(seconds, 3), outage.failures))
        return ended

    def mended(self, failures: int) -> None:
        """No bytes are damaged any more, if no more failures have been due to them than these."""
        with self._lock:
            outage = self._open.get("corrupt")
            if outage is not None and outage.failures == failures:
                outage.works_since = self._now()

    @property
    def active(self) -> bool:
        """Whether failures are counted."""
        return self._report is not None

    @property
    def failing(self) -> dict[Fault, int]:
        """The faults that have shown since the store was last found to work, and how often each has
        in its outage."""
        with self._lock:
            found = self._open.items()
            return {fault: one.failures for fault, one in found if one.works_since is None}

    @property
    def folding(self) -> bool:
        """Whether an outage is not over yet that can be over some day."""
        return any(fault != "corrupt" for fault in list(self._open))


_only = Outages()

current_outages: ContextVar[Outages] = ContextVar("outages", default=_only)
"""The outages of this process; each simulated process has its own."""
