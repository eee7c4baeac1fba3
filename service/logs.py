"""Logs: what the operator is told. No body, key, seed or content of a match is ever in them."""

import logging
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import structlog

_log = structlog.get_logger()

OUTSIDE = frozenset({"eventsourcing", "psycopg", "psycopg_pool", "redis", "sqlite3"})
"""Libraries whose errors speak of disks, databases and networks. What any other error says may hold
what it stumbled over, of a match or of a request: only its kind and place are told."""


class Plain(Exception):
    """An error of the service whose words are for the operator, and hold nothing of a match."""


def failed(event: str, error: BaseException, **fields: Any) -> None:
    """Tells the operator of an error: of what kind it is, where, and why.

    If standard error cannot be written to, nobody is left to be told: the service goes on.
    """
    with suppress(OSError, ValueError):
        _log.error(event, exception="\n".join(_chain(error)), **fields)


def told(event: str, **fields: Any) -> None:
    """Tells the operator of something that is as it should be."""
    with suppress(OSError, ValueError):
        _log.info(event, **fields)


def _chain(error: BaseException) -> Iterator[str]:
    """An error with those that led to it, each by its place in the code, its kind, and its reason
    if that comes from outside."""
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if before is not None:
        yield from _chain(before)
    if isinstance(error, BaseExceptionGroup):
        for each in error.exceptions:
            yield from _chain(each)
    yield "".join(traceback.format_tb(error.__traceback__)).rstrip("\n")
    named = type(error).__qualname__
    if isinstance(error, OSError | Plain) or any(
        kind.__module__.partition(".")[0] in OUTSIDE for kind in type(error).__mro__
    ):
        # Only the first line: in those that follow a database repeats the row it was given.
        named += ": " + str(error).partition("\n")[0]
    yield named


class _Libraries(logging.Handler):
    """What libraries log, in the same form and with the same care."""

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        if error is not None:
            failed("library_failed", error, library=record.name)
        else:
            with suppress(OSError, ValueError):
                _log.warning("library_warned", library=record.name, said=record.getMessage())


def configure_logs(log_format: str, failed: Callable[[str], None] | None = None) -> None:
    """Logs to standard error, as lines for people or as JSON. `failed` is told the name of every
    error that is logged."""
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer()
        if log_format == "json"
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    root = logging.getLogger()
    root.handlers = [each for each in root.handlers if not isinstance(each, _Libraries)]
    root.addHandler(_Libraries(logging.WARNING))
    structlog.configure(
        processors=[
            *([] if failed is None else [_counting(failed)]),
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )


def _counting(failed: Callable[[str], None]) -> structlog.typing.Processor:
    def counting(
        _: Any, level: str, entry: structlog.typing.EventDict
    ) -> structlog.typing.EventDict:
        if level == "error":
            failed(entry["event"])
        return entry

    return counting
