"""Cross-origin requests: which pages may read which answers (Fetch standard, 3.2)."""

from collections.abc import Iterator
from ipaddress import ip_network

import httpx
import pytest
from litestar.types import ASGIApp, Receive, Scope, Send

from service.auth.rate_limiter import Rates
from service.auth.request_guard import ClientAddresses, RequestGuard
from service.http.middleware import rate_limiting
from tests.contract.requests.raw_http import Reply, replies, request
from tests.support.servers.live_server import Live, Setup, serving
from tests.support.servers.raw_sockets import connected, everything

OURS, THEIRS = "https://play.example.org", "https://elsewhere.example"
ALSO_OURS = "http://127.0.0.1:5173"
EXPOSED = "ETag, Date, Retry-After, Idempotent-Replayed, Location, Link, Arbiter-Incarnation"
ALLOWED = "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID"
PREFLIGHT = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "x"}
RATES = Rates(by_address="3/minute", failures="100/minute")


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """A server whose operator has named two origins."""
    with serving(tmp_path_factory.mktemp("named"), origins=[OURS, ALSO_OURS]) as server:
        yield server


@pytest.fixture(scope="module")
def everyone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """A server that pages of all origins may read."""
    with serving(tmp_path_factory.mktemp("everyone"), origins=["*"]) as server:
        yield server


@pytest.fixture(scope="module")
def nobody(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """A server as it is by default."""
    with serving(tmp_path_factory.mktemp("nobody")) as server:
        yield server


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """A server with an origin of its own, whose public pages everyone may read."""
    with serving(tmp_path_factory.mktemp("both"), origins=["*", OURS]) as server:
        yield server


def sent(
    server: Live, path: str, origin: str, method: str = "GET", **headers: str
) -> httpx.Response:
    more = {name.replace("_", "-"): value for name, value in headers.items()}
    return server.http.request(method, path, headers={"Origin": origin, **more})


def allowed(answer: httpx.Response) -> str | None:
    origin: str | None = answer.headers.get("access-control-allow-origin")
    return origin


def test_by_default_no_page_of_another_origin_may_read_anything(nobody: Live) -> None:
    for origin in (OURS, "null", "*"):
        answer = sent(nobody, "/v1/games", origin)
        assert not [name for name in answer.headers if name.startswith("access-control")]
        assert "vary" not in answer.headers
        preflight = nobody.http.options("/v1/games", headers={"Origin": origin, **PREFLIGHT})
        assert not [name for name in preflight.headers if name.startswith("access-control")]


@pytest.mark.parametrize("origin", [OURS, ALSO_OURS])
def test_a_named_origin_may_read_every_answer(named: Live, origin: str) -> None:
    match = named.started("dollar-prize")
    key = f"Bearer {match.keys[0]}"
    answers = {
        200: sent(named, f"/v1/matches/{match.id}/view", origin, Authorization=key),
        400: sent(named, f"/v1/matches/{match.id}/view?at=x", origin),
        401: sent(named, f"/v1/matches/{match.id}/actions", origin),
        403: sent(named, f"/v1/matches/{match.id}/view?as=moderator", origin),
        404: sent(named, "/nowhere", origin),
        405: sent(named, "/v1/games", origin, "PUT"),
    }
    for status, answer in answers.items():
        assert answer.status_code == status
        assert allowed(answer) == origin
        assert answer.headers["access-control-expose-headers"] == EXPOSED
        assert "Origin" in answer.headers.get_list("vary")
        assert "access-control-allow-credentials" not in answer.headers


@pytest.mark.parametrize(
    "origin",
    [THEIRS, "null", "NULL", "*", OURS.upper(), f"{OURS}/", f"{OURS}:443", f"{OURS}.evil.example",
     "http://play.example.org", ""],
)  # fmt: skip
def test_another_origin_may_read_nothing(named: Live, origin: str) -> None:
    for path in ("/v1/games", "/nowhere"):
        answer = sent(named, path, origin)
        assert allowed(answer) is None
        assert "Origin" in answer.headers.get_list("vary")
    preflight = sent(named, "/v1/matches", origin, "OPTIONS", **PREFLIGHT)
    assert not [name for name in preflight.headers if name.startswith("access-control")]


def test_an_answer_without_an_origin_differs_from_one_with(named: Live) -> None:
    """A cache must not give it to a page of the origin, or that could not read it."""
    assert named.http.get("/v1/games").headers.get_list("vary") == ["Origin"]


@pytest.mark.parametrize("path", ["/v1/matches", "/v1/matches/x/actions", "/v1/games", "/nowhere"])
def test_a_preflight_needs_no_key(named: Live, path: str) -> None:
    answer = sent(named, path, OURS, "OPTIONS", **PREFLIGHT)
    assert (answer.status_code, answer.content) == (204, b"")
    assert allowed(answer) == OURS
    assert answer.headers["access-control-allow-headers"] == ALLOWED
    assert answer.headers["access-control-allow-methods"] == "GET, HEAD, POST, PATCH, DELETE"
    assert answer.headers["vary"] == "Origin"


def test_with_a_star_everybody_may_read_what_needs_no_key(everyone: Live) -> None:
    match = everyone.started("dollar-prize")
    for path in ("/v1/games", f"/v1/matches/{match.id}/view", "/nowhere"):
        for origin in (THEIRS, "null"):
            answer = sent(everyone, path, origin)
            assert allowed(answer) == "*"
            assert answer.headers["access-control-expose-headers"] == EXPOSED
            assert "Origin" not in answer.headers.get_list("vary")


def test_with_a_star_nobody_may_read_with_a_key(everyone: Live) -> None:
    match = everyone.started("dollar-prize")
    path, key = f"/v1/matches/{match.id}/view", f"Bearer {match.keys[0]}"
    assert allowed(sent(everyone, path, THEIRS, Authorization=key)) is None
    ticket = match.seats[0].client.post(f"/v1/matches/{match.id}/stream-tickets").json()["ticket"]
    address = f"/v1/matches/{match.id}/stream?%74icket={ticket}"
    assert allowed(sent(everyone, address, THEIRS, "HEAD")) is None
    preflight = sent(everyone, path, THEIRS, "OPTIONS", **PREFLIGHT)
    assert allowed(preflight) == "*"
    assert "authorization" not in preflight.headers["access-control-allow-headers"].lower()
    assert preflight.headers["access-control-allow-methods"] == "GET, HEAD"


def test_at_the_publics_addresses_a_key_makes_no_difference(everyone: Live) -> None:
    """A cache keeps one answer for those with a key and those without."""
    match = everyone.started("dollar-prize")
    path, key = f"/v1/matches/{match.id}/view?as=public", f"Bearer {match.keys[0]}"
    assert allowed(sent(everyone, path, THEIRS, Authorization=key)) == "*"


def test_a_named_origin_beside_the_star_may_use_keys(both: Live) -> None:
    match = both.started("dollar-prize")
    path, key = f"/v1/matches/{match.id}/view", f"Bearer {match.keys[0]}"
    assert allowed(sent(both, path, OURS, Authorization=key)) == OURS
    assert allowed(sent(both, path, THEIRS, Authorization=key)) is None
    assert allowed(sent(both, path, THEIRS)) == allowed(sent(both, path, OURS)) == "*"
    preflight = sent(both, path, OURS, "OPTIONS", **PREFLIGHT)
    assert (allowed(preflight), preflight.headers["access-control-allow-headers"]) == (
        OURS, ALLOWED
    )  # fmt: skip


# Refusals from below the routes.


def test_the_limiter_refuses_with_the_headers_and_no_preflight(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    guard = RequestGuard(RATES, ClientAddresses([ip_network("127.0.0.0/8")], exempt=()))
    with serving(
        tmp_path_factory.mktemp("limited"), setup=Setup(guard=guard), origins=[OURS]
    ) as live:
        answers = [sent(live, "/v1/games", OURS) for _ in range(4)]
        assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
        assert allowed(answers[-1]) == OURS
        assert "Retry-After" in answers[-1].headers["access-control-expose-headers"]
        preflight = sent(live, "/v1/games", OURS, "OPTIONS", **PREFLIGHT)
        assert (preflight.status_code, allowed(preflight)) == (204, OURS)


def answered(server: Live, raw: bytes) -> Reply:
    with connected(server, raw) as connection:
        [reply] = replies(everything(connection))
    return reply


def test_a_busy_service_refuses_with_the_headers(
    named: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rate_limiting, "MOST_REQUESTS", 0)
    reply = answered(named, request("GET", "/v1/games", headers=(f"Origin: {OURS}",)))
    assert reply.status == 503
    assert f"access-control-allow-origin: {OURS}".encode() in reply.head


@pytest.mark.parametrize(
    ("status", "raw"),
    [
        (431, f"GET / HTTP/1.1\r\nHost: x\r\nOrigin: {OURS}\r\nA: {'a' * 100_000}".encode()),
        (400, f"GET / HTTP/1.1\r\nHost: x\r\nOrigin: {OURS}\r\nX:\0\r\n\r\n".encode()),
        (400, f"GET / HTTP/1.1\r\nOrigin: {OURS}\r\n\r\n".encode()),
    ],
    ids=["a long head", "no HTTP", "no host"],
)
def test_the_server_below_refuses_with_the_headers(named: Live, status: int, raw: bytes) -> None:
    reply = answered(named, raw)
    assert (reply.status, reply.is_problem) == (status, True)
    assert f"access-control-allow-origin: {OURS}".encode() in reply.head


def test_a_failure_outside_of_the_application_has_the_headers(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    def failing(app: ASGIApp) -> ASGIApp:
        async def fail_on_requests(scope: Scope, receive: Receive, send: Send) -> None:
            if scope.get("path") == "/v1/games":
                raise RuntimeError("planted")
            await app(scope, receive, send)

        return fail_on_requests

    folder = tmp_path_factory.mktemp("failing")
    with serving(folder, setup=Setup(within=failing), origins=[OURS]) as live:
        answer = sent(live, "/v1/games", OURS)
    assert (answer.status_code, allowed(answer)) == (500, OURS)


def test_too_many_connections_are_refused_with_what_all_may_read(everyone: Live) -> None:
    everyone.server.connections.most = 0
    try:
        with connected(everyone) as connection:
            [reply] = replies(everything(connection))
    finally:
        everyone.server.connections.most = 1_000
    assert reply.status == 503
    assert b"access-control-allow-origin: *" in reply.head
