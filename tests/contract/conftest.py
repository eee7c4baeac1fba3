"""One server for all tests of the contract: they only use it over HTTP."""

from collections.abc import Iterator

import msgspec
import pytest

from tests.support.http.match_play import play_out
from tests.support.http.routes import description
from tests.support.http.tournament_client import LiveCup, cup
from tests.support.instants import NOON
from tests.support.servers.live_server import Json, Live, LiveMatch, live, serving
from tests.support.virtual_clock import VirtualClock

__all__ = ["live"]


@pytest.fixture(scope="session")
def document() -> Json:
    """The description of the API, which the service serves."""
    described: Json = msgspec.json.decode(msgspec.json.encode(description()))
    return described


@pytest.fixture(scope="module")
def clock() -> VirtualClock:
    return VirtualClock(NOON)


@pytest.fixture(scope="module")
def timed(clock: VirtualClock, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """A server on that clock."""
    with serving(tmp_path_factory.mktemp("timed"), clock) as server:
        yield server


@pytest.fixture
def chips(live: Live) -> LiveMatch:
    """A match of 12 Chips, dealt by the service, in which seat 0 is to play."""
    return live.started("twelve-chips")


@pytest.fixture
def short(live: Live) -> LiveMatch:
    """12 Chips to one token: over after one round."""
    return live.started("twelve-chips", options={"tokens_to_win": 1})


@pytest.fixture
def coins(live: Live) -> LiveMatch:
    """A match of Dollar Prize in which seat 0 is to choose a side."""
    return live.started("dollar-prize")


@pytest.fixture(scope="session")
def played(live: Live) -> LiveMatch:
    """A match of 12 Chips played by hand to its end, with a refusal; its record is opened."""
    match = live.started("twelve-chips", chance="manual", options={"tokens_to_win": 1})
    play_out(match)
    return match


@pytest.fixture(scope="session")
def played_closed(live: Live) -> LiveMatch:
    """The same, but its record stays with the moderators."""
    match = live.started("twelve-chips", record="closed", options={"tokens_to_win": 1})
    play_out(match)
    return match


@pytest.fixture
def dealing(live: Live) -> LiveMatch:
    """12 Chips by hand, in which the first deal is awaited."""
    return live.started("twelve-chips", chance="manual")


@pytest.fixture(scope="module")
def hidden(live: Live) -> LiveMatch:
    """A match of Liar's Dice, in which every seat has dice that others do not see."""
    return live.started("liars-dice", ("Ann", "<img src=x>"))


@pytest.fixture
def spring(live: Live) -> LiveCup:
    """A tournament of Ann, Ben and Cy, in which Cy moderates, too."""
    return cup(live)
