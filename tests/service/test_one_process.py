"""One process writes to an embedded store; whoever comes second is told."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from service.cli import main
from service.cli.options import alone
from tests.service.instance import settings


@pytest.mark.parametrize("command", ["serve", "demo"])
def test_a_second_process_is_told_that_the_store_is_served(tmp_path: Path, command: str) -> None:
    with alone(settings(tmp_path / "arbiter.db")):
        told = CliRunner().invoke(main, [command, "--data", str(tmp_path)])
    assert told.exit_code == 1
    assert "another process serves" in told.output


def test_keys_are_issued_beside_a_service(tmp_path: Path) -> None:
    played = CliRunner().invoke(main, ["demo", "--matches", "1", "--data", str(tmp_path)])
    assert played.exit_code == 0, played.output
    with alone(settings(tmp_path / "arbiter.db")):
        issued = CliRunner().invoke(main, ["keys", "new", "--data", str(tmp_path)])
    assert (issued.exit_code, issued.output[:8]) == (0, "arb_org_")


def test_the_store_is_free_again_afterwards(tmp_path: Path) -> None:
    for _ in range(2):
        with alone(settings(tmp_path / "arbiter.db")):
            pass
