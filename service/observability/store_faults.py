"""Why a store fails: the errors of databases, told apart by what helps against them."""

import errno
import sqlite3
from collections.abc import Iterator
from typing import Literal, get_args

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
    found = {fault for each in _causes(error) if (fault := _own_fault(each)) is not None}
    return worst(found)


def worst(faults: set[Fault]) -> Fault | None:
    """The one that stands in the way of most; None of none."""
    return max(faults, key=SEVERITY.index, default=None)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error and what it was raised from; not what was merely being handled, next to which it
    may be a bug of its own."""
    seen: BaseException | None = error
    while seen is not None:
        yield seen
        seen = seen.__cause__


def _own_fault(error: BaseException) -> Fault | None:
    said: Fault | None = getattr(error, "store_fault", None)
    if said is not None:
        return said
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
