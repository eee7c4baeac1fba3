"""Players enter a tournament by a link, and get keys that no one else sees."""

from typing import Any

from tests.support.http.match_play import assert_problem
from tests.support.http.tournament_client import LiveCup, cup
from tests.support.servers.live_server import Answer, Live


def opened(spring: LiveCup, **settings: Any) -> str:
    """The token of a registration."""
    made = spring.post("registration", settings)
    assert made.status_code == 201, made.text
    address, _, token = made.json()["link"].partition("#register-")
    assert address == f"{spring.live.url}/t/{spring.id}/me"
    return str(token)


def enter(spring: LiveCup, token: str, name: str, key: str = "") -> Answer:
    sent, headers = {"name": name, "token": token}, {"Idempotency-Key": key or f"{name:_<16}"}
    return spring.live.anyone.post(f"{spring.path}/registration/entries", sent, headers)


def test_someone_enters_and_plays_with_a_key_of_their_own(live: Live) -> None:
    spring = cup(live)
    token = opened(spring)
    made = enter(spring, token, "Di")
    assert (made.status_code, made.json()["player"]) == (201, 3)
    assert live.bearing(made.json()["key"]).get(f"{spring.path}/ledger").status_code == 200
    assert_problem(enter(spring, token, "Di", "of-another-person"), 422, "name_taken")
    assert [one["name"] for one in spring.shown()["players"]] == ["Ann", "Ben", "Cy", "Di"]


def test_who_waits_moves_up_when_a_place_is_free(live: Live) -> None:
    spring = cup(live)
    token = opened(spring, limit=3, waiting_list=True)
    waits = enter(spring, token, "Di")
    assert (waits.status_code, waits.json()) == (202, {"waiting": 1})
    assert spring.post("players/0/withdrawal", {"reason": "ill"}).status_code == 201
    assert enter(spring, token, "Di").status_code == 201


def test_it_is_closed_by_hand_or_by_another_one(live: Live) -> None:
    spring = cup(live)
    first = opened(spring)
    second = opened(spring)
    assert_problem(enter(spring, first, "Di"), 404, "no_such_registration")
    assert live.organiser.send("DELETE", f"{spring.path}/registration").status_code == 204
    assert_problem(enter(spring, second, "Di"), 410, "registration_closed")
