"""What nginx does with requests, as seen by recording workers."""

import shutil
import ssl
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import httpx
import msgspec
import pytest

from service.http.middleware.limits import BODY_LIMIT
from tests.deploy import nginx_proxy
from tests.deploy.nginx_proxy import Proxy, needs_nginx, proxy
from tests.deploy.upstream_stub import DATE, Recipient
from tests.support.http import local_http
from tests.support.http.problem_documents import document
from tests.support.waiting import wait_until

pytestmark = needs_nginx

TICKET = "a-ticket-nobody-may-read-0123456789"
KEY = "arb_s0_a-key-that-nobody-may-read"


def who(http: httpx.Client, path: str) -> int:
    answer = http.get(path)
    assert answer.status_code == 200, answer.text
    return int(answer.text)


# Routing.


@pytest.mark.parametrize("kind", ["matches", "tournaments"])
def test_all_requests_about_one_match_go_to_one_worker(http: httpx.Client, kind: str) -> None:
    found = set()
    for _ in range(40):
        about = f"/v1/{kind}/{uuid4()}"
        below = ["", "/", "/view?as=public", "/actions", "/stream?after=0", "/events?limit=1"]
        workers_seen = {who(http, about + more) for more in below}
        assert len(workers_seen) == 1
        found |= workers_seen
    assert found == {0, 1, 2}


def test_requests_about_no_match_are_distributed(http: httpx.Client) -> None:
    for path in ("/v1/matches", "/v1/tournaments?limit=1", "/v1/games/together", "/"):
        assert {who(http, path) for _ in range(30)} == {0, 1, 2}, path


def test_a_failed_worker_moves_no_match_of_another(
    http: httpx.Client, workers: list[Recipient]
) -> None:
    paths = [f"/v1/matches/{uuid4()}/view" for _ in range(60)]
    before = {path: who(http, path) for path in paths}
    workers[1].die()
    after = {path: who(http, path) for path in paths}
    assert all(after[path] == owner for path, owner in before.items() if owner != 1)
    assert {after[path] for path, owner in before.items() if owner == 1} == {0, 2}


def test_every_nginx_gives_a_match_to_the_same_worker(
    tmp_path: Path, http: httpx.Client, workers: list[Recipient]
) -> None:
    paths = [f"/v1/matches/{uuid4()}/view" for _ in range(40)]
    addresses = [worker.address for worker in reversed(workers)]
    with proxy(tmp_path / "another", addresses) as another, local_http.client(another.url) as there:
        assert [who(http, path) for path in paths] == [who(there, path) for path in paths]


# Repeated requests.


def owned(http: httpx.Client, worker: int) -> str:
    """The path of a match that the worker serves."""
    while True:
        path = f"/v1/matches/{uuid4()}"
        if who(http, f"{path}/view") == worker:
            return path


def test_a_sent_action_is_not_sent_again(http: httpx.Client, workers: list[Recipient]) -> None:
    path = owned(http, 0)
    workers[0].hangs_up = True
    for worker in workers:
        worker.sent.clear()
    answer = http.post(f"{path}/actions", json={}, headers={"Idempotency-Key": "one"})
    assert answer.status_code == 503
    assert answer.headers["Retry-After"] == "1"
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.content == msgspec.json.encode(document("try_again"))
    assert [len(worker.sent) for worker in workers] == [1, 0, 0]
    # When its sender repeats it, it goes to a worker that is up.
    repeated = http.post(f"{path}/actions", json={}, headers={"Idempotency-Key": "one"})
    assert repeated.status_code == 200
    assert len(workers[0].sent) == 1


def test_an_action_that_could_not_be_sent_goes_to_another(
    http: httpx.Client, workers: list[Recipient]
) -> None:
    path = owned(http, 0)
    workers[0].die()
    answer = http.post(f"{path}/actions", json={})
    assert answer.status_code == 200
    assert answer.text in "12"


def test_safe_requests_are_retried_at_another_worker(
    http: httpx.Client, workers: list[Recipient]
) -> None:
    path = owned(http, 2)
    workers[2].hangs_up = True
    assert who(http, f"{path}/view") in (0, 1)


def test_a_worker_that_is_back_has_its_matches_again(
    http: httpx.Client, workers: list[Recipient]
) -> None:
    path = owned(http, 2)
    workers[2].hangs_up = True
    assert who(http, f"{path}/view") != 2
    workers[2].hangs_up = False
    wait_until(lambda: who(http, f"{path}/view") == 2)


# Forwarded headers.


def test_no_client_chooses_its_own_address(http: httpx.Client, workers: list[Recipient]) -> None:
    http.get("/v1/games", headers={"X-Forwarded-For": "192.0.2.1", "Authorization": KEY})
    (sent,) = [request for worker in workers for request in worker.sent]
    assert sent.headers["x-forwarded-for"] == "127.0.0.1"
    assert sent.headers["authorization"] == KEY
    assert sent.headers["host"] == f"127.0.0.1:{http.base_url.port}"


def test_the_date_header_is_the_services(http: httpx.Client) -> None:
    assert http.get("/v1/games").headers.get_list("date") == [DATE]


def test_connections_to_workers_are_reused(http: httpx.Client, workers: list[Recipient]) -> None:
    before = sum(len(worker.connections) for worker in workers)
    path = f"/v1/matches/{uuid4()}/view"
    for _ in range(20):
        who(http, path)
    assert sum(len(worker.connections) for worker in workers) <= before + 1


STREAMS = [
    "/v1/matches/{}/stream",
    "/v1/matches/{}/stream/",
    "//v1//matches/{}//stream//",
    "/v1/matches/{}/%73tream%2F",
    "/v1/matches/urn:uuid:{}/stream",
]
"""All of them are streams to the service."""


@pytest.mark.parametrize("spelt", STREAMS)
def test_a_stream_is_forwarded_as_it_comes(
    nginx: Proxy, http: httpx.Client, workers: list[Recipient], spelt: str
) -> None:
    for worker in workers:
        worker.holds = True
    with http.stream("GET", nginx.url + spelt.format(uuid4())) as stream:
        parts = stream.iter_raw()
        assert next(parts) in (b"0", b"1", b"2")
        for worker in workers:
            worker.go_on.set()
        assert b"".join(parts) == b"the end"


# Sizes.


def chunked(size: int) -> Iterator[bytes]:
    for start in range(0, size, 1_000):
        yield b"x" * min(1_000, size - start)


@pytest.mark.parametrize("sent_as", ["a whole", "chunks"])
def test_a_body_may_be_as_large_as_the_service_allows(
    nginx: Proxy, http: httpx.Client, workers: list[Recipient], sent_as: str
) -> None:
    def content(size: int) -> bytes | Iterator[bytes]:
        return b"x" * size if sent_as == "a whole" else chunked(size)

    assert http.post("/v1/matches", content=content(BODY_LIMIT)).status_code == 200
    (sent,) = [request for worker in workers for request in worker.sent]
    assert sent.body == b"x" * BODY_LIMIT
    # nginx warns of every body that it has put into a file.
    assert "temporary file" not in nginx.said()
    answer = http.post("/v1/matches", content=content(BODY_LIMIT + 1))
    assert answer.status_code == 413
    assert answer.content == msgspec.json.encode(document("too_large"))


@pytest.mark.parametrize("origin", ["https://play.example.org", "https://other.example", None])
def test_pages_of_named_origins_may_read_its_own_errors(
    tmp_path: Path, workers: list[Recipient], monkeypatch: pytest.MonkeyPatch, origin: str | None
) -> None:
    named = "https://play.example.org"
    shutil.copytree(nginx_proxy.DEPLOYED, tmp_path / "deployed")
    origins = tmp_path / "deployed" / "origins.conf"
    (line,) = (line for line in origins.read_text().splitlines() if named in line)
    added = f'    default "";\n{line.removeprefix("#")}'
    origins.write_text(origins.read_text().replace('    default "";', added, 1))
    monkeypatch.setattr(nginx_proxy, "DEPLOYED", tmp_path / "deployed")
    addresses = [worker.address for worker in workers]
    headers = {} if origin is None else {"Origin": origin}
    with (
        proxy(tmp_path / "nginx", addresses) as running,
        local_http.client(running.url, timeout=10, headers=headers) as http,
    ):
        for worker in workers:
            worker.hangs_up = True
        refused = {
            503: http.get("/v1/games"),
            413: http.post("/v1/matches", content=b"x" * (BODY_LIMIT + 1)),
            431: http.get("/v1/games", headers={"X-Much": "x" * 20_000}),
        }
    for status, answer in refused.items():
        assert answer.status_code == status
        read_by = answer.headers.get("access-control-allow-origin")
        assert read_by == (named if origin == named else None)
        assert ("access-control-expose-headers" in answer.headers) == (origin == named)
        assert answer.headers["vary"] == "Origin"


# Logs.


@pytest.mark.parametrize("spelt", [*STREAMS, "/v1/calendar.ics", "/v1//calendar.ics/"])
def test_no_log_contains_a_ticket_or_a_key(
    nginx: Proxy, http: httpx.Client, workers: list[Recipient], spelt: str
) -> None:
    match = str(uuid4())
    path = nginx.url + spelt.format(match)
    headers = {"Authorization": f"Bearer {KEY}"}
    secret = {"token" if "calendar" in spelt else "ticket": TICKET}
    assert http.get(path, params=secret, headers=headers).status_code == 200
    # One that fails half way, and one for which no worker is left.
    for worker in workers:
        worker.hangs_up = True
    for _ in range(3):
        assert http.get(path, params=secret, headers=headers).status_code == 503
    said = nginx.said()
    assert (match if match in path else "/v1/calendar.ics") in said
    assert TICKET not in said
    assert KEY not in said


# TLS.


def test_tls(tmp_path: Path, workers: list[Recipient], certificate: Path) -> None:
    trusting = ssl.create_default_context(cafile=certificate / "arbiter.crt")
    with (
        proxy(tmp_path / "nginx", [worker.address for worker in workers], certificate) as nginx,
        httpx.Client(verify=trusting, trust_env=False) as http,
    ):
        for worker in workers:
            worker.sent.clear()
        answer = http.get(f"{nginx.url}/v1/games")
        assert answer.status_code == 200
        assert "max-age=" in answer.headers["Strict-Transport-Security"]
        refused = http.post(f"{nginx.url}/v1/matches", content=b"x" * (BODY_LIMIT + 1))
        assert refused.status_code == 413
        own = refused.headers["Strict-Transport-Security"]
        assert own == answer.headers["Strict-Transport-Security"]
        (sent,) = [request for worker in workers for request in worker.sent]
        assert sent.headers["x-forwarded-proto"] == "https"
        plain = f"http://127.0.0.1:{nginx.port}"
        assert http.get(f"{plain}/schema").headers["Location"] == "https://127.0.0.1/schema"
        assert http.get(f"{plain}/v1/games").status_code == 403
