"""One process writes to an embedded store; a second one stops with an error."""

import subprocess
import sys
from pathlib import Path

import pytest

from domain.games import GAMES
from service.cli.options import store_lock
from tests.support.instance.service_instance import PATIENCE, settings

ARBITER = Path(sys.executable).parent / "arbiter"


def run(*arguments: str, data: Path) -> "subprocess.CompletedProcess[str]":
    """Runs a command in a process of its own."""
    return subprocess.run(
        [ARBITER, *arguments, "--data", data],
        capture_output=True,
        text=True,
        timeout=6 * PATIENCE,
        check=False,
    )


@pytest.mark.parametrize("command", [("serve", "--port", "0"), ("demo",)])
def test_a_second_process_reports_that_the_store_is_in_use(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    with store_lock(settings(tmp_path / "arbiter.db")):
        result = run(*command, data=tmp_path)
    assert result.returncode == 1
    assert "another process serves" in result.stderr


def test_the_demo_plays_every_game_and_keys_are_issued_beside_a_service(tmp_path: Path) -> None:
    played = run("demo", "--matches", "1", data=tmp_path)
    assert played.returncode == 0, played.stderr
    for game in GAMES:
        assert game in played.stdout
    with store_lock(settings(tmp_path / "arbiter.db")):
        issued = run("keys", "new", data=tmp_path)
    assert (issued.returncode, issued.stdout[:8]) == (0, "arb_org_")


def test_the_store_is_free_again_afterwards(tmp_path: Path) -> None:
    for _ in range(2):
        with store_lock(settings(tmp_path / "arbiter.db")):
            pass
