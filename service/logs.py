"""Logs: what the operator is told. No body, key, seed or content of a match is ever in them."""

import logging
import sys
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


def configure_logs(log_format: str) -> None:
    """Logs to standard error, as lines for people or as JSON."""
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer()
        if log_format == "json"
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
