"""An elimination show over HTTP: from a main match to a final, and who may choose."""

from typing import Any

import pytest

from tests.contract.tournaments.test_stages import CHIPS, live_match, played, publish
from tests.support.http.match_play import assert_problem, play_out
from tests.support.http.ruling_client import rule, ruled, seconded
from tests.support.http.tournament_client import LiveCup, choosing, cup, main_ruled, shown_round
from tests.support.servers.live_server import Json, Live
from tests.support.waiting import wait_until

SHOW: Json = {"name": "Show", "format": "show", "match": {}}
DICE: Json = {"game": "liars-dice"}


@pytest.fixture
def three(live: Live) -> LiveCup:
    return cup(live, moderators=["Mo"], garnets={"Ann": 2, "Ben": 1})


def test_a_show_is_played_from_a_main_match_to_a_champion(three: LiveCup) -> None:
    stage = choosing(three)
    path = f"{three.path}/stages/{stage}/rounds/1/opponent"
    assert_problem(three.player(1).post(path, {"player": 2}), 403, "not_candidate")
    assert_problem(three.player(0).post(path, {"player": 2}), 422, "immune")
    assert_problem(
        three.post(f"stages/{stage}/rounds/1/opponent", {"player": 1}), 403, "not_allowed"
    )
    chosen = three.player(0).post(path, {"player": 1})
    assert chosen.status_code == 201, chosen.text
    wait_until(lambda: shown_round(three, stage)["show"]["death"] != [])
    show = shown_round(three, stage)["show"]
    parts = ("immune", "candidates", "chooser", "opponent", "eliminated")
    assert [show[part] for part in parts] == [[2], [0], 0, 1, None]
    wait_until(lambda: deaths_are_over(three, stage))
    gone = shown_round(three, stage)["show"]["eliminated"]
    (left,) = {0, 1} - {gone}
    assert three.shown()["players"][gone]["status"] == "eliminated"
    purses = {row["player"]: row["garnets"] for row in three.ledger().json()["balances"]}
    assert (purses.get(gone), purses[left]) == (None, 3)
    shown = three.live.anyone.get(f"{three.path}/stages/{stage}").json()
    assert (shown["status"], shown["places"]) == ("closed", [*sorted((left, 2)), gone])
    final(three, stage)


def deaths_are_over(three: LiveCup, stage: int) -> bool:
    """Plays the death matches: one that is shared is played again, with other first seats."""
    for match in shown_round(three, stage)["show"]["death"]:
        row = next(row for row in three.shown()["matches"] if row["match"] == match)
        if row["status"] == "running":
            play_out(live_match(three, match, row["players"]))
    return bool(shown_round(three, stage)["status"] == "closed")


def final(three: LiveCup, stage: int) -> None:
    entrants = {"stage": stage, "places": [1, 2]}
    body = {"name": "Final", "format": "elimination", "match": CHIPS, "best_of": 3}
    settings: Json = {"entrants": entrants, "round": {"start": "at_once"}, "moderators": "all"}
    assert three.post("stages", body | settings).status_code == 201
    assert three.post(f"stages/{stage + 1}/lots", {}).status_code == 201
    assert publish(three, stage + 1).status_code == 201
    played(three, 1, stage + 1)
    places = three.post(f"stages/{stage + 1}/close", {}).json()["places"]
    assert three.post("close", {}).json()["champions"] == places[:1]


def test_staff_name_a_candidate_where_there_was_none(three: LiveCup) -> None:
    stage = main_ruled(three, losers=[])
    wait_until(lambda: shown_round(three, stage)["status"] == "closed")
    assert shown_round(three, stage)["show"]["candidates"] == []
    asked: Json = {"kind": "candidates", "players": [0]}
    assert_problem(rule(three.by(), **(asked | {"players": [2], "preview": True})), 422, "immune")
    ruling = ruled(three.by(), **asked)["ruling"]
    assert seconded(three.by(three.moderator()), ruling).json()["status"] == "carried_out"
    wait_until(lambda: shown_round(three, stage)["show"]["choice_until"] is not None)
    assert shown_round(three, stage)["status"] == "published"
    path = f"{three.path}/stages/{stage}/rounds/1/opponent"
    assert three.player(0).post(path, {"player": 1}).status_code == 201
    wait_until(lambda: deaths_are_over(three, stage))
    assert shown_round(three, stage)["show"]["eliminated"] in (0, 1)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "settings_do_not_fit"),
        ({"main": DICE, "pairings": [[0, 1, 2]], "reason": "x"}, "settings_do_not_fit"),
        ({"main": DICE, "groups": [[0], [1, 2]]}, "settings_do_not_fit"),
        ({"main": DICE, "groups": [[0, 1]]}, "not_paired"),
        ({"main": {"game": "chess"}, "groups": [[0, 1, 2]]}, "unknown_game"),
        ({"main": {"game": "together"}, "groups": [[0, 1, 2]]}, "seats_not_allowed"),
        ({"main": DICE, "death": {"game": "together"}, "groups": [[0, 1, 2]]}, "seats_not_allowed"),
        (
            {"main": DICE, "death": {"options": {"chips": [0, 0]}}, "groups": [[0, 1, 2]]},
            "options_not_allowed",
        ),
    ],
    ids=str,
)
def test_a_round_that_cannot_be_played_is_422(three: LiveCup, body: Json, code: str) -> None:
    assert three.post("stages", SHOW).status_code == 201
    answer = three.post("stages/1/rounds", {"preview": True} | body)
    assert_problem(answer, 422, code)


def test_seats_and_groups_are_drawn_by_lots(live: Live) -> None:
    five = cup(live, players=["Ann", "Ben", "Cy", "Di", "Ed"], moderators=[])
    assert five.post("stages", SHOW).status_code == 201
    sent: dict[str, Any] = {"preview": True, "main": {"game": "together"}}
    assert_problem(five.post("stages/1/rounds", sent), 409, "lots_not_drawn")
    lots = five.post("stages/1/lots", {}).json()
    assert lots["purpose"] == "groups 1 1"
    draft = five.post("stages/1/rounds", sent).json()
    assert draft["pairings"][0]["players"] == lots["order"]
    assert draft["show"]["games"]["death"] == {"game": "grouping-bw", "options": {}, "best_of": 1}
    grouped = five.post("stages/1/rounds", sent | {"groups": [[4, 0, 1], [2, 3]]}).json()
    assert grouped["pairings"][0]["players"] == [4, 0, 1, 2, 3]
