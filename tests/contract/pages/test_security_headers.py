"""No response is taken by a browser for another type than it says, shown in a frame of another
site, or allowed to run anything but the service's own files."""

import re
from base64 import b64encode
from hashlib import sha256

import pytest

from service.http.middleware import rate_limiting
from tests.support.servers.live_server import Live
from tests.support.servers.raw_sockets import connected, everything, live, request

__all__ = ["live"]

CLOSE = "Connection: close\r\n"
NOBODYS = "01890000-0000-7000-8000-000000000000"
REQUESTS = {
    "200": request("/v1/games", more=CLOSE),
    "200 page": request("/verify", more=CLOSE),
    "200 manual": request("/docs", more=CLOSE),
    "200 API page": request("/schema", more=CLOSE),
    "200 first page": request("/", more=CLOSE),
    "200 invitation": request(f"/play/{NOBODYS}", more=CLOSE),
    "200 script": request("/schema/assets/start.js", more=CLOSE),
    "200 health": request("/healthz", more=CLOSE),
    "200 list": request("/v1/matches", more=CLOSE),
    "401": request(f"/v1/matches/{NOBODYS}/receipts", more=CLOSE),
    "404": request("/nowhere", more=CLOSE),
    "405": request("/v1/games", more=CLOSE).replace(b"GET", b"PUT"),
    "400": b"NONSENSE\r\n\r\n",
    "400 host": b"GET /v1/games HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    "431": b"GET / HTTP/1.1\r\nA: " + b"a" * 100_000,
}


def heads(received: bytes) -> list[bytes]:
    head, _, _ = received.partition(b"\r\n\r\n")
    return head.lower().split(b"\r\n")


def test_a_request_that_is_turned_away_gets_it_too(
    live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rate_limiting, "MOST_REQUESTS", 0)
    with connected(live, request("/v1/games", more=CLOSE)) as connection:
        head = heads(everything(connection))
    assert head[0].split()[1] == b"503"
    assert head.count(b"x-content-type-options: nosniff") == 1
    assert policies(head) == [DATA]


DATA = "default-src 'none'; frame-ancestors 'none'"


def policies(head: list[bytes]) -> list[str]:
    name = b"content-security-policy: "
    return [line.removeprefix(name).decode() for line in head if line.startswith(name)]


def allowed(live: Live, path: str) -> dict[str, list[str]]:
    """What a page's policy allows, by directive."""
    rules = live.anyone.get(path).headers["content-security-policy"].split(";")
    return {name: values for name, *values in map(str.split, rules)}


DATA_ALONE = ("200", "200 health", "200 list")


@pytest.mark.parametrize("status", REQUESTS)
def test_no_type_is_guessed_and_every_response_has_one_strict_policy(
    live: Live, status: str
) -> None:
    with connected(live, REQUESTS[status]) as connection:
        head = heads(everything(connection))
    assert head[0].split()[1] == status[:3].encode()
    assert head.count(b"x-content-type-options: nosniff") == 1
    (policy,) = policies(head)
    rules = [rule.strip() for rule in policy.split(";")]
    assert "default-src 'none'" in rules
    assert "frame-ancestors 'none'" in rules
    assert "unsafe" not in policy and "*" not in policy and "http" not in policy
    if status in DATA_ALONE or status[0] == "4":
        assert policy == DATA


def test_a_stream_may_load_and_run_nothing(live: Live) -> None:
    match = live.started("dollar-prize")
    for accept in ("text/event-stream", "application/x-ndjson"):
        with match.anyone.stream({"Accept": accept}) as opened:
            assert opened.headers.get_list("content-security-policy") == [DATA]


def test_the_page_of_the_api_runs_files_of_the_service_alone(live: Live) -> None:
    found = allowed(live, "/schema")
    assert found["script-src"] == found["style-src"] == found["connect-src"] == ["'self'"]
    assert found["base-uri"] == found["form-action"] == ["'none'"]


def test_the_verifiers_policy_names_the_script_and_the_style_that_are_sent(live: Live) -> None:
    found = allowed(live, "/verify")
    page = live.anyone.get("/verify").text
    for element in ("script", "style"):
        (content,) = re.findall(f"<{element}>(.*?)</{element}>", page, re.DOTALL)
        digest = b64encode(sha256(content.encode()).digest()).decode()
        assert found[f"{element}-src"] == [f"'sha256-{digest}'"]
    assert found["frame-ancestors"] == ["'none'"]
