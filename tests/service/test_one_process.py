"""One process writes to an embedded store; whoever comes second is told."""

import subprocess
import sys
from pathlib import Path

import pytest

from service.cli.options import alone
from tests.service.instance import PATIENCE, settings

ARBITER = Path(sys.executable).parent / "arbiter"


def run(*arguments: str, data: Path) -> "subprocess.CompletedProcess[str]":
    """The command in a process of its own."""
    return subprocess.run(
        [ARBITER, *arguments, "--data", data],
        capture_output=True,
        text=True,
        timeout=6 * PATIENCE,
        check=False,
    )


@pytest.mark.parametrize("command", [("serve", "--port", "0"), ("demo",)])
def test_a_second_process_is_told_that_the_store_is_served(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    with alone(settings(tmp_path / "arbiter.db")):
        told = run(*command, data=tmp_path)
    assert told.returncode == 1
    assert "another process serves" in told.stderr


def test_the_demo_plays_every_game_and_keys_are_issued_beside_a_service(tmp_path: Path) -> None:
    played = run("demo", "--matches", "1", data=tmp_path)
    assert played.returncode == 0, played.stderr
    for game in ("dollar-prize", "twelve-chips", "grouping-bw", "together"):
        assert game in played.stdout
    with alone(settings(tmp_path / "arbiter.db")):
        issued = run("keys", "new", data=tmp_path)
    assert (issued.returncode, issued.stdout[:8]) == (0, "arb_org_")


def test_the_store_is_free_again_afterwards(tmp_path: Path) -> None:
    for _ in range(2):
        with alone(settings(tmp_path / "arbiter.db")):
            pass
