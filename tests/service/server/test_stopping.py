"""A real service is stopped while dozens of clients read live and others write."""

import asyncio
import os
import re
import signal
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

import httpx
import pytest

from service.event_store.errors import StoreUnavailable
from service.instance import Instance
from tests.support.faults.server_process import on_disk
from tests.support.http import local_http
from tests.support.instance.service_instance import (
    NOT_NOW,
    PATIENCE,
    WatchedStore,
    created,
    sends,
    settings,
    started,
    watched,
)
from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.servers.serve_process import ServeProcess, serve
from tests.support.tables.directing import START
from tests.support.virtual_clock import VirtualClock

READERS = 60
WRITERS = 6
SOON = 10.0
"""Seconds within which a stopped service must have exited."""

WITHOUT_ITS_BODY = (
    "POST /v1/matches HTTP/1.1\r\nHost: x\r\n"
    f"Authorization: Bearer {ORGANISER_KEY}\r\nContent-Length: 9\r\n\r\n{{"
).encode()


@contextmanager
def served(folder: Path, env: Mapping[str, str] | None = None) -> Iterator[ServeProcess]:
    with serve(folder / "data", environment=env) as service:
        yield service


def stop(service: ServeProcess) -> None:
    os.kill(service.pid, signal.SIGTERM)


def port(service: ServeProcess) -> int:
    return int(service.url.rpartition(":")[2])


async def create(http: httpx.AsyncClient) -> tuple[str, str]:
    """A running match and the key of its first seat."""
    organiser = {"Authorization": f"Bearer {ORGANISER_KEY}"}
    wanted = {"game": "dollar-prize", "seats": ["Ann", "Ben"]}
    made = (await http.post("/v1/matches", json=wanted, headers=organiser)).json()
    await http.post(f"/v1/matches/{made['id']}/start", headers=organiser)
    return made["id"], made["seats"][0]["key"]


async def write(http: httpx.AsyncClient, match: str, key: str, acknowledged: set[str]) -> None:
    """Sends actions, which are all refused and recorded, until the service does not answer any
    more."""
    with suppress(httpx.TransportError):
        for n in count():
            name = f"{match}-{n}"
            answer = await http.post(
                f"/v1/matches/{match}/actions",
                json={"type": "end_turn"},
                headers={"Authorization": f"Bearer {key}", "Idempotency-Key": name},
            )
            if answer.status_code == 422:
                assert answer.json()["receipt"]["idempotency_key"] == name
                acknowledged.add(name)


async def read(port: int, match: str, opened: asyncio.Semaphore) -> bytes:
    """Everything that a live reader gets, to the end."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET /v1/matches/{match}/stream?after=0 HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    head = await reader.readuntil(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200"), head
    opened.release()
    try:
        return await reader.read()
    finally:
        writer.close()


async def crowd(service: ServeProcess) -> tuple[set[str], list[bytes]]:
    """Reads and writes, stops the service in the middle, and returns what was acknowledged."""
    acknowledged: set[str] = set()
    async with local_http.async_client(service.url, timeout=30) as http:
        matches = [await create(http) for _ in range(WRITERS)]
        opened = asyncio.Semaphore(0)
        readers = [
            asyncio.create_task(read(port(service), matches[n % WRITERS][0], opened))
            for n in range(READERS)
        ]
        for _ in range(READERS):
            await opened.acquire()
        writers = [
            asyncio.create_task(write(http, match, key, acknowledged)) for match, key in matches
        ]
        while len(acknowledged) < 10 * WRITERS:  # noqa: ASYNC110  the writers know nothing of it
            await asyncio.sleep(0.01)
        stop(service)
        await asyncio.gather(*writers)
        return acknowledged, await asyncio.gather(*readers)


def test_readers_reconnect_and_acknowledged_writes_are_recorded(tmp_path: Path) -> None:
    with served(tmp_path) as service:
        acknowledged, read_by_all = asyncio.run(asyncio.wait_for(crowd(service), 120))
        assert service.wait(SOON) == 0, service.errors
        assert service.errors == ""
    recorded = {
        record.event.key
        for records in on_disk(tmp_path / "data").values()
        for record in records
        if hasattr(record.event, "key")
    }
    assert len(acknowledged) >= 10 * WRITERS
    assert acknowledged <= recorded
    for stream in read_by_all:
        assert re.search(rb"\nretry: \d{3,4}\n\n\r\n0\r\n\r\n$", stream), stream[-100:]


def test_it_exits_within_seconds_though_clients_neither_read_send_nor_leave(tmp_path: Path) -> None:
    with served(tmp_path) as service:
        match, _ = asyncio.run(_one(service))
        crowd = []
        for sent in (
            b"",
            b"GET /healthz HTTP/1.1\r\nHo",
            WITHOUT_ITS_BODY,
            b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n",
            f"GET /v1/matches/{match}/stream HTTP/1.1\r\nHost: x\r\n\r\n".encode(),
            b"GET /schema/assets/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n" * 5,
        ):
            connection = socket.create_connection(("127.0.0.1", port(service)))
            connection.sendall(sent)
            crowd.append(connection)
        time.sleep(0.5)
        began = time.monotonic()
        stop(service)
        assert service.wait(SOON) == 0
        assert time.monotonic() - began < 5.0
        for connection in crowd:
            connection.close()
        assert service.errors == ""


async def _one(service: ServeProcess) -> tuple[str, str]:
    async with local_http.async_client(service.url) as http:
        return await create(http)


def test_more_signals_count_as_one(tmp_path: Path) -> None:
    """For example by a service manager and by its parent."""
    with (
        served(tmp_path) as service,
        socket.create_connection(("127.0.0.1", port(service))) as slow,
    ):
        slow.sendall(WITHOUT_ITS_BODY)
        time.sleep(0.2)
        stop(service)
        time.sleep(0.1)
        stop(service)
        assert service.wait(SOON) == 0


# When an instance breaks, its waiting commands fail at once: it may take long to close.


@pytest.fixture
def opened(database: Path, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch) -> Instance:
    """An instance that does not run yet; its store is a `WatchedStore`."""
    monkeypatch.setattr("service.composition.storage.Store", WatchedStore)
    return Instance(settings(database), clock)


async def waiting(instance: Instance) -> list[asyncio.Task[object]]:
    """One command that is being committed, which never ends, and others that wait after it."""
    one, other = await started(instance), await created(instance)
    watched(instance).block()
    execute = instance.matches.execute
    tasks: list[asyncio.Task[object]] = [asyncio.create_task(execute(one, sends(0, NOT_NOW), 0))]
    await watched(instance).blocked()
    tasks += [
        asyncio.create_task(execute(one, sends(1, NOT_NOW), 1)),
        asyncio.create_task(execute(other, START, "moderator")),
        asyncio.create_task(instance.matches.commits.append([])),
    ]
    await asyncio.sleep(0.05)
    assert not any(task.done() for task in tasks)
    return tasks


async def test_waiting_commands_of_a_broken_instance_are_answered_at_once(opened: Instance) -> None:
    ready = asyncio.Event()

    async def serve() -> None:
        async with opened.running():
            ready.set()
            await opened.broken.wait()

    running = asyncio.create_task(serve())
    try:
        async with asyncio.timeout(PATIENCE):
            await ready.wait()
        tasks = await waiting(opened)
        opened.broken.set()

        async with asyncio.timeout(PATIENCE / 4):
            results = await asyncio.gather(*tasks, return_exceptions=True)

        assert [type(one) for one in results] == [StoreUnavailable] * len(tasks)
        assert not running.done(), "it is still being closed"
    finally:
        watched(opened).open.set()
        await running


async def test_no_command_is_accepted_after_the_end(opened: Instance) -> None:
    async with opened.running():
        match_id = await created(opened)
    async with asyncio.timeout(PATIENCE):
        with pytest.raises(StoreUnavailable):
            await opened.matches.execute(match_id, START, "moderator")
        with pytest.raises(StoreUnavailable):
            await opened.matches.commits.append([])
