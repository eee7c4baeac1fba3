"""Logs for the operator. They never contain a body, key, seed or content of a match."""

import logging
import math
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import structlog

from service.observability.store_faults import Fault, current_outages, fault_of

_log = structlog.get_logger()

OUTSIDE = frozenset({"eventsourcing", "psycopg", "psycopg_pool", "redis", "sqlite3"})
"""Libraries whose error messages are about disks, databases and networks, and are logged. Any other
message may quote a match or a request, so only the error's type and place are logged."""


WARNING_SECONDS = 1.0
MOST_WARNINGS = 1_000
"""How many different warnings are counted; beyond it counting begins anew."""


class OperatorError(Exception):
    """An error whose message is for the operator and contains nothing of a match."""


class StoreWarned(OperatorError):
    """What the driver of a database said of its own accord."""

    store_fault: Fault = "down"


def failure(event: str, error: BaseException, **fields: Any) -> None:
    """Logs an error: its type, place and reason. Of an outage of the store only the first is
    logged, without its place, which lies in the driver.

    If standard error cannot be written to, the error is dropped and the service goes on.
    """
    outages, fault = current_outages.get(), fault_of(error)
    with suppress(OSError, ValueError):
        if fault is None or not outages.active:
            _log.error(event, exception="\n".join(_chain(error)), **fields)
        elif outages.failed(fault):
            text = "\n".join(_chain(error, places=False))
            _log.error(event, exception=text, outage=fault, **fields)
        else:
            _log.error(event, folded=True)


def info(event: str, **fields: Any) -> None:
    """Logs something expected."""
    with suppress(OSError, ValueError):
        _log.info(event, **fields)


def _chain(error: BaseException, *, places: bool = True) -> Iterator[str]:
    """An error and its causes, each with its place in the code, its type, and its message if that
    is safe to log."""
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if before is not None:
        yield from _chain(before, places=places)
    if isinstance(error, BaseExceptionGroup):
        for part in error.exceptions:
            yield from _chain(part, places=places)
    if places:
        yield "".join(traceback.format_tb(error.__traceback__)).rstrip("\n")
    text = type(error).__qualname__
    if isinstance(error, OSError | OperatorError) or any(
        kind.__module__.partition(".")[0] in OUTSIDE for kind in type(error).__mro__
    ):
        # Only the first line: in later lines a database repeats the row it was given.
        text += ": " + str(error).partition("\n")[0]
    yield text


class LibraryHandler(logging.Handler):
    """Logs what libraries log, in the same form and with the same rules for errors.

    A warning is logged at most once in `WARNING_SECONDS`, with the number of times it came since
    it was last logged: someone outside may cause some as often as they like. `now` returns
    seconds and must be monotonic.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__(logging.WARNING)
        self._now = now
        self._warnings: dict[tuple[str, str], tuple[float, int]] = {}

    def emit(self, record: logging.LogRecord) -> None:
        """Logs a record of a library."""
        error = record.exc_info[1] if record.exc_info else None
        if error is not None:
            failure("library_failed", error, library=record.name)
        elif record.name.partition(".")[0] == "psycopg":
            # The pool warns of every attempt to connect, as long as the server is away.
            failure("library_warned", StoreWarned(record.getMessage()), library=record.name)
        elif times := self._times((record.name, str(record.msg))):
            more = {} if times == 1 else {"times": times}
            with suppress(OSError, ValueError):
                _log.warning(
                    "library_warned", library=record.name, said=record.getMessage(), **more
                )

    def _times(self, warning: tuple[str, str]) -> int:
        """How often the warning came since it was last logged; 0 if that was just now."""
        now = self._now()
        logged, missed = self._warnings.get(warning, (-math.inf, 0))
        if now < logged + WARNING_SECONDS:
            self._warnings[warning] = logged, missed + 1
            return 0
        if len(self._warnings) >= MOST_WARNINGS:
            self._warnings.clear()
        self._warnings[warning] = now, 0
        return missed + 1


def configure_logs(log_format: str, on_error: Callable[[str], None] | None = None) -> None:
    """Logs to standard error, as lines for people or as JSON. `on_error` is called with the event
    name of every error logged."""
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer()
        if log_format == "json"
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    root = logging.getLogger()
    root.handlers = [
        handler for handler in root.handlers if not isinstance(handler, LibraryHandler)
    ]
    root.addHandler(LibraryHandler())
    structlog.configure(
        processors=[
            _counting(on_error),
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )


def _counting(on_error: Callable[[str], None] | None) -> structlog.typing.Processor:
    """Counts every error, and drops those that belong to an outage that was logged."""

    def counting(
        _: Any, level: str, entry: structlog.typing.EventDict
    ) -> structlog.typing.EventDict:
        if level == "error" and on_error is not None:
            on_error(entry["event"])
        if entry.pop("folded", False):
            raise structlog.DropEvent
        return entry

    return counting
