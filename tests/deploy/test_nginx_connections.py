"""How many requests one address may have under way at nginx (`limit_conn`)."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from uuid import uuid4

import httpx
import msgspec
import pytest

from tests.deploy.nginx_proxy import Proxy, needs_nginx, proxy
from tests.deploy.upstream_stub import Recipient
from tests.support.http import local_http
from tests.support.http.problem_documents import document
from tests.support.waiting import wait_until

pytestmark = needs_nginx

DEPLOYED = "limit_conn arbiter_connections 2000;"
MOST = 3


@pytest.fixture
def nginx(tmp_path: Path, workers: list[Recipient]) -> Iterator[Proxy]:
    """nginx that allows an address `MOST` requests at a time, and workers that end no answer."""
    addresses = [worker.address for worker in workers]
    edits = {DEPLOYED: DEPLOYED.replace("2000", str(MOST))}
    with proxy(tmp_path / "nginx", addresses, edits=edits) as running:
        for worker in workers:
            worker.holds = True
        yield running


def client(nginx: Proxy, address: str) -> httpx.Client:
    """A client at this address of the loopback network."""
    transport = httpx.HTTPTransport(verify=local_http.PLAIN, local_address=address)
    return httpx.Client(base_url=nginx.url, transport=transport, timeout=10, trust_env=False)


def watch(http: httpx.Client, readers: ExitStack) -> int:
    """Opens a stream that lasts as long as `readers`; its status."""
    stream = http.stream("GET", f"/v1/matches/{uuid4()}/stream")
    return readers.enter_context(stream).status_code


def answers_end(workers: list[Recipient]) -> None:
    """From now on the workers end their answers at once."""
    for worker in workers:
        worker.holds = False


def test_an_address_has_only_so_many_streams_open(nginx: Proxy, workers: list[Recipient]) -> None:
    with client(nginx, "127.0.4.1") as one, client(nginx, "127.0.4.2") as other:
        with ExitStack() as readers:
            assert [watch(one, readers) for _ in range(MOST)] == [200] * MOST
            refused = one.get("/v1/games")
            assert refused.status_code == 429
            assert refused.content == msgspec.json.encode(document("too_many_requests"))
            assert refused.headers["Content-Type"] == "application/problem+json"
            assert int(refused.headers["Retry-After"]) > 0
            assert watch(other, readers) == 200, "another address does not notice"
            assert "127.0.4.1" not in nginx.said()
        answers_end(workers)
        wait_until(lambda: one.get(f"/v1/matches/{uuid4()}/view").status_code == 200)


def test_idle_connections_do_not_count(nginx: Proxy, workers: list[Recipient]) -> None:
    answers_end(workers)
    with ExitStack() as opened:
        clients = [opened.enter_context(client(nginx, "127.0.4.3")) for _ in range(MOST + 2)]
        assert [http.get("/v1/games").status_code for http in clients] == [200] * len(clients)
