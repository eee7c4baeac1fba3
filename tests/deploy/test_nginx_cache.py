"""nginx in front of a real service: many watchers are one request, and nothing private is kept."""

import asyncio
import time
from asyncio import StreamReader, StreamWriter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest

from tests.deploy.nginx_proxy import WORKERS, Proxy, needs_nginx, proxy
from tests.deploy.upstream_stub import recipients
from tests.support.effort import times
from tests.support.http import local_http
from tests.support.servers.live_server import Live, LiveMatch, serving
from tests.support.servers.raw_sockets import live
from tests.support.waiting import until, wait_until

PATIENCE = 60.0
A_PER_ADDRESS = 200
"""Watchers behind one address: nginx limits how many there may be."""


class Watched(NamedTuple):
    """The answer to one watcher."""

    status: int
    body: bytes


class Watchers:
    """Readers with a connection each, in groups at addresses of the loopback network."""

    def __init__(self, port: int, count: int) -> None:
        self._port = port
        self._count = count
        self._connections: list[tuple[StreamReader, StreamWriter]] = []

    async def ask(self, path: str) -> None:
        """Connects all watchers, and sends each one's request."""
        for number in range(self._count):
            address = f"127.0.1.{1 + number // A_PER_ADDRESS}"
            reader, writer = await asyncio.open_connection(
                "127.0.0.1", self._port, local_addr=(address, 0)
            )
            writer.write(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
            await writer.drain()
            self._connections.append((reader, writer))

    async def answers(self) -> list[Watched]:
        """The answers to all, when the last has come."""
        async with asyncio.timeout(PATIENCE):
            return await asyncio.gather(*(self._answer(*each) for each in self._connections))

    async def leave(self) -> None:
        """Closes all connections; no one reads an answer."""
        for _, writer in self._connections:
            writer.close()
            await writer.wait_closed()

    async def _answer(self, reader: StreamReader, writer: StreamWriter) -> Watched:
        head, _, body = (await reader.read()).partition(b"\r\n\r\n")
        writer.close()
        return Watched(int(head.split()[1]), body)


__all__ = ["live"]

pytestmark = needs_nginx

COUNT = times("watchers")
ROUND = 20
"""Seconds for which nginx lets watchers share an answer when they wait for 30 (cache.conf)."""


@pytest.fixture(scope="module")
def nginx(tmp_path_factory: pytest.TempPathFactory, live: Live) -> Iterator[Proxy]:
    """nginx, whose three workers are the same service."""
    folder: Path = tmp_path_factory.mktemp("nginx") / "nginx"
    with proxy(folder, [f"127.0.0.1:{live.port}"] * len(WORKERS)) as running:
        yield running


@pytest.fixture
def match(live: Live) -> LiveMatch:
    return live.started("dollar-prize")


def last(match: LiveMatch) -> int:
    seq: int = match.anyone.view().json()["seq"]
    return seq


def act(match: LiveMatch) -> None:
    assert match.seats[0].act({"type": "choose_side", "side": "heads"}).status_code == 201


def finished(nginx: Proxy, match: LiveMatch, count: int) -> list[dict[str, Any]]:
    """The requests for the match's events and views that nginx has answered, `count` of them."""

    def found() -> list[dict[str, Any]]:
        return [line for line in nginx.access_log() if match.id in line["path"]]

    wait_until(lambda: len(found()) >= count)
    assert len(found()) == count
    return found()


def passed_on(nginx: Proxy, match: LiveMatch, count: int) -> int:
    """How many of the `count` requests the service has seen."""
    return sum(bool(line["worker"]) for line in finished(nginx, match, count))


def headers(key: str | None) -> dict[str, str]:
    return {} if key is None else {"Authorization": f"Bearer {key}"}


# Watchers.


async def test_thousands_of_watchers_are_one_request(
    nginx: Proxy, live: Live, match: LiveMatch
) -> None:
    after = last(match)
    path = f"/v1/matches/{match.id}/events?as=public&after={after}&wait=30"
    watchers, began = Watchers(nginx.port, COUNT), time.time()
    await watchers.ask(path)
    await until(lambda: bool(live.instance.broadcast.followed))
    # Each of nginx's processes has read what was sent before this is answered.
    for _ in range(10):
        fence = Watchers(nginx.port, 1)
        await fence.ask("/healthz")
        assert [answer.status for answer in await fence.answers()] == [200]
    asked = time.time()
    act(match)
    answers = await watchers.answers()
    assert {answer.status for answer in answers} == {200}
    (body,) = {answer.body for answer in answers}
    assert body == match.anyone.events("public", after).content
    rounds = int(asked // ROUND) - int(began // ROUND) + 1
    assert 1 <= passed_on(nginx, match, COUNT) <= rounds


async def test_those_who_come_again_after_an_empty_page_are_one_request_again(
    nginx: Proxy, match: LiveMatch
) -> None:
    """The empty page has just been kept for a second; they neither get it again nor all pass."""
    path = f"/v1/matches/{match.id}/events?as=public&after={last(match)}&wait=5"
    count, began = 20, time.time()
    for _ in range(2):
        watchers, asked = Watchers(nginx.port, count), time.time()
        await watchers.ask(path)
        answers = await watchers.answers()
        assert {answer.body for answer in answers} == {b'{"events":[],"next":null}'}
        assert time.time() - asked > 2
    rounds = int(time.time() // 5) - int(began // 5) + 1
    assert passed_on(nginx, match, 2 * count) <= rounds <= 4


async def test_when_the_first_watcher_goes_away_the_others_go_on_sharing(
    nginx: Proxy, live: Live, match: LiveMatch
) -> None:
    wait_until(lambda: not live.instance.broadcast.followed)
    after, began = last(match), time.time()
    path = f"/v1/matches/{match.id}/events?as=public&after={after}&wait=30"
    first, others = Watchers(nginx.port, 1), Watchers(nginx.port, 20)
    await first.ask(path)
    await until(lambda: bool(live.instance.broadcast.followed))
    await others.ask(path)
    await first.leave()
    fence = Watchers(nginx.port, 1)
    await fence.ask("/healthz")
    await fence.answers()
    asked = time.time()
    act(match)
    page = match.anyone.events("public", after).content
    assert {answer.body for answer in await others.answers()} == {page}
    rounds = int(asked // ROUND) - int(began // ROUND) + 1
    assert 1 <= passed_on(nginx, match, 21) <= rounds


def test_who_waits_at_nginx_gets_the_page_of_the_service(
    nginx: Proxy, http: httpx.Client, live: Live, match: LiveMatch
) -> None:
    after = last(match)
    path = f"/v1/matches/{match.id}/events?as=public&after={after}&wait=30"
    keys = [None, *match.keys, "arb_s0_x"]
    with ThreadPoolExecutor(len(keys)) as pool:
        asked = [pool.submit(http.get, path, headers=headers(key)) for key in keys]
        wait_until(lambda: bool(live.instance.broadcast.followed))
        act(match)
        answers = [each.result(40) for each in asked]
    assert {answer.status_code for answer in answers} == {200}
    assert {answer.content for answer in answers} == {match.anyone.events("public", after).content}


def test_head_does_not_wait_at_nginx_and_is_no_answer_to_get(
    http: httpx.Client, match: LiveMatch
) -> None:
    path = f"/v1/matches/{match.id}/events?as=public&after={last(match) - 1}&wait=30"
    began = time.monotonic()
    for address in (path, f"/v1/matches/{match.id}/events?as=public&limit=1"):
        for _ in range(2):
            assert http.head(address).content == b""
            assert http.get(address).json()["events"]
    waiting = f"/v1/matches/{match.id}/events?as=public&after={last(match)}&wait=30"
    assert http.head(waiting).status_code == 200
    assert time.monotonic() - began < 20


# What is kept.


def test_a_page_that_never_changes_is_asked_for_once(
    nginx: Proxy, http: httpx.Client, match: LiveMatch
) -> None:
    for path in ("events?as=public&limit=2", "view?as=public&at=1"):
        first, *others = (
            http.get(f"/v1/matches/{match.id}/{path}", headers=headers(key))
            for key in (None, *match.keys, "arb_mod_x_y", None)
        )
        assert "max-age" in first.headers["cache-control"]
        for answer in others:
            assert (answer.content, answer.headers) == (first.content, first.headers)
    assert passed_on(nginx, match, 2 * 5) == 2


def test_what_a_browser_has_already_is_not_sent_again(
    nginx: Proxy, http: httpx.Client, match: LiveMatch
) -> None:
    path = f"/v1/matches/{match.id}/view?as=public&at=1"
    tag = http.get(path).headers["etag"]
    again = http.get(path, headers={"If-None-Match": tag})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    assert passed_on(nginx, match, 2) == 1


@pytest.mark.parametrize(
    "path",
    ["view", "view?at=1", "view?as=seat:0", "view?as=public", "events", "events?after=0&limit=2",
     "events?as=seat:0", "events?as=public&as=public", "events?as=public&ticket=x"],
)  # fmt: skip
def test_nothing_else_is_kept(
    nginx: Proxy, http: httpx.Client, match: LiveMatch, path: str
) -> None:
    keys = [match.moderator_key, match.keys[0], match.keys[1], None] * 2
    for key in keys:
        there = http.get(f"/v1/matches/{match.id}/{path}", headers=headers(key))
        own = match.anyone.client.get(f"/v1/matches/{match.id}/{path}", headers(key))
        assert (there.status_code, there.content) == (own.status_code, own.content)
    assert passed_on(nginx, match, len(keys)) == len(keys)


def test_a_key_changes_nothing_at_the_publics_address_and_everything_beside_it(
    http: httpx.Client, match: LiveMatch
) -> None:
    path = f"/v1/matches/{match.id}/events"
    public = http.get(path, params={"as": "public", "limit": 2}).content
    for key in (None, *match.keys, match.moderator_key):
        own = http.get(path, headers=headers(key)).content
        assert own == match.anyone.client.get(path, headers(key)).content
        assert (own == http.get(path).content) == (key is None)
        again = http.get(path, params={"as": "public", "limit": 2}, headers=headers(key))
        assert again.content == public


def test_other_parameters_have_another_answer(http: httpx.Client, match: LiveMatch) -> None:
    path = f"/v1/matches/{match.id}/events?as=public"
    kept = http.get(f"{path}&limit=2").content
    for more in ("", "&limit=1", "&limit=2&after=1", "&limit=2&nonsense=1", "&limit=2&wait=7",
                 "&limit=2&", "&limit=02", "&limit=%32", "&limit=2&as=seat:0"):  # fmt: skip
        own = match.anyone.client.get(f"{path}{more}")
        there = http.get(f"{path}{more}")
        assert (there.status_code, there.content) == (own.status_code, own.content), more
    assert http.get(f"{path}&limit=2").content == kept


def test_what_is_kept_for_one_origin_is_not_given_to_another(tmp_path: Path) -> None:
    ours, also_ours, theirs = (f"https://{n}.example.org" for n in ("one", "two", "three"))
    with (
        serving(tmp_path, origins=[ours, also_ours]) as service,
        proxy(tmp_path / "nginx", [f"127.0.0.1:{service.port}"] * len(WORKERS)) as running,
        local_http.client(running.url, timeout=10) as http,
    ):
        path = f"/v1/matches/{service.started('dollar-prize').id}/events?as=public&limit=2"
        for origin in (None, ours, also_ours, theirs, "null", None, ours):
            sent = {} if origin is None else {"Origin": origin}
            named = origin if origin in (ours, also_ours) else None
            answer = http.get(path, headers=sent)
            assert answer.status_code == 200
            assert answer.headers.get("access-control-allow-origin") == named


def test_no_key_is_sent_on_to_the_publics_address(tmp_path: Path) -> None:
    with (
        recipients() as workers,
        proxy(tmp_path / "nginx", [worker.address for worker in workers]) as running,
        local_http.client(running.url, timeout=10) as http,
    ):
        for worker in workers:
            worker.sent.clear()
        match = "01900000-0000-7000-8000-000000000000"
        for query in ("?as=public&after=0", "?after=0"):
            http.get(f"/v1/matches/{match}/events{query}", headers=headers("a-key"))
        sent = [request for worker in workers for request in worker.sent]
    assert ["authorization" in request.headers for request in sent] == [False, True]


# Limits.


def test_a_flood_from_one_address_is_refused_by_nginx(nginx: Proxy, live: Live) -> None:
    with live_connection(nginx, "127.0.2.1") as client:
        statuses = [client.get("/healthz").status_code for _ in range(10)]
        assert statuses == [200] * 10
    with ThreadPoolExecutor(8) as pool:
        found = [status for some in pool.map(flood, [nginx] * 8) for status in some]
    assert set(found) == {200, 429}
    with live_connection(nginx, FLOODING) as client:
        refused = [answer for _ in range(400) if (answer := client.get("/healthz")).is_error]
    assert not refused or refused[0].json()["code"] == "too_many_requests"
    with live_connection(nginx, "127.0.2.1") as client:
        assert client.get("/healthz").status_code == 200, "nobody else notices"


FLOODING = "127.0.2.2"


def flood(nginx: Proxy) -> list[int]:
    with live_connection(nginx, FLOODING) as client:
        return [client.get("/healthz").status_code for _ in range(500)]


def live_connection(nginx: Proxy, address: str) -> httpx.Client:
    """A client at an address of its own."""
    transport = httpx.HTTPTransport(verify=local_http.PLAIN, local_address=address)
    return httpx.Client(base_url=nginx.url, transport=transport, trust_env=False)
