"""Keys of a match that exists over HTTP: issued, listed and ended."""

import time

import pytest

from service.streams.live_stream import PING_SECONDS
from tests.support.http.match_keys import ANN, EVE, end, issue, issued, listed
from tests.support.http.match_play import assert_problem
from tests.support.servers.live_server import NDJSON, Json, Live, LiveMatch, Player

# Issuing.


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({**ANN, "more": 1}, 400, "wrong_shape"),
        ({"role": "seat:01", "name": "Ann"}, 400, "wrong_shape"),
        ({"role": "seat:0\n", "name": "Ann"}, 400, "wrong_shape"),
        ({"role": "organiser", "name": "Ann"}, 400, "wrong_shape"),
        ({"role": "seat:2", "name": "Ann"}, 404, "no_such_seat"),
        ({"role": "seat:9999", "name": "Ann"}, 404, "no_such_seat"),
        ({"role": "moderator", "name": "\u0410nn"}, 422, "names_not_allowed"),
        ({"role": "moderator", "name": "BEN"}, 403, "moderator_plays"),
    ],
    ids=str,
)
def test_what_cannot_be_issued_is_not(coins: LiveMatch, body: Json, status: int, code: str) -> None:
    before = listed(coins.organiser)
    assert_problem(issue(coins, body), status, code)
    assert [key["id"] for key in listed(coins.organiser)] == [key["id"] for key in before]


# Who may.


def test_organisers_and_the_matchs_moderators_list_and_end(live: Live, coins: LiveMatch) -> None:
    other = live.started("dollar-prize")
    spare = issued(coins, ANN)["id"]
    assert_problem(end(Player(other.moderator.client, other.id), spare), 404, "no_such_key")
    assert listed(coins.moderator)[3]["id"] == spare
    assert end(coins.organiser, spare).status_code == 204


# Listing.


def test_a_list_says_for_whom_each_key_is_and_never_the_key(coins: LiveMatch) -> None:
    made = issued(coins, EVE)
    answer = coins.moderator.client.get(f"{coins.moderator.path}/keys")
    assert answer.headers["cache-control"] == "private, no-cache"
    shown = [(key["role"], key["name"]) for key in answer.json()["keys"]]
    assert shown == [
        ("moderator", None), ("seat:0", "Ann"), ("seat:1", "Ben"), ("moderator", "Eve"),
    ]  # fmt: skip
    assert made["key"] not in answer.text and "arb_" not in answer.text


def test_a_list_says_when_a_key_was_last_used(live: Live, coins: LiveMatch) -> None:
    made = issued(coins, ANN)
    assert listed(coins.organiser)[3]["last_used"] is None
    Player(live.bearing(made["key"]), coins.id).view()
    shown = listed(coins.organiser)[3]
    assert shown["since"] < shown["last_used"]


# Ending.


def test_an_ended_key_is_unknown_and_ending_it_again_is_no_error(
    live: Live, coins: LiveMatch
) -> None:
    made = issued(coins, ANN)
    client = live.bearing(made["key"])
    assert client.get(f"{coins.anyone.path}/view").status_code == 200
    for _ in "ab":
        answer = end(coins.moderator, made["id"])
        assert (answer.status_code, answer.content) == (204, b"")
    assert_problem(client.get(f"{coins.anyone.path}/view"), 401, "key_unknown")
    assert coins.seats[0].view().json()["audience"] == "seat:0", "the other key stays"


def test_a_body_or_an_unknown_id_is_refused(coins: LiveMatch) -> None:
    made = issued(coins, ANN)
    path = f"{coins.organiser.path}/keys/{made['id']}"
    answer = coins.organiser.client.send("DELETE", path, b'{"why":"leaked"}')
    assert_problem(answer, 400, "wrong_shape")
    for unknown in ("x", made["id"].upper(), made["id"][:-1], "%00", "é"):
        assert_problem(end(coins.organiser, unknown), 404, "no_such_key")


def test_the_streams_of_an_ended_key_end_at_once(live: Live, coins: LiveMatch) -> None:
    """Long before the next ping; the streams of the seat's other key go on."""
    made = issued(coins, ANN)
    gone, stays = Player(live.bearing(made["key"]), coins.id), coins.seats[0]
    form = {"Accept": NDJSON}
    with gone.stream(form, after=0) as ends, stays.stream(form, after=0) as goes_on:
        lines, others = ends.iter_lines(), goes_on.iter_lines()
        seen = [next(others) for _ in range(stays.view().json()["seq"])]
        assert [next(lines) for _ in seen] == seen
        began = time.monotonic()
        assert end(coins.moderator, made["id"]).status_code == 204
        assert [line for line in lines if "key-ended" not in line] == []
        assert time.monotonic() - began < min(5.0, PING_SECONDS / 2)
        assert "match.key-ended.1" in next(others)
