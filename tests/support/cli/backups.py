"""A store with a history and a backup of it, as fixtures, and how it is damaged."""

import asyncio
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.cli.store_with_history import (
    Happened,
    happen,
    run,
)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Happened]:
    folder = tmp_path_factory.mktemp("played") / "store"
    folder.mkdir()
    return folder, asyncio.run(happen(folder))


@pytest.fixture(scope="module")
def intact_backup(played: tuple[Path, Happened], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A backup of the store. Making one takes processes that judge the store, and a second."""
    made = tmp_path_factory.mktemp("backed-up") / "backup"
    done = run("backup", made, "--data", played[0])
    assert done.exit_code == 0, done.output
    return made


@pytest.fixture
def backup(intact_backup: Path, tmp_path: Path) -> Path:
    """A copy of the backup, to be changed."""
    shutil.copy(intact_backup, tmp_path / "backup")
    return tmp_path / "backup"


def sql(statement: str) -> Callable[[Path], None]:
    def change(backup: Path) -> None:
        with closing(sqlite3.connect(backup)) as database, database:
            database.execute(statement)

    return change
