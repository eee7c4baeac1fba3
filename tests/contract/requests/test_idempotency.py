"""`Idempotency-Key`: a repeated request gets the first answer, and is recorded once."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support.http.match_play import all_events, assert_problem
from tests.support.servers.live_server import Json, Live, LiveMatch

SIDE: Json = {"type": "choose_side", "side": "heads"}
KEY = {"Idempotency-Key": "9f1c" + 251 * "k"}
"""As long as one may be."""


def test_a_repeated_refusal_is_the_same_422(chips: LiveMatch) -> None:
    action = {"type": "play", "chip": 99}
    first = chips.seats[0].act(action, KEY)
    again = chips.seats[0].act(action, KEY)
    assert_problem(first, 422, "not_in_hand")
    assert again.status_code == 422
    assert again.content == first.content
    assert again.headers["idempotent-replayed"] == "true"
    assert "idempotent-replayed" not in first.headers


def test_the_same_action_spelt_otherwise_is_the_same_request(coins: LiveMatch) -> None:
    first = coins.seats[0].act(SIDE, KEY)
    path = f"{coins.seats[0].path}/actions"
    body = b'{ "side" : "he\\u0061ds",\n "type":"choose_side" }'
    again = coins.seats[0].client.send("POST", path, body, KEY)
    assert (again.status_code, again.content) == (200, first.content)


def test_a_key_used_for_another_action_is_422_and_changes_nothing_in_the_game(
    coins: LiveMatch,
) -> None:
    coins.seats[0].act(SIDE, KEY)
    public = coins.anyone.view().content
    other = {"type": "place", "coin": "penny"}
    assert_problem(coins.seats[0].act(other, KEY), 422, "idempotency_key_reused")
    assert coins.anyone.view().content == public
    assert coins.seats[0].act(SIDE, KEY).status_code == 200, "the first use stands"


def test_an_unrecorded_request_does_not_use_up_the_key(live: Live) -> None:
    match = live.create("dollar-prize")
    assert_problem(match.seats[0].act(SIDE, KEY), 409, "match_not_running")
    match.moderator.start()
    assert_problem(match.seats[0].act(SIDE, KEY | {"If-Match": '"x"'}), 412, "stale")
    assert_problem(match.seats[0].act({"type": "fly"}, KEY), 400, "wrong_shape")
    assert match.seats[0].act(SIDE, KEY).status_code == 201


def test_a_refused_order_leaves_its_key_free_for_another(dealing: LiveMatch) -> None:
    deal = [[4, 5, 6, 7, 8, 9], [1, 2, 3, 10, 11, 12]]
    path = f"{dealing.moderator.path}/draws"
    for draw, status in (("round2/deal", 409), ("round1/deal", 201)):
        body = {"id": draw, "outcome": deal}
        assert dealing.moderator.client.post(path, body, KEY).status_code == status


MATCH: Json = {"game": "twelve-chips", "seats": ["Ann", "Ben"], "options": {"tokens_to_win": 2}}


@pytest.mark.parametrize("wrong", [{"options": {"tokens_to_win": 0}}, {"options": {"surprise": 1}}])
def test_a_refused_creation_leaves_its_key_free_and_another_does_not(
    live: Live, wrong: Json
) -> None:
    """However it is spelt it is the same creation."""
    key = {"Idempotency-Key": str(wrong).encode().hex()}
    sent = (MATCH | wrong, MATCH, MATCH | {"chance": "server", "tournament": None})
    answers = [live.organiser.post("/v1/matches", body, key) for body in sent]
    assert [answer.status_code for answer in answers[1:]] == [201, 200]
    assert answers[0].status_code in (400, 422)
    assert answers[0].json()["code"] not in ("idempotency_key_reused", "bad_idempotency_key")
    other = live.organiser.post("/v1/matches", MATCH | {"seats": ["Ben", "Ann"]}, key)
    assert_problem(other, 422, "idempotency_key_reused")


@pytest.mark.parametrize("key", ["", "x" * 256, "a\tb", "é"], ids=["empty", "long", "tab", "é"])
def test_an_invalid_key_is_400(coins: LiveMatch, key: str) -> None:
    own = {n.encode(): v.encode() for n, v in coins.seats[0].client.headers().items()}
    headers = own | {b"Idempotency-Key": key.encode("latin-1")}
    http = coins.seats[0].client.http
    answer = http.post(f"{coins.seats[0].path}/actions", json=SIDE, headers=headers)
    assert_problem(answer, 400, "bad_idempotency_key")
    assert coins.anyone.view().json()["view"]["sides"] == [None, None]


def test_the_same_request_many_times_at_once_is_recorded_once(coins: LiveMatch) -> None:
    before = len(all_events(coins.seats[0]))
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: coins.seats[0].act(SIDE, KEY), range(16)))
    statuses = [answer.status_code for answer in answers]
    assert statuses.count(201) == 1
    assert set(statuses) <= {200, 201, 409}
    bodies = {a.content for a in answers if a.status_code < 300}
    assert len(bodies) == 1
    received = [e for e in all_events(coins.seats[0])[before:] if "received" in e["type"]]
    assert len(received) == 1
