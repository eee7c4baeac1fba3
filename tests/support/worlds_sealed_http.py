"""Sealed phases over HTTP, in two worlds that differ in what others do meanwhile. The clock of the
server is virtual, so that instants are compared, too."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.support.instants import NOON, SECOND
from tests.support.servers.live_server import Answer, Json, Live, LiveMatch, body_of, serving
from tests.support.virtual_clock import VirtualClock
from tests.support.worlds_http import World

READERS = ["public", "seat:0"]


class Timed:
    """The server, and its clock."""

    def __init__(self, live: Live, clock: VirtualClock) -> None:
        self.live = live
        self.clock = clock

    def pass_time(self, microseconds: int = SECOND) -> None:
        self.live.run(lambda: self.clock.pass_time(microseconds))


@pytest.fixture(scope="module")
def timed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Timed]:
    clock = VirtualClock(NOON)
    with serving(tmp_path_factory.mktemp("timed"), clock) as live:
        yield Timed(live, clock)


@pytest.fixture
def stack(monkeypatch: pytest.MonkeyPatch) -> Iterator[ExitStack]:
    monkeypatch.setattr("service.streams.live_stream.PING_SECONDS", 3_600.0)
    with ExitStack() as streams:
        yield streams


def accepted(answer: Answer) -> Json:
    return body_of(answer, 201)


# What the others do, in any game.

Meanwhile = Callable[[LiveMatch], object]


def nothing(match: LiveMatch) -> None:
    """They do not submit."""


def failing(match: LiveMatch) -> None:
    """Requests without effect."""
    for seat in match.seats[1:]:
        seat.act({"type": "fly"})
        seat.act({"type": "submit", "round": 1}, {"If-Match": '"seat:1.1"'})
        seat.client.send("POST", f"{seat.path}/actions", b"x" * 70_000)
        seat.close_phase()
        seat.view("seat:0")


def reading(match: LiveMatch) -> None:
    """Everyone reads everything they may see, moderators too."""
    for player in (*match.seats[1:], match.moderator):
        player.view()
        player.events()
        player.menu()
        with player.stream(after=0) as response:
            next(response.iter_lines())


def others_do(timed: Timed, worlds: list[World], beside: tuple[Meanwhile, Meanwhile]) -> None:
    """In each world something else, at other instants."""
    for world, meanwhile in zip(worlds, beside, strict=True):
        timed.pass_time()
        meanwhile(world.match)
    timed.pass_time()
