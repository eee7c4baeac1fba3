"""Three workers behind nginx: each match is at one of them, and when that one dies, at another."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from uuid import UUID

import httpx
import pytest

from tests.support.deploy.deployed_workers import Workers, workers
from tests.support.deploy.failover_play import Acknowledged, Playing, played
from tests.support.deploy.nginx_proxy import Proxy, needs_nginx, proxy
from tests.support.http import local_http
from tests.support.servers.live_server import SSE
from tests.support.waiting import wait_until

pytestmark = needs_nginx

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
