"""A copy of a store with a history, to be damaged."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.checking import pool
from tests.support.cli.store_with_history import Happened
from tests.support.in_this_process import InThisProcess


@pytest.fixture
def folder(played: tuple[Path, Happened], tmp_path: Path) -> Path:
    shutil.copytree(played[0], tmp_path / "store")
    return tmp_path / "store"


@pytest.fixture
def happened(played: tuple[Path, Happened]) -> Happened:
    return played[1]


@pytest.fixture
def judged_here(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A store is judged without other processes, which take long to start."""
    monkeypatch.setattr(pool, "ProcessPoolExecutor", InThisProcess)
    yield
    pool._open.close()
