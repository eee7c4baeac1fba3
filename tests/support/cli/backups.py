"""A store with a history and a backup of it, as fixtures, and how it is damaged."""

import asyncio
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


@pytest.fixture
def backup(played: tuple[Path, Happened], tmp_path: Path) -> Path:
    """A backup of the store, to be changed."""
    done = run("backup", tmp_path / "backup", "--data", played[0])
    assert done.exit_code == 0, done.output
    return tmp_path / "backup"


def sql(statement: str) -> Callable[[Path], None]:
    def change(backup: Path) -> None:
        with closing(sqlite3.connect(backup)) as database, database:
            database.execute(statement)

    return change
