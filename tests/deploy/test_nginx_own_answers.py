"""nginx's own answers forbid a browser as much as the service's: no guessed type, no code."""

import socket
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

import httpx
import msgspec

from service.http.middleware.limits import BODY_LIMIT
from service.http.middleware.page_security import API_PAGE, DATA, POLICY
from tests.deploy.nginx_proxy import needs_nginx, proxy
from tests.deploy.upstream_stub import Recipient
from tests.support.http.problem_documents import document

pytestmark = needs_nginx

NO_GUESSING = "X-Content-Type-Options"


class Own(NamedTuple):
    """An answer of nginx's own."""

    status: int
    headers: httpx.Headers
    body: bytes


def said(http: httpx.Client, sent: bytes) -> Own:
    """What nginx answers to these bytes."""
    with socket.create_connection(("127.0.0.1", http.base_url.port or 0), 5) as connection:
        connection.sendall(sent)
        answer = b"".join(iter(lambda: connection.recv(65_536), b""))
    head, _, body = answer.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    parted = (line.partition(": ") for line in lines)
    return Own(
        int(first.split()[1]), httpx.Headers([(name, value) for name, _, value in parted]), body
    )


def answered(answer: httpx.Response) -> Own:
    return Own(answer.status_code, answer.headers, answer.content)


HOST = b"Host: a\r\nConnection: close\r\n"
MUCH = "x" * 20_000
OWN_ANSWERS: dict[str, tuple[Callable[[httpx.Client], Own], str | None]] = {
    "400": (lambda http: said(http, b"<GET>\r\n\r\n"), "bad_request"),
    "400 no host": (lambda http: said(http, b"GET /v1/games HTTP/1.1\r\n\r\n"), "bad_request"),
    "405": (lambda http: said(http, b"TRACE / HTTP/1.1\r\n" + HOST + b"\r\n"), None),
    "413": (
        lambda http: answered(http.post("/v1/matches", content=b"x" * (BODY_LIMIT + 1))),
        "too_large",
    ),
    "431": (
        lambda http: answered(http.get("/v1/games", headers={"X-Much": MUCH})),
        "head_too_large",
    ),
    "431 query": (lambda http: answered(http.get(f"/v1/games?much={MUCH}")), "head_too_large"),
    "501": (
        lambda http: said(http, b"POST / HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: none\r\n\r\n"),
        None,
    ),
    "505": (lambda http: said(http, b"GET / HTTP/9.9\r\n" + HOST + b"\r\n"), None),
    "503": (lambda http: answered(http.get("/v1/games")), "try_again"),
    "503 stream": (lambda http: answered(http.get(f"/v1/matches/{uuid4()}/stream")), "try_again"),
    "503 cached": (
        lambda http: answered(http.get(f"/v1/matches/{uuid4()}/view?as=public&at=1")),
        "try_again",
    ),
}
"""Answers that no worker gives, and the service's own problem that each of them is; all workers
hang up."""


def assert_safe(headers: httpx.Headers) -> None:
    assert headers.get_list(NO_GUESSING) == ["nosniff"]
    assert headers.get_list(POLICY) == [DATA]


def test_an_answer_of_nginx_s_own_is_the_services_and_lets_nothing_run(
    http: httpx.Client, workers: list[Recipient]
) -> None:
    for worker in workers:
        worker.hangs_up = True
    for name, (asked, problem) in OWN_ANSWERS.items():
        answer = asked(http)
        assert answer.status == int(name[:3]), name
        assert_safe(answer.headers)
        if problem is not None:
            assert answer.body == msgspec.json.encode(document(problem)), name


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
