"""A copy of a store with a history, to be damaged."""

import shutil
from pathlib import Path

import pytest

from tests.support.cli.store_with_history import Happened


@pytest.fixture
def folder(played: tuple[Path, Happened], tmp_path: Path) -> Path:
    shutil.copytree(played[0], tmp_path / "store")
    return tmp_path / "store"


@pytest.fixture
def happened(played: tuple[Path, Happened]) -> Happened:
    return played[1]
