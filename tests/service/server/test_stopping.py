"""A real service is stopped while a thousand clients read live and others write."""

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

import httpx

from tests.support.faults.server_process import on_disk
from tests.support.http import local_http
from tests.support.repository import ROOT
from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.servers.postgres_server import PostgresServer

READERS = 1_000
WRITERS = 20
SOON = 10.0
"""Seconds within which a stopped service must have exited."""

START = 20.0

WITHOUT_ITS_BODY = (
    "POST /v1/matches HTTP/1.1\r\nHost: x\r\n"
    f"Authorization: Bearer {ORGANISER_KEY}\r\nContent-Length: 9\r\n\r\n{{"
).encode()


class Serve:
    """`arbiter serve`, as an operator runs it."""

    def __init__(self, data: Path, env: Mapping[str, str]) -> None:
        command = [sys.executable, "-m", "service.cli", "serve", "--port", "0", "--data", str(data)]
        self.errors = data / "errors.txt"
        data.mkdir(parents=True, exist_ok=True)
        with self.errors.open("wb") as errors:
            self.process = subprocess.Popen(
                command,
                cwd=ROOT,
                env={**os.environ, "ARBITER_ORGANISER_KEY": ORGANISER_KEY, **env},
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        assert self.process.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:(\d+)", self.process.stdout.readline())
        assert found, self.errors.read_text()
        self.port = int(found[1])
        self.url = f"http://127.0.0.1:{self.port}"

    def wait(self) -> int:
        """Its exit status, and that it exits soon."""
        return self.process.wait(SOON)


@contextmanager
def served(data: Path, env: Mapping[str, str] = {}) -> Iterator[Serve]:
    running = Serve(data, env)
    try:
        until = time.monotonic() + START
        while time.monotonic() < until:
            with suppress(httpx.TransportError):
                local_http.get(f"{running.url}/healthz")
                break
            time.sleep(0.02)
        yield running
    finally:
        running.process.kill()
        running.process.wait()
        assert running.process.stdout is not None
        running.process.stdout.close()


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


async def crowd(service: Serve) -> tuple[set[str], list[bytes]]:
    """Reads and writes, stops the service in the middle, and returns what was acknowledged."""
    acknowledged: set[str] = set()
    async with local_http.async_client(service.url, timeout=30) as http:
        matches = [await create(http) for _ in range(WRITERS)]
        opened = asyncio.Semaphore(0)
        readers = [
            asyncio.create_task(read(service.port, matches[n % WRITERS][0], opened))
            for n in range(READERS)
        ]
        for _ in range(READERS):
            await opened.acquire()
        writers = [
            asyncio.create_task(write(http, match, key, acknowledged)) for match, key in matches
        ]
        while len(acknowledged) < 10 * WRITERS:  # noqa: ASYNC110  the writers know nothing of it
            await asyncio.sleep(0.01)
        service.process.send_signal(signal.SIGTERM)
        await asyncio.gather(*writers)
        return acknowledged, await asyncio.gather(*readers)


def test_readers_reconnect_and_acknowledged_writes_are_recorded(tmp_path: Path) -> None:
    with served(tmp_path) as service:
        acknowledged, read_by_all = asyncio.run(asyncio.wait_for(crowd(service), 120))
        assert service.wait() == 0, service.errors.read_text()
        assert service.errors.read_text() == ""
    recorded = {
        record.event.key
        for records in on_disk(tmp_path).values()
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
            connection = socket.create_connection(("127.0.0.1", service.port))
            connection.sendall(sent)
            crowd.append(connection)
        time.sleep(0.5)
        began = time.monotonic()
        service.process.send_signal(signal.SIGTERM)
        assert service.wait() == 0
        assert time.monotonic() - began < 5.0
        for connection in crowd:
            connection.close()
        assert service.errors.read_text() == ""


async def _one(service: Serve) -> tuple[str, str]:
    async with local_http.async_client(service.url) as http:
        return await create(http)


def test_a_second_signal_stops_it_at_once(tmp_path: Path) -> None:
    with served(tmp_path) as service, socket.create_connection(("127.0.0.1", service.port)) as slow:
        slow.sendall(WITHOUT_ITS_BODY)
        time.sleep(0.2)
        service.process.send_signal(signal.SIGTERM)
        time.sleep(0.7)
        assert service.process.poll() is None, "it should have waited for the request"
        service.process.send_signal(signal.SIGTERM)
        began = time.monotonic()
        assert service.wait() == 128 + signal.SIGTERM
        assert time.monotonic() - began < 2.0, "it did not wait any more"


def test_two_signals_in_a_moment_count_as_one(tmp_path: Path) -> None:
    """For example by a service manager and by its parent."""
    with served(tmp_path) as service, socket.create_connection(("127.0.0.1", service.port)) as slow:
        slow.sendall(WITHOUT_ITS_BODY)
        time.sleep(0.2)
        service.process.send_signal(signal.SIGTERM)
        time.sleep(0.1)
        service.process.send_signal(signal.SIGTERM)
        assert service.wait() == 0


def test_it_exits_though_its_store_does_not_answer(tmp_path: Path) -> None:
    """A client whose command waits for the disk is answered 503."""
    with (
        PostgresServer() as postgres,
        postgres.database() as store,
        served(tmp_path, store) as service,
    ):
        match, key = asyncio.run(_one(service))

        def act() -> int:
            path = f"{service.url}/v1/matches/{match}/actions"
            with local_http.client(timeout=2 * SOON) as http:
                headers = {"Authorization": f"Bearer {key}"}
                return http.post(path, json={"type": "end_turn"}, headers=headers).status_code

        assert act() == 422, "refused, and on record"
        with postgres.suspended(), ThreadPoolExecutor(1) as sender:
            response = sender.submit(act)
            time.sleep(0.5)
            began = time.monotonic()
            service.process.send_signal(signal.SIGTERM)
            assert service.process.wait(2 * SOON) == 128 + signal.SIGTERM
            assert time.monotonic() - began < SOON + 1.0
            assert response.result() == 503
