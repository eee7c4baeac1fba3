"""nginx's own answers forbid a browser as much as the service's: no guessed type, no code."""

import socket
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import httpx
import pytest

from service.http.middleware.limits import BODY_LIMIT
from service.http.middleware.page_security import API_PAGE, DATA, POLICY
from tests.support.deploy.nginx_proxy import needs_nginx, proxy
from tests.support.deploy.upstream_stub import Recipient

pytestmark = needs_nginx

NO_GUESSING = "X-Content-Type-Options"


def said(http: httpx.Client, sent: bytes) -> httpx.Headers:
    """The headers with which nginx answers these bytes."""
    with socket.create_connection(("127.0.0.1", http.base_url.port or 0), 5) as connection:
        connection.sendall(sent)
        answer = b"".join(iter(lambda: connection.recv(65_536), b""))
    first, *lines = answer.partition(b"\r\n\r\n")[0].decode().split("\r\n")
    parted = (line.partition(": ") for line in lines)
    return httpx.Headers(
        [("status", first.split()[1]), *((name, value) for name, _, value in parted)]
    )


def answered(answer: httpx.Response) -> httpx.Headers:
    return httpx.Headers([("status", str(answer.status_code)), *answer.headers.multi_items()])


HOST = b"Host: a\r\nConnection: close\r\n"
OWN_ANSWERS: dict[str, Callable[[httpx.Client], httpx.Headers]] = {
    "400": lambda http: said(http, b"<GET>\r\n\r\n"),
    "405": lambda http: said(http, b"TRACE / HTTP/1.1\r\n" + HOST + b"\r\n"),
    "413": lambda http: answered(http.post("/v1/matches", content=b"x" * (BODY_LIMIT + 1))),
    "431": lambda http: answered(http.get("/v1/games", headers={"X-Much": "x" * 20_000})),
    "501": lambda http: said(
        http, b"POST / HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: none\r\n\r\n"
    ),
    "505": lambda http: said(http, b"GET / HTTP/9.9\r\n" + HOST + b"\r\n"),
    "503": lambda http: answered(http.get("/v1/games")),
    "503 stream": lambda http: answered(http.get(f"/v1/matches/{uuid4()}/stream")),
    "503 cached": lambda http: answered(http.get(f"/v1/matches/{uuid4()}/view?as=public&at=1")),
}
"""Answers that no worker gives; all workers hang up."""


def assert_safe(headers: httpx.Headers) -> None:
    assert headers.get_list(NO_GUESSING) == ["nosniff"]
    assert headers.get_list(POLICY) == [DATA]


@pytest.mark.parametrize("name", OWN_ANSWERS)
def test_an_answer_of_nginx_s_own_lets_nothing_run(
    http: httpx.Client, workers: list[Recipient], name: str
) -> None:
    for worker in workers:
        worker.hangs_up = True
    headers = OWN_ANSWERS[name](http)
    assert headers["status"] == name[:3]
    assert_safe(headers)


def test_a_worker_s_own_headers_are_sent_on_once(
    http: httpx.Client, workers: list[Recipient]
) -> None:
    """A page has another policy than data has, also when it is kept."""
    kept = f"/v1/matches/{uuid4()}/view?as=public&at=1"
    for worker in workers:
        worker.headers = {
            POLICY: API_PAGE, NO_GUESSING: "nosniff", "Cache-Control": "public, max-age=60",
        }  # fmt: skip
        worker.sent.clear()
    for path in ("/schema", kept, kept):
        headers = http.get(path).headers
        assert headers.get_list(NO_GUESSING) == ["nosniff"]
        assert headers.get_list(POLICY) == [API_PAGE]
    assert sum(len(worker.sent) for worker in workers) == 2


def test_without_tls_it_is_the_same(
    tmp_path: Path, workers: list[Recipient], certificate: Path
) -> None:
    """The server that answers requests without TLS next to the one with it."""
    addresses = [worker.address for worker in workers]
    with proxy(tmp_path / "nginx", addresses, certificate) as nginx:
        plain = httpx.Client(base_url=f"http://127.0.0.1:{nginx.port}", trust_env=False)
        with plain as http:
            for path, status in (("/schema", 308), ("/v1/games", 403)):
                answer = http.get(path)
                assert answer.status_code == status
                assert_safe(answer.headers)
