"""Errors: RFC 9457 documents with a stable code, one for every status of the contract."""

import sqlite3
from collections.abc import Sequence

import httpx
import pytest

from tests.support.http.match_play import all_events, assert_problem, problem_of
from tests.support.servers.live_server import Json, Live, LiveMatch

SIDE: Json = {"type": "choose_side", "side": "heads"}
MISSING = "01900000-0000-7000-8000-000000000000"


@pytest.mark.parametrize(
    "path",
    [
        "/v1",
        "/v1/nothing",
        "/v2/matches",
        "/%00",
        "/v1/games/../../etc/passwd",
        "/schema/assets/../../secret",
        "/schema/assets/secret.js",
        "/v1/matches/not-a-uuid/view",
        f"/v1/matches/{MISSING}",
        f"/v1/matches/{MISSING}/nothing",
        f"/v1/matches/{MISSING}/view",
        f"/v1/matches/{MISSING}/events",
        f"/v1/matches/{MISSING}/stream",
    ],
)
def test_404(live: Live, path: str) -> None:
    answer = live.http.send(httpx.Request("GET", live.url + path))
    assert answer.status_code == 404
    problem_of(answer)


@pytest.mark.parametrize("name", ["actions", "draws"])
def test_413_above_64_kib(coins: LiveMatch, name: str) -> None:
    client = coins.seats[0].client if name == "actions" else coins.moderator.client
    before = coins.moderator.view().content
    path = f"{coins.anyone.path}/{name}"
    assert_problem(client.send("POST", path, b" " * 65_537), 413, "too_large")
    assert client.send("POST", path, b" " * 65_536).status_code == 400, "just not too large"
    assert coins.moderator.view().content == before


@pytest.fixture
def store_down(live: Live, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A store that no longer accepts writes."""

    def append(rows: Sequence[object], *_: Sequence[object]) -> None:
        raise sqlite3.OperationalError("disk I/O error: /secret/path")

    monkeypatch.setattr(live.instance.store, "append", append)
    return monkeypatch


def test_503_with_retry_after_when_the_store_accepts_no_writes(
    coins: LiveMatch, store_down: pytest.MonkeyPatch
) -> None:
    before = coins.anyone.view().content
    answer = coins.seats[0].act(SIDE, {"Idempotency-Key": "later"})
    assert_problem(answer, 503, "try_again")
    assert int(answer.headers["retry-after"]) >= 1
    assert "secret" not in answer.text
    assert_problem(coins.seats[1].act(SIDE), 503, "try_again")
    store_down.undo()
    assert coins.anyone.view().content == before
    assert len([e for e in all_events(coins.moderator) if "received" in e["type"]]) == 0
    assert coins.seats[0].act(SIDE, {"Idempotency-Key": "later"}).status_code == 201
