"""Three workers behind nginx: each match is at one of them, and when that one dies, at another."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from uuid import UUID

import httpx
import pytest

from tests.deploy.failover_play import Acknowledged, Playing, played
from tests.deploy.nginx_proxy import Proxy, needs_nginx, proxy
from tests.support.deploy.child_process import PATIENCE, Child, free_ports
from tests.support.http import local_http
from tests.support.repository import ROOT
from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.servers.live_server import SSE
from tests.support.servers.postgres_server import fresh_database
from tests.support.servers.redis_server import redis_server
from tests.support.waiting import wait_until

ARBITER = (sys.executable, "-m", "service.cli")


class Workers:
    """The workers by number, from 0. Each has an address and a log."""

    def __init__(self, folder: Path, environment: dict[str, str], count: int) -> None:
        self.folder = folder
        self.addresses = [f"127.0.0.1:{port}" for port in free_ports(count)]
        self._environment = environment
        self._running: dict[int, Child] = {}
        migrating = Child([*ARBITER, "migrate"], environment, folder / "migrate.log", ROOT)
        assert migrating.process.wait(PATIENCE) == 0, (folder / "migrate.log").read_text()
        migrating.end()

    def start(self, number: int) -> None:
        """Returns when it is ready."""
        port = self.addresses[number].rpartition(":")[2]
        command = [*ARBITER, "serve", "--port", port]
        log = self.folder / f"worker-{number}.log"
        self._running[number] = running = Child(command, self._environment, log, ROOT)

        def ready() -> bool:
            assert running.process.poll() is None, log.read_text()
            return self._ready(number)

        wait_until(ready, failure=log.read_text)

    def kill(self, number: int) -> None:
        """kill -9, without regard to what it is doing."""
        self._running.pop(number).end(signal.SIGKILL)

    def stop(self, number: int) -> int:
        """Stops it in an orderly way; returns the exit status."""
        return self._running.pop(number).end(signal.SIGTERM)

    def stop_all(self) -> None:
        for number in list(self._running):
            self.kill(number)

    def _ready(self, number: int) -> bool:
        try:
            url = f"http://{self.addresses[number]}/readyz"
            return local_http.get(url).status_code == 200
        except httpx.TransportError:
            return False


@contextmanager
def workers(folder: Path, count: int = 3) -> Iterator[Workers]:
    """Running workers behind a proxy on this machine."""
    with ExitStack() as held:
        environment = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT),
            **held.enter_context(fresh_database()),
            "CREATE_TABLE": "no",
            "ARBITER_REDIS_URL": held.enter_context(redis_server()).url,
            "ARBITER_DATA": str(folder / "data"),
            "ARBITER_ORGANISER_KEY": ORGANISER_KEY,
            "ARBITER_TRUSTED_PROXIES": "127.0.0.1/32",
            "ARBITER_LOG": "json",
        }
        made = Workers(folder, environment, count)
        held.callback(made.stop_all)
        for number in range(count):
            made.start(number)
        yield made


pytestmark = [needs_nginx, pytest.mark.slow(because="it kills workers behind nginx")]

MATCHES = 3


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workers]:
    with workers(tmp_path_factory.mktemp("workers")) as made:
        yield made


@pytest.fixture
def nginx(tmp_path: Path, running: Workers) -> Iterator[Proxy]:
    with proxy(tmp_path / "nginx", running.addresses) as made:
        yield made


@pytest.fixture
def http(nginx: Proxy) -> Iterator[httpx.Client]:
    with local_http.client(nginx.url, timeout=30) as client:
        yield client


def owners(nginx: Proxy) -> dict[str, set[str]]:
    """The workers that answered the requests about each match."""
    found: dict[str, set[str]] = {}
    for line in nginx.access_log():
        parts = line["path"].split("/")
        if parts[1:3] == ["v1", "matches"] and len(parts) > 3:
            found.setdefault(parts[3], set()).add(line["worker"])
    return found


def test_every_request_of_a_match_is_at_one_worker(nginx: Proxy, http: httpx.Client) -> None:
    matches = [Playing(http, seed) for seed in range(MATCHES)]
    with played(matches):
        pass
    found = owners(nginx)
    assert {UUID(match) for match in found} >= {UUID(match.id) for match in matches}
    assert all(len(workers) == 1 for workers in found.values()), found
    for match in matches:
        assert match.readings == 1
        check_received(match)


def test_a_killed_worker_loses_nothing_acknowledged(
    nginx: Proxy, http: httpx.Client, running: Workers
) -> None:
    matches = [Playing(http, seed) for seed in range(MATCHES)]
    with played(matches):
        wait_until(lambda: all(len(match.acknowledged) >= 2 for match in matches))
        owned = owners(nginx)
        (address,) = owned[matches[0].id]
        number = running.addresses.index(address)
        running.kill(number)
        before = {match.id: len(match.acknowledged) for match in matches}
        hit = [match for match in matches if address in owned[match.id]]
        wait_until(lambda: all(moved(match, before[match.id]) for match in hit))
        running.start(number)
    now = owners(nginx)
    for match in matches:
        check_repeats(match)
        check_received(match)
        assert (len(now[match.id]) > 1) == (match in hit)
    assert all(match.readings > 1 for match in hit)


def test_a_worker_that_is_back_serves_again(
    nginx: Proxy, http: httpx.Client, running: Workers
) -> None:
    def some_at(address: str) -> bool:
        match = Playing(http)
        match.get(f"{match.path}/view")
        return owners(nginx).get(match.id) == {address}

    for number, address in enumerate(running.addresses):
        running.kill(number)
        running.start(number)
        wait_until(partial(some_at, address))


def test_a_stopping_worker_ends_its_streams_and_refuses_nobody(
    nginx: Proxy, http: httpx.Client, running: Workers
) -> None:
    matches = [Playing(http, seed) for seed in range(MATCHES)]
    with played(matches):
        wait_until(lambda: all(len(match.acknowledged) >= 2 for match in matches))
        (address,) = owners(nginx)[matches[0].id]
        number = running.addresses.index(address)
        assert running.stop(number) == 0
        running.start(number)
    for match in matches:
        check_repeats(match)
        check_received(match)


def test_a_line_passes_through_at_once(http: httpx.Client) -> None:
    match, headers = Playing(http), {"Accept": SSE, "Last-Event-ID": "0"}
    with http.stream("GET", f"{match.path}/stream", headers=headers, timeout=5) as stream:
        assert any(line.startswith("id:") for line in stream.iter_lines())


def moved(match: Playing, before: int) -> bool:
    """Whether the match has gone on."""
    return match.over or len(match.acknowledged) > before


def check_repeats(match: Playing) -> None:
    """Everything acknowledged is on record: a repeat gets the same answer."""
    assert match.acknowledged
    for action in match.acknowledged:
        assert repeated(match, action) == action.answer


def repeated(match: Playing, action: Acknowledged) -> object:
    headers = {
        "Authorization": f"Bearer {action.key}", "Idempotency-Key": action.idempotency_key
    }  # fmt: skip
    answer = match.http.post(f"{match.path}/actions", json=action.action, headers=headers)
    assert answer.status_code == 200, answer.text
    assert answer.headers["Idempotent-Replayed"] == "true"
    return answer.json()


def check_received(match: Playing) -> None:
    """The reader received everything, once and in order."""
    last = match.get(f"{match.path}/view")["seq"]
    assert match.received == list(range(1, last + 1))
