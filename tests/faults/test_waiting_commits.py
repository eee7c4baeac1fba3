"""Commits wait for a standby server that is away: what is on record is still read, everything is
answered in time, and it is said that nothing can be recorded."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest

from tests.faults.served_process import Served, served
from tests.support.deploy.child_process import free_ports
from tests.support.http import local_http
from tests.support.servers.live_server import LiveMatch
from tests.support.servers.postgres_server import PostgresServer
from tests.support.waiting import until

AWAY_SECONDS = 13.0
"""Longer than anything may take, so that the last requests begin when the fault is known."""

ANSWER_SECONDS = 10.5
"""Within which everything is answered: the ten of the manual, and a little."""

NOTICED_SECONDS = 8.0
"""After which it is known, by a look that begins within five seconds and takes two."""

METRICS_SECONDS = 1.0


class Asked(NamedTuple):
    """A request that began so many seconds after the fault, and its answer."""

    name: str
    began: float
    seconds: float
    status: int


@contextmanager
def standby_away(postgres: PostgresServer) -> Iterator[None]:
    def wait_for(names: str) -> None:
        postgres.execute(f"ALTER SYSTEM SET synchronous_standby_names = '{names}'")
        postgres.execute("SELECT pg_reload_conf()")

    wait_for("away")
    try:
        yield
    finally:
        wait_for("")


Request = Callable[[], Awaitable[httpx.Response]]


@asynccontextmanager
async def asking(requests: dict[str, Request], asked: list[Asked]) -> AsyncIterator[None]:
    """Each request is sent again and again while inside."""
    begin, ended = time.monotonic(), asyncio.Event()

    async def ask(name: str, request: Request) -> None:
        while not ended.is_set():
            began = time.monotonic()
            answer = await request()
            seconds = time.monotonic() - began
            assert answer.status_code != 503 or name == "ready" or answer.headers["retry-after"]
            asked.append(Asked(name, began - begin, seconds, answer.status_code))
            await asyncio.sleep(0.2)

    async with asyncio.TaskGroup() as tasks:
        for name, request in requests.items():
            tasks.create_task(ask(name, request))
        yield
        ended.set()


def reads(http: httpx.AsyncClient, match: LiveMatch) -> dict[str, Request]:
    """What needs no commit."""

    def get(path: str, key: str | None = None) -> Request:
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        return lambda: http.get(path, headers=headers)

    of, seat = f"/v1/matches/{match.id}", match.keys[0]
    return {
        "list": get("/v1/matches?name=Ann"), "tournaments": get("/v1/tournaments"),
        "match": get(of), "public": get(f"{of}/view"), "view": get(f"{of}/view", seat),
        "events": get(f"{of}/events"), "menu": get(f"{of}/actions", seat),
        "keys": get("/v1/keys"),
    }  # fmt: skip


def actions(http: httpx.AsyncClient, match: LiveMatch) -> Request:
    """A refused action, which goes on record."""
    headers = {"Authorization": f"Bearer {match.keys[0]}"}
    return lambda: http.post(
        f"{match.seats[0].path}/actions", json={"type": "end_turn"}, headers=headers
    )


async def ask_during_the_fault(
    postgres: PostgresServer, service: Served, metrics: int
) -> tuple[set[str], list[Asked]]:
    """The names of the requests that only read, and all answers during the fault."""
    match, asked = service.started(), list[Asked]()
    url = f"http://127.0.0.1:{metrics}/metrics"
    async with local_http.async_client(service.url, timeout=60.0) as http:
        reading = reads(http, match)
        looked_at = {"Authorization": f"Bearer {match.moderator_key}"}
        requests = reading | {
            "act": actions(http, match),
            "look": lambda: http.get(f"{match.moderator.path}/view", headers=looked_at),
            "metrics": lambda: asyncio.to_thread(local_http.get, url),
            "ready": lambda: http.get("/readyz"),
        }
        with standby_away(postgres):
            async with asking(requests, asked):
                await asyncio.sleep(AWAY_SECONDS)
        await until(lambda: service.ready()[0] == 200)
        assert (await requests["act"]()).status_code == 422
    return set(reading), asked


@pytest.fixture
def postgres() -> Iterator[PostgresServer]:
    with PostgresServer() as server:
        yield server


async def test_what_is_on_record_is_read_while_commits_wait(
    tmp_path: Path, postgres: PostgresServer
) -> None:
    (metrics,) = free_ports(1)
    with (
        postgres.database() as store,
        served(
            tmp_path / "data", tmp_path, {**store, "ARBITER_METRICS": f"127.0.0.1:{metrics}"}
        ) as service,
    ):
        reading, asked = await ask_during_the_fault(postgres, service, metrics)
    late = [one for one in asked if one.seconds > ANSWER_SECONDS]
    late += [one for one in asked if one.name == "metrics" and one.seconds > METRICS_SECONDS]
    assert not late
    assert not [one for one in asked if one.name in reading and one.status != 200]
    recorded = [one for one in asked if one.name in ("act", "look")]
    assert recorded and not [one for one in recorded if one.status != 503]
    ready = [one for one in asked if one.name == "ready" and one.began > NOTICED_SECONDS]
    assert ready and {one.status for one in ready} == {503}
