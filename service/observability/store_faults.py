"""Why a store fails, and since when.

The errors of databases are told apart by what helps against them. An outage is what has failed, and
has not been found to work since. In the log it is a line when it begins and a line when it is over,
however many requests, streams and tasks meet it.
"""

import errno
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Literal, get_args

from msgspec import Struct

Fault = Literal["down", "io_error", "full", "read_only", "corrupt"]
"""What is wrong with a store, the worst last. It may come back by itself only from `down`; against
the others an operator must act."""

SEVERITY: tuple[Fault, ...] = get_args(Fault)

UNWRITABLE: frozenset[Fault] = frozenset({"full", "read_only", "io_error", "corrupt"})
"""Faults of a store that may still be read, and takes no events. SQLite says `FULL` of a full disk
alone: a quota, or a limit of the size of files, is an `io_error`."""

_OF_SQLITE: dict[int, Fault] = {
    sqlite3.SQLITE_CORRUPT: "corrupt",
    sqlite3.SQLITE_NOTADB: "corrupt",
    sqlite3.SQLITE_FULL: "full",
    sqlite3.SQLITE_READONLY: "read_only",
    sqlite3.SQLITE_IOERR: "io_error",
}
"""By the primary result code (https://sqlite.org/rescode.html), the lowest byte of an extended
one."""


_OF_POSTGRES: dict[str, Fault] = {
    "53100": "full",
    "58030": "io_error",
    "25006": "read_only",
    "42501": "read_only",
    "XX001": "corrupt",
    "XX002": "corrupt",
}
"""By SQLSTATE (https://www.postgresql.org/docs/current/errcodes-appendix.html)."""

_OF_SYSTEM: dict[int, Fault] = {
    errno.ENOSPC: "full",
    errno.EDQUOT: "full",
    errno.EROFS: "read_only",
    errno.EIO: "io_error",
}

_DATABASES = frozenset({"eventsourcing", "psycopg", "psycopg_pool", "sqlite3"})

_ANSWERS = frozenset({"IntegrityError", "ProgrammingError", "DataError", "NotSupportedError"})
"""Errors with which a store that works answers."""


def fault_of(error: BaseException) -> Fault | None:
    """What is wrong with the store according to an error or one of its causes; None if the error
    says nothing of the kind. An error class of ours may say so itself: `store_fault` names the
    fault, `store_works` is true for an error of the library's that is none."""
    faults = {fault for cause in _causes(error) if (fault := _own_fault(cause)) is not None}
    return worst(faults)


def worst(faults: set[Fault]) -> Fault | None:
    """The one that stands in the way of most; None of none."""
    return max(faults, key=SEVERITY.index, default=None)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error and what it was raised from; not what was merely being handled, next to which it
    may be a bug of its own."""
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__


def _own_fault(error: BaseException) -> Fault | None:
    declared_fault: Fault | None = getattr(error, "store_fault", None)
    if declared_fault is not None:
        return declared_fault
    code = getattr(error, "sqlite_errorcode", None)
    if code is not None and (fault := _OF_SQLITE.get(code & 0xFF)) is not None:
        return fault
    if (fault := _OF_POSTGRES.get(getattr(error, "sqlstate", None) or "")) is not None:
        return fault
    if isinstance(error, OSError) and (fault := _OF_SYSTEM.get(error.errno or 0)) is not None:
        return fault
    kinds = type(error).__mro__
    if any(kind.__name__ in _ANSWERS for kind in kinds):
        return None
    outside = any(kind.__module__.partition(".")[0] in _DATABASES for kind in kinds)
    return "down" if outside and not getattr(error, "store_works", False) else None


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
            outages = self._open.items()
            return {
                fault: outage.failures for fault, outage in outages if outage.works_since is None
            }

    @property
    def folding(self) -> bool:
        """Whether an outage is not over yet that can be over some day."""
        return any(fault != "corrupt" for fault in list(self._open))


_only = Outages()

current_outages: ContextVar[Outages] = ContextVar("outages", default=_only)
"""The outages of this process; each simulated process has its own."""
