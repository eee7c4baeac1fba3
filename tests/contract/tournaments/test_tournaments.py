"""`/v1/tournaments`: rosters, matches, standings, and who may see which garnets."""

import pytest

from tests.support.http.match_play import assert_problem
from tests.support.http.tournament_client import LiveCup, closable, cup
from tests.support.servers.live_server import Live


@pytest.fixture
def spring(live: Live) -> LiveCup:
    return cup(live, name="Spring Cup", garnets={"Ann": 5, "Ben": 2})


# Creating.


def test_the_answer_names_everybody_and_their_keys(live: Live) -> None:
    answer = live.organiser.post(
        "/v1/tournaments", {"name": "Cup", "players": ["Ann", "Ben"], "moderators": ["Mo"]}
    )
    made = answer.json()
    assert answer.status_code == 201
    assert answer.headers["location"] == f"/v1/tournaments/{made['id']}"
    assert set(made) == {"id", "name", "players", "moderators"}
    assert [(p["player"], p["name"]) for p in made["players"]] == [(0, "Ann"), (1, "Ben")]
    assert [(m["moderator"], m["name"]) for m in made["moderators"]] == [(0, "Mo")]
    keys = [one["key"] for one in made["players"] + made["moderators"]]
    assert [key.split("_")[1] for key in keys] == ["p0", "p1", "m0"]
    assert all(key.split("_")[2] == made["id"].replace("-", "") for key in keys)


def test_the_list_is_newest_first_and_paged(live: Live) -> None:
    made = [cup(live).id for _ in range(3)]
    page = live.anyone.get("/v1/tournaments", limit=2).json()
    assert [row["id"] for row in page["tournaments"]] == made[:0:-1]
    after = live.anyone.get("/v1/tournaments", limit=1, after=page["next"]).json()
    assert [row["id"] for row in after["tournaments"]] == made[:1]
    row = page["tournaments"][0]
    assert set(row) == {"id", "name", "players", "moderators", "matches", "created"}
    assert (row["players"], row["moderators"], row["matches"]) == (3, 2, 0)
    assert_problem(live.anyone.get("/v1/tournaments", limit=0), 400, "bad_request")
    assert_problem(live.anyone.get("/v1/tournaments", game="x"), 400, "bad_request")


def test_it_is_open_until_it_has_champions(live: Live) -> None:
    made = closable(live)
    shown = made.shown()
    assert (shown["status"], shown["ended"], shown["champions"]) == ("open", None, None)
    assert made.post("close", {}).status_code == 201
    over = made.shown()
    assert (over["status"], over["champions"]) == ("closed", [0, 1])
    assert over["started"] == shown["started"] < over["ended"]
    new = cup(live).shown()
    assert (new["status"], new["started"]) == ("open", None)


# Roster and moderators.


def test_the_match_says_to_which_tournament_it_belongs(live: Live, spring: LiveCup) -> None:
    match = spring.match()
    assert match.anyone.events().json()["events"][0]["data"]["tournament"] == spring.id
    rows = live.anyone.get("/v1/matches", tournament=spring.id).json()["matches"]
    assert [row["id"] for row in rows] == [match.id]


# Standings.
