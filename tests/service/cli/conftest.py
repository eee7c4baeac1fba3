"""A service for the commands that talk to one, and a server that is something else."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from arbiter_client.blocking import BlockingTransport
from tests.support.http.match_play import play_out
from tests.support.http.prepared_service import PreparedService
from tests.support.servers.live_server import Live, LiveMatch, serving


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ARBITER_MATCH_KEY", raising=False)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the service."""
    return tmp_path_factory.mktemp("served")


@pytest.fixture(scope="module")
def live(data: Path) -> Iterator[Live]:
    with serving(data) as server:
        yield server


@pytest.fixture(scope="module")
def opened(live: Live) -> LiveMatch:
    """A match of Liar's Dice whose record was opened at its end."""
    match = live.started("liars-dice", ("Ann", "Ben", "Cy"), options={"dice": 1})
    play_out(match)
    return match


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> PreparedService:
    prepared = PreparedService()
    monkeypatch.setattr(BlockingTransport, "send", prepared.send)
    return prepared
