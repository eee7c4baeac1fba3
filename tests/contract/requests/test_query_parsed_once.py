"""A request's query is bounded, and parsed once, whoever asks for its parameters."""

from collections.abc import Iterator
from urllib import parse

import pytest

from service.http.middleware.limits import ADDRESS_LIMIT, MOST_PARAMETERS
from tests.contract.requests.raw_http import request, send
from tests.support.servers.live_server import Live, LiveMatch, serving

ORIGIN = "https://play.example.org"


class Unquoted:
    """How often a parameter has been decoded, by its text."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.times: dict[str, int] = {}
        honest = parse.unquote

        def unquote(text: str, *args: str, **named: str) -> str:
            self.times[text] = self.times.get(text, 0) + 1
            return honest(text, *args, **named)

        monkeypatch.setattr(parse, "unquote", unquote)


@pytest.fixture(scope="module")
def crossed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """A server whose answers depend on where its readers come from."""
    with serving(tmp_path_factory.mktemp("crossed"), origins=(ORIGIN, "*")) as server:
        yield server


@pytest.mark.parametrize(
    "path",
    [
        "/v1/matches/{}/events?after=%30&wait=&as=public&{}",
        "/v1/matches/{}/events?wait=&as=seat:0&{}",
        "/v1/matches/{}/view?as=public&at=%30&{}",
        "/v1/matches/{}/stream?after=0&ticket=nobody&{}",
        "/v1/matches/{}/actions?{}",
        "/v1/matches?status=running&{}",
        "/m/{}?{}",
        "/nothing/{}?{}",
    ],
)
@pytest.mark.parametrize("key", [(), ("Authorization: Bearer nobody",)], ids=["no key", "a key"])
def test_a_query_is_parsed_once(
    crossed: Live, path: str, key: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    match = crossed.create("dollar-prize")
    own = f"own{match.id.replace('-', '')}"
    counted = Unquoted(monkeypatch)
    origin = f"Origin: {ORIGIN}"
    sent = request("GET", path.format(match.id, f"{own}=1"), headers=(origin, *key))
    [reply] = send(crossed, sent)
    assert reply.status in (200, 400, 401, 404)
    assert counted.times.get(own, 0) <= 1


def test_the_count_would_notice_a_second_time(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = Unquoted(monkeypatch)
    for _ in range(2):
        parse.parse_qsl("own=1")
    assert counted.times["own"] == 2


@pytest.mark.parametrize("more", [0, 1])
def test_parameters_are_limited_in_number(live: Live, coins: LiveMatch, more: int) -> None:
    query = "&".join(["a"] * (MOST_PARAMETERS + more))
    [reply] = send(live, request("GET", f"{coins.anyone.path}/events?{query}"))
    assert reply.status == (431 if more else 400)
    assert reply.is_problem


@pytest.mark.parametrize("more", [0, 1])
def test_an_address_is_limited_in_length(live: Live, more: int) -> None:
    path = "/healthz?x="
    path += "x" * (ADDRESS_LIMIT - len(path) + more)
    [reply] = send(live, request("GET", path))
    assert (reply.status == 431) == bool(more)
