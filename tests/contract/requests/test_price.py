"""What every route that reads is charged is in proportion to what it does, for whoever may use it:
counted in calls, with nothing made before in memory but the match."""

import asyncio
import threading
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple
from uuid import UUID

import pytest

from domain.games.twelve_chips.actions import Play
from domain.rulings.commands import SecondRuling
from domain.rulings.kinds import Note, VoidMatch
from service.auth.rate_limiter import Rates
from service.http.middleware import rate_limiting
from service.http.people import pages
from service.observability.work import REQUEST, Work
from tests.support.http.case_client import do, opened
from tests.support.http.rate_limited_server import Elsewhere, new_address, rate_limited
from tests.support.http.routes import description
from tests.support.http.tournament_client import LiveCup, cup
from tests.support.instance.service_instance import sends
from tests.support.servers.live_server import Client, Live, LiveMatch
from tests.support.tables.ruling_tables import FINN, rule

SIGNED = "sign"
SIGNATURE = 500
"""A signature takes as long as so many calls, within one."""


class CallCounter:
    """The calls of all threads that were started while it counted them; `take` begins anew."""

    def __init__(self) -> None:
        self._calls = 0

    def take(self) -> int:
        """The calls since this was last asked."""
        calls, self._calls = self._calls, 0
        return calls

    def add(self, _frame: FrameType, event: str, function: Any) -> None:
        """What a thread reports: see `threading.setprofile`."""
        if event == "call":
            self._calls += 1
        elif event == "c_call":
            self._calls += SIGNATURE if function.__name__ == SIGNED else 1


@contextmanager
def counted_calls() -> Iterator[CallCounter]:
    """Threads that are started within it are counted for as long as they run."""
    counter = CallCounter()
    before = threading.getprofile()
    threading.setprofile(counter.add)
    try:
        yield counter
    finally:
        threading.setprofile(before)


MANY = Rates("1000000000/minute", "1000000000/minute")
RULINGS, SUBMISSIONS, STATEMENTS, MATCHES = 600, 200, 100, 60

CALLS = 20_000
"""Calls in the time that a request may take, REQUEST: they take 0.1 to 0.3 us each."""

USUAL = 4_000
"""Calls that any request makes, whatever it asks for."""

MOST = 100
"""Requests that the dearest one is worth."""


class World(NamedTuple):
    """A long match, a tournament with many, and a case in which much was said."""

    live: Live
    counter: CallCounter
    match: LiveMatch
    tournament: LiveCup
    case: str

    def readers(self) -> dict[str, Client]:
        """One of each role, each at an address of its own."""
        clients = {
            "moderator": self.match.moderator.client,
            "nobody": self.live.anyone,
            "organiser": self.live.organiser,
            "seat": self.match.seats[0].client,
            "player": self.tournament.player(0),
        }
        return {
            role: Elsewhere(client.http, client.key, new_address())
            for role, client in clients.items()
        }

    def path(self, template: str) -> str:
        """The address of what there is most of."""
        of_cup = template.startswith(("/t/", "/v1/tournaments"))
        place = self.tournament.id if of_cup else self.match.id
        return (
            template.replace("{id}", place)
            .replace("{case}", self.case)
            .replace("{game}", "together")
        )

    def forget(self) -> None:
        """Nothing that was made for an answer is in memory."""
        instance = self.live.instance
        instance.ruling_lists._lists.clear()
        pages._PAGES._pages.clear()


PAGES = (
    "/", "/m/{id}", "/m/{id}?at=400", "/m/{id}/board.svg", "/m/{id}/board.png?at=400",
    "/table/{id}", "/embed/{id}", "/t/{id}", "/t/{id}/me", "/t/{id}/audit",
)  # fmt: skip
QUERIES = {
    "/v1/matches/{id}/view": "?at=400",
    "/v1/matches/{id}/events": "?limit=1000",
    "/v1/matches/{id}/timeline": "?limit=10000",
    "/v1/matches/{id}/knowledge": "?limit=1000",
    "/v1/matches/{id}/receipts": "?limit=1000",
    "/v1/matches/{id}/rulings": "?limit=1000",
}
NOT_ASKED = ("/healthz", "/readyz", "/stream", "/deliveries", "calendar.ics")
"""What is not counted, does not end, or is of things that are not there."""

OPENED = ("/bundle", "/checkpoint", "/notation", "/reads")
"""What more people may read when the match is over."""


def routes() -> list[str]:
    """Every address that is read: as it is, and for the most that it gives at once."""
    described = [path for path, each in description()["paths"].items() if "get" in each]
    own = [path for path in described if not path.endswith(NOT_ASKED)]
    return [*own, *PAGES, *(path + query for path, query in QUERIES.items())]


@pytest.fixture(scope="module")
def charged() -> Iterator[list[Work]]:
    """The work of each request."""
    made = list[Work]()

    def kept(*args: Any) -> Work:
        made.append(Work(*args))
        return made[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rate_limiting, "Work", kept)
        yield made


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory, charged: list[Work]) -> Iterator[World]:
    folder: Path = tmp_path_factory.mktemp("price")
    with counted_calls() as counter, rate_limited(folder, MANY) as live:
        match, tournament = live.started("twelve-chips"), cup(live)
        in_loop(live, _filled(live, UUID(match.id)))
        for _ in range(MATCHES):
            tournament.match()
        case = opened(match.seats[0])
        for number in range(STATEMENTS):
            do(match.moderator, case, "statements", {"says": f"{number}"})
        yield World(live, counter, match, tournament, case)


def in_loop(live: Live, coroutine: Coroutine[Any, Any, None]) -> None:
    asyncio.run_coroutine_threadsafe(coroutine, live.loop).result(60)


async def _filled(live: Live, match: UUID) -> None:
    for number in range(RULINGS):
        note = Note("public", f"note {number}", "clarification")
        await live.instance.rulings.execute(match, rule("", note))
    for _ in range(SUBMISSIONS):
        await live.instance.matches.execute(match, sends(0, Play(99)), 0)


async def _voided(live: Live, match: UUID) -> None:
    await live.instance.rulings.execute(match, rule("", VoidMatch()))
    (pending,) = (await live.instance.sessions.current(match)).match.rulings.pending
    await live.instance.rulings.execute(match, SecondRuling(pending.id, FINN))


def work_of(world: World, charged: list[Work], client: Client, path: str) -> tuple[int, int] | None:
    """The calls that a request makes and how many it is charged as; None if it is refused."""
    world.live.run(world.forget)
    charged.clear()
    world.counter.take()
    if client.get(path).status_code != 200:
        return None
    return world.counter.take(), 1 + charged[0].spent // REQUEST


def is_wrong(work: tuple[int, int] | None) -> bool:
    """It costs more than it is charged, or is charged more than anything should."""
    return work is not None and (work[0] > USUAL + CALLS * work[1] or work[1] > MOST)


def wrongly_priced(world: World, charged: list[Work], asked: Sequence[str]) -> list[str]:
    """For the moderator, who is shown most, and one more of those who may read it, by turns."""
    wrong = []
    first, *others = world.readers().items()
    for number, template in enumerate(asked):
        path, answered = world.path(template), 0
        turn = number % len(others)
        for role, client in (first, *others[turn:], *others[:turn]):
            work = work_of(world, charged, client, path)
            if is_wrong(work):
                # The first request made what stays in memory.
                work = work_of(world, charged, client, path)
            if is_wrong(work):
                wrong.append(f"{template} for {role}: {work} calls and requests")
            answered += work is not None
            if answered == 2:
                break
    return wrong


def test_what_is_read_is_charged_by_its_work(world: World, charged: list[Work]) -> None:
    assert wrongly_priced(world, charged, routes()) == []


def test_so_is_what_is_opened_at_the_end(world: World, charged: list[Work]) -> None:
    in_loop(world.live, _voided(world.live, UUID(world.match.id)))
    opened = [route for route in routes() if route.endswith(OPENED) and "/matches/" in route]
    assert len(opened) == len(OPENED)
    assert wrongly_priced(world, charged, opened) == []
