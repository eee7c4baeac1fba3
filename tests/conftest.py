"""Settings for every test, so that tests can run in several processes at once."""

import gc
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.support.effort import times

# How long an example takes next to others says nothing about the code.
settings.register_profile(
    "beside others", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("beside others")

FAULTS = Path(__file__).with_name("faults")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest tests first, so that short ones are left when processes share out the rest. What
    has a longer form is marked so."""
    items.sort(key=lambda item: FAULTS not in item.path.parents)
    for item in items:
        if isinstance(item, pytest.Function) and getattr(item.module, "times", None) is times:
            item.add_marker("longer")
        for mark in item.iter_markers("slow"):
            assert mark.kwargs["because"], item.nodeid


def pytest_collection_finish() -> None:
    """What is there now stays: it is not collected again and again. As a server does it."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Bytes may be random, and a test must have the same name in every process."""
    return argname if isinstance(val, bytes) else None


@pytest.fixture(autouse=True)
def _logs_of_its_own() -> Iterator[None]:
    """Handlers that a test adds to a library's logger are removed before the next test."""
    root = logging.getLogger()
    before = root.handlers[:]
    yield
    root.handlers[:] = before
