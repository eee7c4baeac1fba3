"""Invitations over HTTP: an organiser hands out links, not keys."""

import re
from typing import Any

import pytest
from msgspec.structs import replace

from service.auth.cached_keys import CHANGES
from service.http.requests.qr_codes import qr_code
from service.settings import ServerSettings
from tests.support.http.invitations import MINE, accept, invitations, invited, revoke, token_of
from tests.support.http.match_keys import listed
from tests.support.http.match_play import assert_problem
from tests.support.instance.work_counter import WorkCounter
from tests.support.servers.live_server import Json, Live, LiveMatch, Player

NOWHERE = "0199aa00-0000-7000-8000-000000000000"
SIDE: Json = {"type": "choose_side", "side": "heads"}


# Making.


def test_a_link_has_its_token_in_the_fragment(live: Live, coins: LiveMatch) -> None:
    made = invited(coins, 1)
    address, _, token = made["link"].partition("#")
    assert address == f"{live.url}/play/{coins.id}?seat=1"
    assert re.fullmatch("[A-Za-z0-9_-]{43}", token)
    assert (made["seat"], made["name"]) == (1, "Ben")


def test_a_link_begins_with_the_public_address(
    live: Live, coins: LiveMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    public = replace(
        live.instance.settings, server=ServerSettings(public_url="https://play.example.org")
    )
    monkeypatch.setitem(vars(live.instance), "settings", public)
    assert invited(coins)["link"].startswith(f"https://play.example.org/play/{coins.id}?seat=0#")


def test_the_qr_code_is_a_picture_that_loads_nothing(coins: LiveMatch) -> None:
    made = invited(coins)
    assert made["qr"] == qr_code(made["link"])
    assert set(re.findall(r"<(\w+)", made["qr"])) == {"svg", "g", "path"}
    assert "href" not in made["qr"]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"seat": 0, "expires_in": 59}, 400, "wrong_shape"),
        ({"seat": 0, "expires_in": 2_592_001}, 400, "wrong_shape"),
        ({"seat": 2}, 404, "no_such_seat"),
    ],
    ids=str,
)
def test_what_cannot_be_made_is_not(coins: LiveMatch, body: Json, status: int, code: str) -> None:
    answer = coins.organiser.client.post(f"{coins.organiser.path}/invitations", body)
    assert_problem(answer, status, code)
    assert invitations(coins.organiser) == []


# Accepting.


def test_an_organiser_who_hands_out_links_has_no_key_of_a_seat(live: Live) -> None:
    body = {"game": "dollar-prize", "seats": ["Ann", "Ben"], "keys": "invitations"}
    made = live.organiser.post("/v1/matches", body)
    assert made.status_code == 201
    assert [seat["key"] for seat in made.json()["seats"]] == [None, None]
    match = live.match(made.json()["id"], (), made.json()["moderator_key"])
    assert [key["role"] for key in listed(match.organiser)] == ["moderator"]
    keys = [
        accept(live.anyone, match.id, token_of(invited(match, seat))).json()["key"]
        for seat in (0, 1)
    ]
    match.organiser.start()
    assert Player(live.bearing(keys[0]), match.id).act(SIDE).status_code == 201
    assert [key["name"] for key in listed(match.organiser)] == [None, "Ann", "Ben"]


def test_nobody_accepts_what_was_revoked_or_is_another_matchs(live: Live, coins: LiveMatch) -> None:
    made, other = invited(coins), live.started("dollar-prize")
    unknown = accept(live.anyone, other.id, token_of(made))
    assert_problem(unknown, 404, "no_such_invitation")
    assert accept(live.anyone, coins.id, made["id"]).json() == unknown.json()
    assert_problem(accept(live.anyone, NOWHERE, token_of(made)), 404, "no_such_match")
    for _ in "ab":
        assert revoke(coins.organiser, made["id"]).status_code == 204
    assert_problem(accept(live.anyone, coins.id, token_of(made)), 409, "invitation_revoked")


def test_whoever_lost_the_seat_cannot_accept(live: Live) -> None:
    match = live.started("dollar-prize", rulings="single")
    token = token_of(invited(match))
    ruling = {"kind": "replace_seat", "seat": 0, "name": "Zoe", "reason": "Ann left"}
    path = f"{match.moderator.path}/rulings"
    preview = match.moderator.client.post(path, {**ruling, "preview": True})
    ruled = match.moderator.client.post(path, ruling, {"If-Match": preview.headers["etag"]})
    assert ruled.status_code == 201, ruled.text
    assert_problem(accept(live.anyone, match.id, token), 409, "seat_replaced")
    assert invited(match)["name"] == "Zoe"


# What is shown, and to whom.


def test_a_list_shows_states_and_neither_links_nor_keys(live: Live, coins: LiveMatch) -> None:
    made = [invited(coins) for _ in range(3)]
    revoke(coins.organiser, made[1]["id"])
    key = accept(live.anyone, coins.id, token_of(made[2])).json()["key"]
    answer = coins.moderator.client.get(f"{coins.moderator.path}/invitations")
    found = answer.json()["invitations"]
    assert [one["state"] for one in found] == ["open", "revoked", "accepted"]
    assert [bool(one["revoked"]) for one in found] == [False, True, False]
    assert [bool(one["accepted"]) for one in found] == [False, False, True]
    assert [one["by"] for one in found] == [None] * 3
    for secret in (key, *map(token_of, made)):
        assert secret not in answer.text


def test_opening_a_link_changes_nothing(live: Live, coins: LiveMatch) -> None:
    made = invited(coins)
    before = (invitations(coins.organiser), listed(coins.organiser))
    pages = [
        live.http.request(method, f"/play/{match}")
        for method in ("GET", "HEAD")
        for match in (coins.id, NOWHERE)
    ]
    assert {page.status_code for page in pages} == {200}
    assert len({page.text for page in pages if page.text}) == 1, "the same page for every link"
    for path in ("accept", made["id"]):
        answer = live.http.get(f"{coins.anyone.path}/invitations/{path}")
        assert_problem(answer, 405, "method_not_allowed")
    assert (invitations(coins.organiser), listed(coins.organiser)) == before


def test_a_seat_is_told_of_its_key_and_nobody_of_an_invitation(
    live: Live, coins: LiveMatch
) -> None:
    def told() -> dict[str, tuple[list[str], str]]:
        """The types of each audience's events, and what it is sent."""
        return {
            name: (
                [event["type"] for event in player.events().json()["events"]],
                player.view().text + player.events().text,
            )
            for name, player in coins.audiences().items()
        }

    before = told()
    made = invited(coins)
    revoke(coins.organiser, invited(coins, 1)["id"])
    assert told() == before
    accept(live.anyone, coins.id, token_of(made))
    after = told()
    assert after.pop("seat:0")[0] == [*before.pop("seat:0")[0], "match.key-issued.1"]
    issued = ["match.key-issued.1", "match.directed.1"]
    assert after.pop("moderator")[0] == [*before.pop("moderator")[0], *issued]
    assert after == before, "the public and the other seat"


def test_the_idempotency_key_of_one_invitation_opens_no_other(live: Live, coins: LiveMatch) -> None:
    tokens = [token_of(invited(coins, seat)) for seat in (0, 1)]
    first, second = (accept(live.anyone, coins.id, token, MINE).json() for token in tokens)
    assert (first["seat"], second["seat"]) == (0, 1)
    assert first["key"].rpartition("_")[2] != second["key"].rpartition("_")[2]


def test_an_unknown_token_costs_the_same_however_many_invitations_are_open(
    live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No one without a key learns whether there are any."""
    none, many = (live.started("dollar-prize") for _ in range(2))
    for number in range(32):
        invited(many, number % 2)
    work, keyrings = WorkCounter(monkeypatch), live.instance.store.keyrings
    select, rows = keyrings.select_events, list[int]()

    def counting(stream: Any, **more: Any) -> Any:
        found = select(stream, **more)
        # The leader looks at what was changed, once a second.
        if stream != CHANGES:
            rows.append(len(found))
        return found

    monkeypatch.setattr(keyrings, "select_events", counting)
    costs = []
    for match in (none, many):
        rows.clear()
        work.take()
        answer = accept(live.anyone, match.id, "unknown")
        costs.append((answer.status_code, answer.content, work.take(), rows.copy()))
    assert costs[0] == costs[1]
    assert (costs[0][0], costs[0][3]) == (404, [0])
