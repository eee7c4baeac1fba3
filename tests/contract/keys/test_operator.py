"""What the operator does next to a running service: `arbiter keys`, and `arbiter replay` of a match
in the store."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from service.cli import main
from tests.support.http.match_play import assert_problem
from tests.support.http.ruling_client import successor
from tests.support.servers.instance_settings import environment_of
from tests.support.servers.live_server import Live, serving


@pytest.fixture(scope="module")
def operated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Live, Path]]:
    """A server with its folder."""
    folder = tmp_path_factory.mktemp("operated")
    with serving(folder) as live:
        yield live, folder


def operate(data: Path, *arguments: str) -> str:
    """Runs a command on the store of the server, in its folder, and returns what it printed by
    itself; the rest goes to this process."""
    done = CliRunner(env=environment_of(data)).invoke(main, [*arguments, "--data", str(data)])
    assert done.exit_code == 0, done.output
    return done.output


def test_an_organisers_key_is_issued_listed_and_revoked(
    operated: tuple[Live, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    live, data = operated

    def said(*arguments: str) -> str:
        return operate(data, "keys", *arguments) + capsys.readouterr().out

    organiser = live.bearing(said("new", "--name", "Olga").split()[0])
    assert organiser.get("/v1/webhooks").status_code == 200
    (row,) = (line for line in said("list").splitlines() if line.rstrip().endswith("Olga"))
    said("revoke", row.split()[0])
    live.instance.keyring.refresh()
    assert_problem(organiser.get("/v1/webhooks"), 401, "key_unknown")
    unknown = ["keys", "revoke", row.split()[0], "--data", str(data)]
    assert CliRunner(env=environment_of(data)).invoke(main, unknown).exit_code == 1


def test_replay_shows_the_match_as_the_successor_reads_it(
    operated: tuple[Live, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    live, data = operated
    match = live.started("dollar-prize")
    successor(live, match)
    shown = operate(data, "replay", match.id, "--as", "seat:1") + capsys.readouterr().out
    assert "Zoe" in shown and "Ben" not in shown
