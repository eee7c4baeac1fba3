"""A store with a history to be damaged, as fixtures, and what `arbiter check` finds in it."""

import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.support.cli.backups import played
from tests.support.cli.store_with_history import Happened, run

__all__ = ["played"]

Found = list[tuple[str, str | None, int | None]]
"""The part, the stream and the position of each finding."""


@pytest.fixture
def folder(played: tuple[Path, Happened], tmp_path: Path) -> Path:
    """A copy of it, to be damaged."""
    shutil.copytree(played[0], tmp_path / "store")
    return tmp_path / "store"


@pytest.fixture
def happened(played: tuple[Path, Happened]) -> Happened:
    return played[1]


@pytest.fixture
def database(folder: Path) -> Path:
    return folder / "arbiter.db"


def report(folder: Path, *arguments: object) -> tuple[int, dict[str, Any]]:
    """The exit status, and the report."""
    done = run("check", "--json", "--jobs", 1, "--data", folder, *arguments)
    assert done.output.startswith("{"), done.output
    return done.exit_code, msgspec.json.decode(done.output)


def findings(folder: Path, *arguments: object) -> Found:
    """What is found, which is something."""
    status, found = report(folder, *arguments)
    assert (status, found["status"]) == (1, "damaged")
    assert all(one["advice"] for one in found["findings"])
    return [(one["part"], one.get("stream"), one.get("position")) for one in found["findings"]]
