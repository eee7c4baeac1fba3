"""Honest play beside hostile webhooks and readers: notices and answers go on, neither memory nor
open files grow. `make long` prints the figures of an hour, in parts of ten minutes."""

import asyncio
import re
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Coroutine, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from typing import Any

import psutil  # type: ignore[import-untyped]
import pytest

from arbiter_client import AsyncArbiter
from arbiter_client.answers import Menu, Taken, View
from arbiter_client.asynchronous.bot import played
from arbiter_client.asynchronous.match import AsyncMatch
from domain.games import GAMES
from tests.faults.served_process import served
from tests.support.deploy.child_process import free_ports
from tests.support.effort import new_chance, times
from tests.support.games import usual
from tests.support.http import local_http
from tests.support.http.webhook_receiver import Receiver, receiving
from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.servers.live_server import Client
from tests.support.servers.raw_sockets import request

pytestmark = pytest.mark.slow(because="it lasts for minutes, and in `make long` for an hour")

SECONDS, PARTS = times("seconds of a soak"), 6
THINKS, SLOW, STAYS = 1.0, 8.0, 60.0
"""Seconds between two actions of a seat, until a slow webhook answers, and for which a reader
stays."""

WEBHOOKS = "/slow", "/failing", "/redirecting", "/endless"
READERS = ("slow",) * 20 + ("deaf",) * 20 + ("stream",) * 200

FEW_FILES, LITTLE_MEMORY, ENOUGH = 40, 150, 0.8
"""How many more files and MB there may be at the end, and the least notices an action."""

ANSWERS = re.compile(
    r'^arbiter_(?:requests_total.*status="(...)"|rate_limited_total).* (\S+)$', re.MULTILINE
)


class Hostile(BaseHTTPRequestHandler):
    """Webhooks by their paths."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        with suppress(OSError):
            getattr(self, self.path[1:])()

    def slow(self) -> None:
        time.sleep(SLOW)
        self.send_error(204)

    def failing(self) -> None:
        self.send_error(500)

    def redirecting(self) -> None:
        self.send_response(307)
        self.send_header("Location", "/failing")
        self.end_headers()

    def endless(self) -> None:
        self.send_response(200)
        self.end_headers()
        while True:
            self.wfile.write(b"x" * 1024)

    def log_message(self, *_: object) -> None:
        """Logs nothing."""


class TimedSeat:
    """The match of a seat, which notes how long its actions took."""

    def __init__(self, match: AsyncMatch, took: list[float]) -> None:
        self._match, self._took = match, took
        self.view, self.menu, self.play = match.view, match.menu, match.play

    async def act(self, action: Mapping[str, Any], *, if_match: View) -> Taken:
        began = time.monotonic()
        taken = await self._match.act(action, if_match=if_match)
        self._took.append(time.monotonic() - began)
        return taken


class Play:
    """Bots at one table of each game; `paths` are of their matches, and `took` is how long actions
    took."""

    def __init__(self, arbiter: AsyncArbiter, chance: Random) -> None:
        self._arbiter, self._chance = arbiter, chance
        self.paths: list[str] = []
        self.took: list[float] = []

    async def table(self, game: str) -> None:
        while True:
            made = await self._arbiter.create_match(game, list(usual(game)))
            await self._arbiter.match(made.id, made.moderator_key).start()
            self.paths.append(f"/v1/matches/{made.id}")
            seats = [self._arbiter.match(made.id, seat.key) for seat in made.seats]
            bots = (played(TimedSeat(seat, self.took), self._choose, None) for seat in seats)
            await asyncio.gather(*bots)

    async def _choose(self, menu: Menu, _: View) -> dict[str, Any]:
        await asyncio.sleep(self._chance.uniform(0, 2 * THINKS))
        return self._chance.choice(self._chance.choice(menu.actions).examples)


async def reader(port: int, play: Play, kind: str) -> None:
    """Reads a stream, never reads it nor what it asks for before, or sends its head slowly; and
    comes again."""
    while True:
        with suppress(OSError, TimeoutError):
            coming, going = await asyncio.open_connection("127.0.0.1", port, limit=4_096)
            head = request(f"{play.paths[-1]}/stream?as=public&after=0")
            try:
                async with asyncio.timeout(STAYS):
                    for byte in head if kind == "slow" else ():
                        going.write(bytes([byte]))
                        await asyncio.sleep(1.0)
                    going.write(request("/schema/openapi.json") * 20 * (kind == "deaf") + head)
                    await asyncio.sleep(STAYS * (kind == "deaf"))
                    await coming.read()
            finally:
                going.transport.abort()
        await asyncio.sleep(1.0)


@asynccontextmanager
async def during(work: Iterable[Coroutine[Any, Any, None]]) -> AsyncIterator[None]:
    """While inside, this is done, and none of it ends."""
    tasks = [asyncio.create_task(one) for one in work]
    yield
    assert not [task.exception() for task in tasks if task.done()]
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)


class Figures:
    """How the service is, in one part of the time after the other."""

    def __init__(self, process: psutil.Process, metrics: str, play: Play, got: Receiver) -> None:
        self._process, self._metrics, self._play, self._got = process, metrics, play, got
        self.memory, self.files, self.actions = list[int](), list[int](), list[int]()

    async def part(self, what: str) -> None:
        """Waits for it to end, and prints its figures."""
        before = len(self._got.received)
        self._play.took.clear()
        await asyncio.sleep(SECONDS / PARTS)
        took, notices = sorted(self._play.took), len(self._got.received) - before
        p50, p99 = (took[int(len(took) * share)] * 1e3 for share in (0.5, 0.99))
        self.actions.append(len(took))
        self.memory.append(self._process.memory_info().rss // 1_000_000)
        self.files.append(self._process.num_fds())
        answers = Counter[str]()
        for status, count in ANSWERS.findall(local_http.get(self._metrics).text):
            answers[status or "limited"] += int(float(count))
        print(  # noqa: T201  the measurement
            f"{what}: {len(took)} actions, p50 {p50:.0f} ms, p99 {p99:.0f}; {notices} notices;"
            f" {self.memory[-1]} MB, {self.files[-1]} files; {len(self._play.paths)} matches and"
            f" {dict(answers)} so far",
            flush=True,
        )


@contextmanager
def hostile_webhooks() -> Iterator[str]:
    """Their address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Hostile) as server:
        threading.Thread(target=server.serve_forever, args=(0.1,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


async def test_what_is_hostile_neither_delays_honest_play_nor_grows(tmp_path: Path) -> None:
    port, dead = free_ports(2)
    settings = {"ARBITER_PRIVATE_WEBHOOKS": "1", "ARBITER_METRICS": f"127.0.0.1:{port}"}
    with (
        served(tmp_path / "data", tmp_path, settings) as service,
        receiving() as healthy,
        hostile_webhooks() as hostile,
    ):
        organiser, process = Client(service.http, ORGANISER_KEY), psutil.Process(service.pid)
        async with AsyncArbiter(service.url, ORGANISER_KEY) as arbiter:
            play = Play(arbiter, new_chance())
            figures = Figures(process, f"http://127.0.0.1:{port}/metrics", play, healthy)
            async with during(map(play.table, GAMES)):
                await figures.part("before")
                urls = healthy.url, f"http://127.0.0.1:{dead}/", *(hostile + of for of in WEBHOOKS)
                for url in urls:
                    assert organiser.post("/v1/webhooks", {"url": url}).status_code == 201
                async with during(reader(service.port, play, kind) for kind in READERS):
                    for number in range(1, PARTS):
                        await figures.part(f"hostile {number}")
                await figures.part("after")
        assert len(healthy.received) > ENOUGH * sum(figures.actions[1:])
        assert figures.files[-1] < figures.files[0] + FEW_FILES
        assert figures.memory[-1] < figures.memory[1] + LITTLE_MEMORY
