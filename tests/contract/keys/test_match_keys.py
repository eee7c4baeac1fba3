"""Keys of a match that exists over HTTP: issued, listed and ended."""

import time

import pytest

from service.streams.live_stream import PING_SECONDS
from tests.support.http.match_keys import ANN, EVE, end, issue, issued, listed
from tests.support.http.match_play import all_events, assert_problem
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


def told(player: Player, since: int = 0) -> list[tuple[str, Json]]:
    """What an audience was told of keys and of who directed the match."""
    lines = all_events(player)[since:]
    return [(one["type"], one["data"]) for one in lines if "key" in one["type"] + str(one["data"])]


def test_the_moderators_are_told_who_did_it(live: Live, coins: LiveMatch) -> None:
    since = len(all_events(coins.moderator))
    eve = issued(coins, EVE)
    end(Player(live.bearing(eve["key"]), coins.id), listed(coins.organiser)[2]["id"])
    (issuing, by_organiser, ending, by_eve) = told(coins.moderator, since)
    assert issuing == ("match.moderator-key-issued.1", {"key_id": eve["id"], "name": "Eve"})
    assert (by_organiser[0], by_organiser[1]["by"]) == ("match.directed.1", None)
    assert ending[0] == "match.key-ended.1"
    assert by_eve == ("match.directed.1", {"by": "Eve", "key_id": eve["id"]})


def directed(player: Player) -> Json:
    """Who directed the match last."""
    lines = [one for one in all_events(player) if one["type"] == "match.directed.1"]
    data: Json = lines[-1]["data"]
    return data


def test_whoever_starts_enters_and_closes_is_on_record(live: Live) -> None:
    match = live.create("twelve-chips", chance="manual", options={"turn_seconds": 60})
    made = issued(match, EVE)
    eve, by_eve = Player(live.bearing(made["key"]), match.id), {"by": "Eve", "key_id": made["id"]}
    own = listed(match.organiser)[0]["id"]
    assert match.moderator.start().status_code == 201
    assert directed(match.moderator) == {"by": None, "key_id": own}
    assert eve.draw("round1/deal", [[1], [2]]).status_code == 422
    assert directed(match.moderator) == by_eve
    types = [one["type"] for one in all_events(match.moderator)]
    assert types[-2:] == ["match.draw-refused.1", "match.directed.1"]
    assert (
        match.moderator.draw("round1/deal", [[9, 5, 7, 4, 6, 8], [12, 11, 10, 3, 1, 2]]).status_code
        == 201
    )
    assert directed(match.moderator) == {"by": None, "key_id": own}
    assert eve.close_phase().status_code == 201
    assert directed(match.moderator) == by_eve
