"""The service's logs, parsed as an operator's log collector would parse them."""

from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO

import pytest
import structlog

from service.observability.logs import configure_logs


@contextmanager
def logs_in(form: str) -> Iterator[StringIO]:
    """The service's logs, in one of their forms."""
    lines = StringIO()
    with pytest.MonkeyPatch.context() as patch:
        # The service's own logger stays as it was first used, which another test may have done.
        patch.setattr("service.observability.logs._log", structlog.get_logger())
        configure_logs(form)
        structlog.configure(
            logger_factory=structlog.PrintLoggerFactory(lines), cache_logger_on_first_use=False
        )
        yield lines
        structlog.reset_defaults()


@pytest.fixture
def logged() -> Iterator[StringIO]:
    with logs_in("json") as lines:
        yield lines
