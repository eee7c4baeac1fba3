"""Logs: what the operator is told. No body, key, seed or content of a match is ever in them."""

import logging
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import structlog

_log = structlog.get_logger()


def failed(event: str, error: BaseException, **fields: Any) -> None:
    """Tells the operator of an error.

    If standard error cannot be written to, nobody is left to be told: the service goes on.
    """
    with suppress(OSError, ValueError):
        _log.error(event, exc_info=error, **fields)


def configure_logs(log_format: str, failed: Callable[[str], None] | None = None) -> None:
    """Logs to standard error, as lines for people or as JSON. `failed` is told the name of every
    error that is logged."""
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer()
        if log_format == "json"
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    structlog.configure(
        processors=[
            *([] if failed is None else [_counting(failed)]),
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
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
