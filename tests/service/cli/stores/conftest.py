"""A backup of a store with a history."""

import shutil
from pathlib import Path

import pytest

from tests.support.cli.store_with_history import Happened, run


@pytest.fixture(scope="session")
def intact_backup(played: tuple[Path, Happened], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A backup of the store. Making one takes a second."""
    made = tmp_path_factory.mktemp("backed-up") / "backup"
    done = run("backup", made, "--data", played[0])
    assert done.exit_code == 0, done.output
    return made


@pytest.fixture
def backup(intact_backup: Path, tmp_path: Path) -> Path:
    """A copy of the backup, to be changed."""
    shutil.copy(intact_backup, tmp_path / "backup")
    return tmp_path / "backup"
