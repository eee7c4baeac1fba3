"""The people of a tournament over HTTP: who leaves and returns, the check-in, byes, and seeds."""

import pytest

from tests.contract.tournaments.test_stages import SWISS
from tests.support.http.match_play import assert_problem
from tests.support.http.tournament_client import LiveCup, cup, publish, staged
from tests.support.servers.live_server import Json, Live

NAMES = ["Ann", "Ben", "Cy", "Di"]


@pytest.fixture
def four(live: Live) -> LiveCup:
    made = cup(live, players=NAMES, moderators=["Mo"])
    assert made.post("stages", SWISS).status_code == 201
    return made


def statuses(spring: LiveCup) -> list[str]:
    return [row["status"] for row in spring.shown()["players"]]


def drafted(spring: LiveCup) -> Json:
    draft: Json = spring.post("stages/1/rounds", {"preview": True}).json()
    return draft


def test_a_player_leaves_and_returns(four: LiveCup) -> None:
    path = f"{four.path}/players/1/withdrawal"
    left = four.player(1).post(path, {"reason": "I am ill."})
    assert (left.status_code, left.json()["status"]) == (201, "withdrawn")
    assert statuses(four) == ["entered", "withdrawn", "entered", "entered"]
    assert [one["because"] for one in four.shown()["players"]] == [None, "I am ill.", None, None]
    assert len(drafted(four)["pairings"]) == 1
    assert_problem(four.player(1).post(path, {"reason": "Still."}), 422, "already_withdrawn")
    assert four.moderator().send("DELETE", path).status_code == 204
    assert statuses(four) == ["entered"] * 4
    assert four.shown()["players"][1]["because"] is None


def test_standings_say_whose_results_count_for_no_one(live: Live) -> None:
    made = cup(live, players=NAMES, moderators=["Mo"])
    number = staged(made, published=False, format="round_robin", seeding="entry")
    publish(made, number)
    made.post("players/1/withdrawal", {"reason": "I am ill."})
    rows = live.anyone.get(f"{made.path}/standings?stage={number}").json()["rows"]
    assert {row["player"]: row.get("annulled", False) for row in rows} == {
        0: False, 1: True, 2: False, 3: False,
    }  # fmt: skip


def test_who_has_not_checked_in_is_absent(four: LiveCup) -> None:
    assert_problem(four.player(0).post(f"{four.path}/players/0/check-in", None), 422, "no_check_in")
    assert_problem(four.post("check-in", {"closes": "2001-01-01T00:00:00Z"}), 422, "not_in_future")
    assert_problem(four.post("check-in", {"closes": "2255-12-01T00:00:00Z"}), 422, "too_late")
    opened = four.post("check-in", {"closes": "2155-01-01T00:00:00Z"})
    assert (opened.status_code, opened.json()["closes"]) == (201, "2155-01-01T00:00:00Z")
    for number in (0, 1):
        answer = four.player(number).post(f"{four.path}/players/{number}/check-in", None)
        assert answer.json()["status"] == "checked_in"
    assert statuses(four) == ["checked_in", "checked_in", "entered", "entered"]
    assert drafted(four)["byes"] == []


def test_a_player_sits_out_a_round(four: LiveCup) -> None:
    path = f"{four.path}/players/3/byes"
    asked = four.player(3).post(path, {"round": 1})
    assert asked.json() == {"player": 3, "stage": 1, "round": 1}
    assert {"player": 3, "kind": "bye_asked", "because": ["asked"]} in drafted(four)["byes"]
    assert_problem(four.player(3).post(path, {"round": 2}), 422, "too_many_byes")


def test_everyone_reads_the_card_of_a_player(live: Live) -> None:
    spring = cup(live)
    stage = staged(spring, published=True)
    card = live.anyone.get(f"{spring.path}/players/1").json()
    assert (card["player"], card["name"], card["status"]) == (1, "Ben", "entered")
    assert card["stages"] == [{"stage": stage, "place": 1, "points": "2", "penalty": 0}]
    assert card["rounds"] == [
        {"stage": stage, "round": 1, "kind": "bye", "opponents": [], "matches": [], "result": None,
         "score": None, "points": "2", "total": "2"},
    ]  # fmt: skip
    assert_problem(live.anyone.get(f"{spring.path}/players/3"), 422, "no_such_player")
