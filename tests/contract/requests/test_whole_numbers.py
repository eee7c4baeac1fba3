"""`5.0` is 5 in every request: accepted, the same request again, and on record as 5."""

import json

from tests.support.http.match_play import all_events, assert_problem
from tests.support.servers.live_server import Answer, Live, LiveMatch, Player

BY_HAND = [[4, 5, 6, 7, 8, 9], [1, 2, 3, 10, 11, 12]]


def send(player: Player, name: str, text: str, key: str = "") -> Answer:
    headers = {"Idempotency-Key": key} if key else {}
    return player.client.send("POST", f"{player.path}/{name}", text.encode(), headers)


def test_an_action_is_on_record_with_whole_numbers(dealing: LiveMatch) -> None:
    seat = dealing.seats[0]
    drawn = json.dumps({"id": "round1/deal", "outcome": BY_HAND}).replace("4,", "4.0,")
    assert send(dealing.moderator, "draws", drawn).status_code == 201
    assert send(seat, "actions", '{"type":"play","chip":4.0}', "one").status_code == 201
    again = send(seat, "actions", '{"type":"play","chip":4}', "one")
    assert again.status_code == 200
    # Without the instants, in whose fractions anything may stand.
    recorded = json.dumps([event["data"] for event in all_events(dealing.moderator)])
    assert '"chip": 4' in recorded
    assert "4.0" not in recorded


def test_what_is_not_whole_is_refused_and_not_on_record(dealing: LiveMatch) -> None:
    before = dealing.moderator.view().content
    for number in ("4.5", "4.0000000000000001", "1e999", '"4"'):
        answer = send(dealing.seats[0], "actions", f'{{"type":"play","chip":{number}}}')
        wrong = assert_problem(answer, 400, "wrong_shape")["errors"]
        assert [(one["pointer"], one["code"]) for one in wrong] == [("/chip", "wrong_type")]
    assert dealing.moderator.view().content == before


def test_options_and_the_numbers_of_a_creation_may_be_written_so(live: Live) -> None:
    body = (
        '{"game":"twelve-chips","seats":["Ann","Ben"],"options":{"tokens_to_win":%s},'
        '"protest_hours":%s}'
    )
    key = {"Idempotency-Key": "whole"}
    for status, numbers in ((201, ("2.0", "0.0")), (200, ("2", "0"))):
        sent = (body % numbers).encode()
        answer = live.organiser.send("POST", "/v1/matches", sent, key)
        assert answer.status_code == status, answer.text
    events = live.anyone.get(f"/v1/matches/{answer.json()['id']}/events").json()["events"]
    assert events[0]["data"]["options"]["tokens_to_win"] == 2


def test_parameters_may_be_written_so(coins: LiveMatch) -> None:
    path = f"{coins.anyone.path}/events"
    plain, whole = (coins.anyone.client.get(f"{path}?limit={n}") for n in ("2", "2.0"))
    assert plain.content == whole.content
