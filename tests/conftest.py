"""What holds for every test, so that they can run beside one another in several processes."""

import logging
import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

# How long an example takes beside others says nothing of the code.
settings.register_profile(
    "beside others", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("beside others")

if every := os.environ.get("ARBITER_TEST_SNAPSHOTS"):
    # Loaded only here: most tests need no service.
    from tests.support.frequent_snapshots import left_out, often

    often(int(every))

    def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
        left_out(items)


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Bytes may be drawn by luck, and a test must have the same name in every process."""
    return argname if isinstance(val, bytes) else None


@pytest.fixture(autouse=True)
def _logs_of_its_own() -> Iterator[None]:
    """Whatever a test lets libraries log to, they say nothing there while the next one runs."""
    root = logging.getLogger()
    before = root.handlers[:]
    yield
    root.handlers[:] = before
