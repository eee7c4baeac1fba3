"""The web server: one process, one event loop."""

import gc
import logging
import socket
import sys
from types import FrameType

import structlog
import uvicorn
from litestar import Litestar

from service.arbiter import Arbiter

BACKLOG = 2048

PATIENCE = 8
"""How many seconds requests under way are given when the service stops."""


class Server(uvicorn.Server):
    """Tells open streams to end before it waits for connections to close."""

    def __init__(self, config: uvicorn.Config, arbiter: Arbiter) -> None:
        super().__init__(config)
        self._arbiter = arbiter

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._arbiter.stop_streams()
        super().handle_exit(sig, frame)


def bind(host: str, port: int) -> socket.socket:
    """A socket at the address; port 0 takes a free one. Raises OSError with the reason."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        raise OSError(f"cannot listen on {host}:{port}: {error.strerror}") from error


def make_server(app: Litestar, arbiter: Arbiter) -> Server:
    """A server for the application. Nothing of a request or its answer is logged."""
    config = uvicorn.Config(
        app,
        http="httptools",
        loop="none",
        ws="none",
        lifespan="on",
        access_log=False,
        log_level="warning",
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=PATIENCE,
        backlog=BACKLOG,
    )
    # What is alive by now lives for ever; collecting it again and again costs the slowest answers.
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    return Server(config, arbiter)


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
