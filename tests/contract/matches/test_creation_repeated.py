"""`POST /v1/matches` and `/v1/tournaments` with an `Idempotency-Key`: created once."""

from itertools import count
from typing import Any

import pytest

from tests.support.http.match_play import assert_problem
from tests.support.http.openapi_document import check
from tests.support.servers.live_server import Answer, Json, Live

MATCH: Json = {"game": "twelve-chips", "seats": ["Ann", "Ben"], "options": {"tokens_to_win": 2}}
CUP: Json = {"name": "Cup", "players": ["Ann", "Ben"], "moderators": ["Mo"], "garnets": {"Ann": 3}}
KINDS = [("matches", MATCH), ("tournaments", CUP)]

_numbers = count()


@pytest.fixture
def key() -> str:
    """An idempotency key of the test's own."""
    return f"key-{next(_numbers)}"


def create(live: Live, kind: str, body: Any, key: str) -> Answer:
    return live.organiser.post(f"/v1/{kind}", body, {"Idempotency-Key": key})


def latest(live: Live, kind: str) -> Any:
    return live.anyone.get(f"/v1/{kind}", limit=1).json()[kind][0]["id"]


def without_keys(answer: Any) -> Any:
    """The same, with null in place of every key."""
    if isinstance(answer, list):
        return [without_keys(one) for one in answer]
    if not isinstance(answer, dict):
        return answer
    return {
        name: None if name in ("key", "moderator_key") else without_keys(value)
        for name, value in answer.items()
    }


@pytest.mark.parametrize(("kind", "body"), KINDS)
def test_a_repeat_gets_the_same_body_without_the_keys(
    live: Live, document: Json, key: str, kind: str, body: Json
) -> None:
    first, again = (create(live, kind, body, key) for _ in range(2))
    assert (first.status_code, again.status_code) == (201, 200)
    assert "idempotent-replayed" not in first.headers
    assert again.headers["idempotent-replayed"] == "true"
    assert again.headers["location"] == first.headers["location"]
    assert again.json() == without_keys(first.json()) != first.json()
    assert latest(live, kind) == first.json()["id"]
    operation = {"matches": "createMatch", "tournaments": "createTournament"}[kind]
    for answer in (first, again):
        check(document, operation, answer)


@pytest.mark.parametrize(("kind", "body"), KINDS)
def test_the_keys_of_the_first_answer_still_work(
    live: Live, key: str, kind: str, body: Json
) -> None:
    first, _ = (create(live, kind, body, key).json() for _ in range(2))
    if kind == "matches":
        moderator = live.bearing(first["moderator_key"])
        assert moderator.post(f"/v1/matches/{first['id']}/start").status_code == 201
    else:
        player = live.bearing(first["players"][0]["key"])
        assert player.get(f"/v1/tournaments/{first['id']}/ledger").status_code == 200


@pytest.mark.parametrize(
    "same",
    [
        {"seats": ["Ann", "Ben"], "options": {"tokens_to_win": 2}, "game": "twelve-chips"},
        MATCH | {"chance": "server", "tournament": None},
    ],
    ids=["in another order", "defaults said"],
)
def test_it_is_the_same_request_however_it_is_spelt(live: Live, key: str, same: Json) -> None:
    first = create(live, "matches", MATCH, key).json()
    again = create(live, "matches", same, key)
    assert (again.status_code, again.json()["id"]) == (200, first["id"])


@pytest.mark.parametrize(
    ("kind", "other"),
    [
        ("matches", MATCH | {"seats": ["Ben", "Ann"]}),
        ("matches", MATCH | {"options": {}}),
        ("matches", MATCH | {"game": "no-game"}),
        ("tournaments", CUP),
    ],
    ids=str,
)
def test_another_request_under_the_same_key_is_422(
    live: Live, document: Json, key: str, kind: str, other: Json
) -> None:
    made = create(live, "matches", MATCH, key).json()["id"]
    answer = create(live, kind, other, key)
    assert_problem(answer, 422, "idempotency_key_reused")
    check(document, "createMatch", answer)
    assert latest(live, "matches") == made


@pytest.mark.parametrize("wrong", ["", "two words", "x" * 256, "schlüssel"])
@pytest.mark.parametrize(("kind", "body"), KINDS)
def test_a_key_is_short_and_plain(live: Live, kind: str, body: Json, wrong: str) -> None:
    sent = {"Idempotency-Key": wrong.encode("latin-1")}
    answer = live.organiser.post(f"/v1/{kind}", body, sent)  # type: ignore[arg-type]
    assert_problem(answer, 400, "bad_idempotency_key")


@pytest.mark.parametrize(
    ("kind", "wrong", "status"),
    [
        ("matches", {"options": {"tokens_to_win": 0}}, 422),
        ("matches", {"options": {"tokens_to_win": 10**30}}, None),
        ("matches", {"options": {"surprise": 1}}, 400),
        ("matches", {"seats": []}, 422),
        ("matches", {"game": "chess"}, 422),
        ("matches", {"record": "surprise"}, 400),
        ("matches", {"tournament": "spring"}, 422),
        ("matches", {"tournament": "01a1b2c3-0000-7000-8000-000000000000"}, 422),
        ("tournaments", {"players": ["Ann", "ann"]}, 422),
        ("tournaments", {"garnets": {"Zoe": 1}}, 422),
    ],
    ids=str,
)
def test_a_refused_request_leaves_its_key_free_for_a_corrected_body(
    live: Live, key: str, kind: str, wrong: Json, status: int | None
) -> None:
    body = dict(KINDS)[kind]
    for _ in range(2):
        refused = create(live, kind, body | wrong, key)
        assert refused.status_code in ((400, 422) if status is None else (status,))
        assert refused.json()["code"] != "idempotency_key_reused"
    assert create(live, kind, body, key).status_code == 201
    assert create(live, kind, body, key).status_code == 200
