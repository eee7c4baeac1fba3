"""The web server: one process, one event loop."""

import gc
import logging
import sys
from types import FrameType

import structlog
import uvicorn
from litestar import Litestar

from service.arbiter import Arbiter

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


def make_server(app: Litestar, arbiter: Arbiter, host: str, port: int) -> Server:
    """A server for the application. Nothing of a request or its answer is logged."""
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        http="httptools",
        loop="uvloop",
        ws="none",
        lifespan="on",
        access_log=False,
        log_level="warning",
        server_header=False,
        timeout_graceful_shutdown=PATIENCE,
        backlog=2048,
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
