"""The commonest mistakes of a new client: the problem says enough for a program to mend them."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.http.match_play import assert_problem
from tests.support.http.mending_client import MendingClient, Sent, with_header
from tests.support.http.ruling_client import rule
from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.servers.live_server import Json, Live, LiveMatch

SIDE: Json = {"type": "choose_side", "side": "heads"}
MATCH: Json = {"game": "dollar-prize", "seats": ["Ann", "Ben"]}

Wrong = Callable[[MendingClient], Sent]


def acting(body: Any = SIDE, raw: bytes | None = None, **headers: str) -> Wrong:
    """An action of seat 0, with its key unless another is there."""

    def sent(client: MendingClient) -> Sent:
        own = {"Authorization": f"Bearer {client.keys['seat']}"}
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        path = f"{client.match.seats[0].path}/actions"
        return Sent("POST", path, body, (), own | named, raw)

    return sent


def reading(name: str, **query: Any) -> Wrong:
    """A read with the key of seat 0."""

    def sent(client: MendingClient) -> Sent:
        asked = tuple((name.rstrip("_"), value) for name, value in query.items())
        own = {"Authorization": f"Bearer {client.keys['seat']}"}
        return Sent("GET", f"{client.match.anyone.path}{name}", None, asked, own)

    return sent


def creating(**body: Any) -> Wrong:
    """A new match, by an organiser."""
    return lambda _: Sent(
        "POST", "/v1/matches", body, (), {"Authorization": f"Bearer {ORGANISER_KEY}"}
    )


def without_key(client: MendingClient) -> Sent:
    return Sent("POST", f"{client.match.anyone.path}/actions", SIDE)


def key_in_the_address(client: MendingClient) -> Sent:
    named = (("key", client.keys["seat"]),)
    return Sent("GET", f"{client.match.anyone.path}/actions", None, named)


def key_of_another_match(client: MendingClient) -> Sent:
    other = client.live.create("dollar-prize").keys[0]
    return with_header(acting()(client), "Authorization", f"Bearer {other}")


def key_of_another_kind(client: MendingClient) -> Sent:
    return with_header(acting()(client), "Authorization", f"Bearer {ORGANISER_KEY}")


def key_without_its_scheme(client: MendingClient) -> Sent:
    return with_header(acting()(client), "Authorization", client.keys["seat"])


def key_used_for_another_action(client: MendingClient) -> Sent:
    one_key = {"Idempotency-Key": "one"}
    assert client.match.seats[0].act({"type": "place", "coin": "penny"}, one_key).is_error
    return acting(Idempotency_Key="one")(client)


def before_the_start(client: MendingClient) -> Sent:
    client.match = client.live.create("dollar-prize")
    client.keys = {"seat": client.match.keys[0]}
    return acting()(client)


def while_paused(client: MendingClient) -> Sent:
    assert rule(client.match.moderator, "pause").status_code == 201
    return acting()(client)


def with_the_tag_of_long_ago(client: MendingClient) -> Sent:
    return acting(If_Match='"seat:0.1"')(client)


def in_a_wrong_place(client: MendingClient) -> Sent:
    return Sent("GET", f"/v1/match/{client.match.id}/view")


MISTAKES: dict[str, tuple[str, Wrong]] = {
    "no key": ("key_missing", without_key),
    "the key in the address": ("key_missing", key_in_the_address),
    "the key of another match": ("not_allowed", key_of_another_match),
    "the key of another role": ("not_allowed", key_of_another_kind),
    "the key without its scheme": ("key_unknown", key_without_its_scheme),
    "a form": (
        "not_json",
        acting(raw=b"type=choose_side", Content_Type="application/x-www-form-urlencoded"),
    ),
    "Python in place of JSON": ("not_json", acting(raw=str(SIDE).encode())),
    "an unknown field": ("wrong_shape", acting({**SIDE, "seat": 0})),
    "a misspelt field": ("wrong_shape", acting({"type": "choose_side", "sides": "heads"})),
    "a misspelt value": ("wrong_shape", acting({"type": "choose_side", "side": "Heads"})),
    "a misspelt type": ("wrong_shape", acting({"type": "choose-side", "side": "heads"})),
    "no type": ("wrong_shape", acting({"side": "heads"})),
    "a number as a text": ("wrong_shape", creating(**MATCH, protest_hours="2")),
    "a text as a number": ("wrong_shape", creating(game="dollar-prize", seats=["Ann", 2])),
    "a number out of range": ("wrong_shape", creating(**MATCH, protest_hours=-1)),
    "an unknown game": ("unknown_game", creating(game="dollarprize", seats=["Ann", "Ben"])),
    "too many seats": (
        "seats_not_allowed",
        creating(game="dollar-prize", seats=["Ann", "Ben", "Cy"]),
    ),
    "an unknown option": ("wrong_shape", creating(**MATCH, options={"turn_second": 60})),
    "too large a body": ("too_large", creating(**MATCH, has_looked_reason="a" * 70_000)),
    "a malformed If-Match": ("bad_if_match", acting(If_Match="seat:0.3")),
    "a stale If-Match": ("stale", with_the_tag_of_long_ago),
    "a malformed idempotency key": ("bad_idempotency_key", acting(Idempotency_Key="a b")),
    "an idempotency key used before": ("idempotency_key_reused", key_used_for_another_action),
    "before the start": ("match_not_running", before_the_start),
    "while paused": ("match_not_running", while_paused),
    "another's view": ("not_allowed", reading("/view", as_="seat:1")),
    "a position not reached": ("no_such_position", reading("/view", at=9_999)),
    "an unknown parameter": ("bad_request", reading("/events", limits=5)),
    "a parameter out of range": ("bad_request", reading("/events", limit=5_000)),
    "a wrong method": ("method_not_allowed", lambda _: Sent("PUT", "/v1/games")),
    "a wrong path": ("not_found", in_a_wrong_place),
}


@pytest.fixture
def client(live: Live, coins: LiveMatch) -> MendingClient:
    return MendingClient(live, coins, {"seat": coins.keys[0]})


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_program_mends_its_mistake(client: MendingClient, mistake: str) -> None:
    code, wrong = MISTAKES[mistake]
    client.succeed(wrong(client))
    assert client.codes[0] == code


def test_who_acts_out_of_turn_waits_for_its_turn(chips: LiveMatch) -> None:
    first, second = chips.seats
    problem = assert_problem(second.act({"type": "play", "chip": 4}), 422, "not_your_turn")
    assert problem["receipt"]["valid"] is False
    assert 1 not in second.view().json()["awaiting"]["seats"]
    played = first.menu().json()["actions"][0]["examples"][0]
    assert first.act(played).status_code == 201
    assert second.view().json()["awaiting"]["seats"] == [1]
    assert second.act(second.menu().json()["actions"][0]["examples"][0]).status_code == 201


def test_who_acts_after_the_end_is_told_that_it_has_ended(played: LiveMatch) -> None:
    problem = assert_problem(played.seats[0].act(SIDE), 400, "wrong_shape")
    assert problem["errors"][0]["allowed"] == ["play", "take"]
    answer = played.seats[0].act({"type": "play", "chip": 4})
    assert assert_problem(answer, 409, "match_not_running")["match_status"] == "ended"
    assert played.seats[0].menu().json()["actions"] == []
