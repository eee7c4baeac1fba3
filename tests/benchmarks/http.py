"""Acknowledged actions over HTTP, next to plain echo requests to the same server."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from statistics import median
from typing import NamedTuple

import httpx
import uvloop

from tests.benchmarks.load import DollarPlayer, Outcome, Table, request, run
from tests.benchmarks.rows import Row, at_least
from tests.support.servers.postgres_server import fresh_database

CONNECTIONS = 64
ROUNDS = 5
SECONDS = 3.0
TABLES = 4
WANTED = 0.5
KEY = "benchmark-" + "k" * 40
ACTION = b'{"type":"place","coin":"penny"}'


class ServerProcess(NamedTuple):
    """A running server."""

    port: int
    pid: int


UNLIMITED = {"ARBITER_SEAT_BYTES": str(1 << 40)}
"""Setting of a service on which a seat may record as much as is measured."""


@contextmanager
def listening(
    command: Callable[[int], Sequence[str]],
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
    path: str = "/healthz",
) -> Iterator[ServerProcess]:
    """A server in a process of its own, whose command names the port; it answers."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = int(found.getsockname()[1])
    running = subprocess.Popen(
        command(port),
        cwd=folder,
        env={**os.environ, **UNLIMITED, "ARBITER_ORGANISER_KEY": KEY, **(environment or {})},
        stdout=subprocess.DEVNULL,
    )
    try:
        with httpx.Client(transport=httpx.HTTPTransport(retries=10)) as client:
            client.get(f"http://127.0.0.1:{port}{path}", timeout=30).raise_for_status()
        yield ServerProcess(port, running.pid)
    finally:
        running.send_signal(signal.SIGTERM)
        running.wait(20)


def server(
    folder: Path, store: Mapping[str, str] | None = None, module: str = "tests.benchmarks.echo"
) -> AbstractContextManager[ServerProcess]:
    """By default the service with one more route. `store` is the environment of its store if that
    is not the embedded one."""
    return listening(lambda port: [sys.executable, "-m", module, str(folder), str(port)], store)


async def tables(port: int, count: int) -> list[Table]:
    """This many started matches of Dollar Prize."""
    room = asyncio.Semaphore(32)
    url, headers = f"http://127.0.0.1:{port}", {"Authorization": f"Bearer {KEY}"}
    async with httpx.AsyncClient(base_url=url, headers=headers, timeout=30) as client:

        async def one() -> Table:
            async with room:
                new = {"game": "dollar-prize", "seats": ["Ann", "Ben"]}
                made = (await client.post("/v1/matches", json=new)).raise_for_status().json()
                (await client.post(f"/v1/matches/{made['id']}/start")).raise_for_status()
            return Table(made["id"], [seat["key"] for seat in made["seats"]])

        return await asyncio.gather(*(one() for _ in range(count)))


async def played(port: int) -> Outcome:
    """Every connection plays matches of its own, one after another."""
    ready = await tables(port, CONNECTIONS * TABLES)
    players = [DollarPlayer([ready.pop() for _ in range(TABLES)]) for _ in range(CONNECTIONS)]
    return await run(port, list(players), SECONDS)


async def _both(port: int) -> tuple[Outcome, Outcome]:
    echo = request("POST", "/echo", KEY, ACTION)
    plain = await run(port, [lambda _: echo] * CONNECTIONS, SECONDS)
    return plain, await played(port)


def measure(folder: Path) -> list[Row]:
    """On SQLite, then on PostgreSQL."""
    made = _measured(folder / "sqlite", "SQLite")
    with fresh_database() as store:
        return made + _measured(folder / "postgres", "PostgreSQL", store)


def _measured(folder: Path, name: str, store: Mapping[str, str] | None = None) -> list[Row]:
    """Rounds in turn, echo and actions; the median of the rounds' ratios."""
    folder.mkdir()
    with server(folder, store) as running:
        rounds = [uvloop.run(_both(running.port)) for _ in range(ROUNDS)]
    assert not any(plain.failed or acted.failed for plain, acted in rounds), "answers that failed"
    ratios = [acted.rate / plain.rate for plain, acted in rounds]
    spread = f"  ({min(ratios):.2f}-{max(ratios):.2f})"
    plain, acted = (
        median(outcome.rate for outcome in column) for column in zip(*rounds, strict=True)
    )
    last = rounds[-1][1]
    latency = f"{last.percentile(0.5) * 1e3:.1f} / {last.percentile(0.99) * 1e3:.1f} ms"
    return [
        Row(f"echo a second, {CONNECTIONS} connections, {name}", f"{plain:,.0f}"),
        Row(f"acknowledged actions a second, {CONNECTIONS} connections, {name}", f"{acted:,.0f}"),
        Row(f"their latency, p50 / p99, {name}", latency),
        at_least(f"actions beside echo, {name}", median(ratios), WANTED, spread),
    ]
