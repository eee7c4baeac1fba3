"""A match is created by an organiser, who receives its keys, once; and it is started."""

import pytest

from tests.support.servers.live_server import Json, Live

NEW: Json = {"game": "twelve-chips", "seats": ["Ann", "Ben"]}


def test_the_answer_names_the_match_its_seats_and_their_keys(live: Live) -> None:
    answer = live.organiser.post("/v1/matches", NEW)
    assert answer.status_code == 201
    made = answer.json()
    assert set(made) == {"id", "seats", "moderator_key", "note"}
    assert [(seat["seat"], seat["name"]) for seat in made["seats"]] == [(0, "Ann"), (1, "Ben")]
    keys = [made["moderator_key"], *(seat["key"] for seat in made["seats"])]
    assert len(set(keys)) == 3
    assert all(len(key) > 43 for key in keys), "256 bits do not fit in less"


def test_a_refused_request_creates_nothing(live: Live) -> None:
    before = live.anyone.get("/v1/matches", limit=1).json()["matches"]
    wrongs: list[Json] = [
        {"game": "chess"}, {"seats": []}, {"options": {"tokens_to_win": 0}},
        {"options": {"hands": "entered"}},
    ]  # fmt: skip
    for wrong in wrongs:
        assert live.organiser.post("/v1/matches", NEW | wrong).status_code == 422
    assert live.anyone.get("/v1/matches", limit=1).json()["matches"] == before


# Its start.


@pytest.mark.parametrize("who", ["organiser", "moderator"])
def test_an_organiser_or_the_moderator_starts(live: Live, who: str) -> None:
    match = live.create("twelve-chips")
    answer = match.organiser.start() if who == "organiser" else match.moderator.start()
    assert answer.status_code == 201
    assert answer.json()["receipt"]["valid"] is True
    assert answer.json()["view"]["status"] == "running"
    assert match.anyone.view().json()["status"] == "running"


def test_the_answer_contains_the_senders_own_view(live: Live) -> None:
    match = live.create("twelve-chips")
    answer = match.organiser.start().json()["view"]
    assert answer == match.anyone.view().json(), "an organiser is no moderator of the match"
    other = live.create("twelve-chips")
    assert other.moderator.start().json()["view"] == other.moderator.view().json()
