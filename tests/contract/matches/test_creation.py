"""`POST /v1/matches`: an organiser creates a match and receives its keys, once."""

from typing import Any

import pytest

from tests.support.http.match_play import all_events, assert_problem
from tests.support.servers.live_server import Json, Live

NEW: Json = {"game": "twelve-chips", "seats": ["Ann", "Ben"]}


def created(live: Live, **more: Any) -> Json:
    """The public's first event of a match made with this body."""
    answer = live.organiser.post("/v1/matches", NEW | more)
    assert answer.status_code == 201, answer.text
    match_id = answer.json()["id"]
    first: Json = live.anyone.get(f"/v1/matches/{match_id}/events").json()["events"][0]["data"]
    return first


def test_the_answer_names_the_match_its_seats_and_their_keys(live: Live) -> None:
    answer = live.organiser.post("/v1/matches", NEW)
    assert answer.status_code == 201
    made = answer.json()
    assert set(made) == {"id", "seats", "moderator_key", "note"}
    assert [(seat["seat"], seat["name"]) for seat in made["seats"]] == [(0, "Ann"), (1, "Ben")]
    keys = [made["moderator_key"], *(seat["key"] for seat in made["seats"])]
    assert len(set(keys)) == 3
    assert all(len(key) > 43 for key in keys), "256 bits do not fit in less"


def test_keys_are_shown_only_once(live: Live) -> None:
    match = live.started("twelve-chips")
    for player in (*match.audiences().values(), match.organiser):
        shown = player.view().text + player.events().text + live.anyone.get("/v1/matches").text
        assert not any(key in shown for key in (*match.keys, match.moderator_key))


def test_the_id_is_a_uuid_of_version_7_and_sorts_by_time(live: Live) -> None:
    ids = [live.create("dollar-prize").id for _ in range(3)]
    assert all(made[14] == "7" for made in ids)
    assert len(set(ids)) == 3


def test_missing_fields_get_their_defaults(live: Live) -> None:
    first = created(live)
    assert first["chance"] == "server"
    assert first["clock"] == "none"
    assert first["record"] == "opened_at_end"
    assert first["tournament"] is None
    assert first["options"]["tokens_to_win"] == 3
    assert first["options"]["over_21"] == "bust"


@pytest.mark.parametrize(
    "wrong",
    [
        {"surprise": 1}, {"Game": "twelve-chips"}, {"seats": ["x"] * 65}, {"options": None},
        {"record": "open"}, {"options": {"surprise": 1}}, {"options": {"tokens_to_win": "3"}},
    ],
    ids=str,
)  # fmt: skip
def test_an_unknown_field_or_a_wrong_type_is_400(live: Live, wrong: Json) -> None:
    answer = live.organiser.post("/v1/matches", NEW | wrong)
    assert_problem(answer, 400, "wrong_shape")


def test_names_are_stored_as_they_were_written(live: Live) -> None:
    names = ["Ähn 陈 🎲", 'O\'Brien "Bo" <b>']
    match = live.create("twelve-chips", names)
    named = [one for one in all_events(match.anyone) if one["type"] == "match.seat-named.1"]
    assert [one["data"]["name"] for one in named] == names


def test_a_refused_request_creates_nothing(live: Live) -> None:
    before = live.anyone.get("/v1/matches", limit=1).json()["matches"]
    wrongs: list[Json] = [{"game": "chess"}, {"seats": []}, {"options": {"tokens_to_win": 0}}]
    for wrong in wrongs:
        assert live.organiser.post("/v1/matches", NEW | wrong).status_code == 422
    assert live.anyone.get("/v1/matches", limit=1).json()["matches"] == before
