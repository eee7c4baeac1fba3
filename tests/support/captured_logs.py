"""The service's logs, parsed as an operator's log collector would parse them."""

from collections.abc import Iterator
from io import StringIO

import pytest
import structlog

from service.observability.logs import configure_logs


@pytest.fixture
def logged(monkeypatch: pytest.MonkeyPatch) -> Iterator[StringIO]:
    """The service's logs, as JSON."""
    # The service's own logger stays as it was first used, which another test may have done.
    monkeypatch.setattr("service.observability.logs._log", structlog.get_logger())
    lines = StringIO()
    configure_logs("json")
    structlog.configure(
        logger_factory=structlog.PrintLoggerFactory(lines), cache_logger_on_first_use=False
    )
    yield lines
    structlog.reset_defaults()
