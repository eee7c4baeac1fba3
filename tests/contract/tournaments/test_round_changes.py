"""What becomes of published rounds: they are withdrawn before they begin."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec
import pytest

from tests.contract.tournaments.test_stages import NAMES, added, publish
from tests.support.http.match_play import assert_problem
from tests.support.http.ruling_client import ruled
from tests.support.http.tournament_client import LiveCup, cup, shown_round
from tests.support.servers.live_server import Answer, Json, Live, body_of
from tests.support.waiting import wait_until

WHY = "Two of them are not here."


@pytest.fixture
def four(live: Live) -> LiveCup:
    return cup(live, players=NAMES, moderators=["Mo"])


def published(spring: LiveCup, **settings: Any) -> list[str]:
    """The matches of the first round of a stage, none of which has started."""
    added(spring, **{"round": {"start": "by_hand"}} | settings)
    assert publish(spring).status_code == 201
    tables = len(shown_round(spring, 1)["pairings"])
    wait_until(lambda: shown_round(spring, 1)["created"] == tables)
    return [match for one in shown_round(spring, 1)["pairings"] for match in one["matches"]]


def withdraw(spring: LiveCup, number: int = 1, tag: str | None = None, key: str = "") -> Answer:
    headers = {} if tag is None else {"If-Match": tag}
    headers |= {"Idempotency-Key": key} if key else {}
    path, body = f"{spring.path}/stages/1/rounds/{number}", msgspec.json.encode({"reason": WHY})
    return spring.live.organiser.send("DELETE", path, body, headers)


def status(spring: LiveCup, match: str) -> str:
    found: str = spring.live.anyone.get(f"/v1/matches/{match}").json()["status"]
    return found


def test_the_matches_of_a_withdrawn_round_are_void_and_its_number_is_not_used_again(
    four: LiveCup,
) -> None:
    matches = published(four)
    first = shown_round(four, 1)
    tag = f'"{first["inputs"]}"'
    withdrawn = withdraw(four, tag=tag, key="once")
    assert (withdrawn.status_code, withdrawn.json()["status"]) == (200, "withdrawn")
    assert [status(four, match) for match in matches] == ["void", "void"]
    assert four.live.anyone.get(f"{four.path}/stages/1").json()["published"] == 0
    again = publish(four).json()
    assert again["round"] == 2
    assert [one["players"] for one in again["pairings"]] == [
        one["players"] for one in first["pairings"]
    ]
    assert_problem(withdraw(four), 409, "round_withdrawn")
    repeated = withdraw(four, tag=tag, key="once")
    assert (repeated.status_code, repeated.headers["idempotent-replayed"]) == (200, "true")


def test_a_round_of_which_a_match_has_started_stands(four: LiveCup) -> None:
    first, second = published(four)
    assert_problem(withdraw(four, tag='"another"'), 412, "stale")
    assert four.live.organiser.post(f"/v1/matches/{second}/start").status_code == 201
    assert_problem(withdraw(four), 409, "round_begun")
    assert [status(four, match) for match in (first, second)] == ["created", "running"]
    assert_problem(withdraw(four, 2), 404, "no_such_round")


def test_a_match_is_started_or_its_round_withdrawn_never_both(live: Live) -> None:
    for _ in range(6):
        spring = cup(live, players=NAMES, moderators=["Mo"])
        matches = published(spring)
        with ThreadPoolExecutor(2) as pool:
            start = pool.submit(live.organiser.post, f"/v1/matches/{matches[-1]}/start")
            gone = pool.submit(withdraw, spring)
        started = start.result().status_code == 201
        assert gone.result().status_code == (409 if started else 200), gone.result().text
        wanted = ["created", "running"] if started else ["void", "void"]
        assert [status(spring, match) for match in matches] == wanted


ENDS = 2.0
"""Seconds after which a round ends."""
SOON: Json = {"start": "at_once", "ends": ENDS / 3600}
SINGLE: Json = {"game": "dollar-prize", "rulings": "single"}


def of_round(spring: LiveCup, what: str) -> str:
    return f"{spring.path}/stages/1/rounds/1/{what}"


def absences(spring: LiveCup) -> list[Json]:
    return list(body_of(spring.live.organiser.get(of_round(spring, "absences")), 200)["absences"])


def bid(spring: LiveCup, match: str) -> int:
    """Someone does something in a match; returns the player."""
    pairings = shown_round(spring, 1)["pairings"]
    player: int = next(one["players"][0] for one in pairings if match in one["matches"])
    sent = {"type": "end_turn"}
    answer = spring.player(player).post(f"/v1/matches/{match}/actions", sent)
    assert answer.status_code in (200, 201, 422), answer.text
    return player


def test_at_the_end_of_a_round_staff_see_who_has_done_nothing_and_rule_a_forfeit(
    four: LiveCup,
) -> None:
    matches = published(four, match=SINGLE, round=SOON)
    wait_until(lambda: all(status(four, match) == "running" for match in matches))
    assert absences(four) == []
    there = bid(four, matches[0])
    wait_until(lambda: len(absences(four)) == 2)
    first, second = absences(four)
    assert (first["match"], there in first["absent"], len(second["absent"])) == (
        matches[0],
        False,
        2,
    )
    sent: Json = {"match": matches[0], "absent": second["absent"], "reason": WHY}
    path = of_round(four, "forfeits")
    assert_problem(four.live.organiser.post(path, sent), 409, "not_absent")
    for one in (first, second):
        ruled = four.live.organiser.post(path, sent | one_forfeit(one))
        assert ruled.status_code == 201, ruled.text
    wait_until(lambda: shown_round(four, 1)["status"] == "closed")
    results = [one["result"] for one in shown_round(four, 1)["pairings"]]
    assert [len(one["winners"]) for one in results] == [1, 0]
    assert all(one["forfeit"] for one in shown_round(four, 1)["pairings"])
    assert absences(four) == []


def test_absences_are_those_of_the_match_that_counts(four: LiveCup) -> None:
    first, second = published(four, match=SINGLE, round=SOON)
    wait_until(lambda: len(absences(four)) == 2)
    path = of_round(four, "forfeits")
    lost = one_forfeit(absences(four)[0]) | {"reason": WHY}
    assert four.live.organiser.post(path, lost).status_code == 201
    pairing = shown_round(four, 1)["pairings"][0]
    again = four.match(tuple(NAMES[player] for player in pairing["players"])).id
    wait_until(lambda: shown_round(four, 1)["pairings"][0]["result"] is not None)
    assert [one["match"] for one in absences(four)] == [second]
    ruled(four.by(), kind="replace", match=first, by=again)
    assert [one["match"] for one in absences(four)] == [again, second]
    assert_problem(four.live.organiser.post(path, lost), 404, "no_such_tournament_match")
    forfeited = one_forfeit(absences(four)[0]) | {"reason": WHY}
    assert four.live.organiser.post(path, forfeited).status_code in (201, 202)


def test_what_is_hidden_in_a_match_changes_no_absence_for_those_who_do_not_direct_it(
    four: LiveCup,
) -> None:
    first, second = published(four, match=SINGLE, round=SOON, moderators=[])
    given = four.post(f"matches/{second}/moderators", {"moderator": 0})
    assert given.status_code == 201, given.text
    wait_until(lambda: len(absences(four)) == 2)
    others = four.moderator(), four.player(0), four.live.anyone
    before = [who.get(of_round(four, "absences")) for who in others]
    assert [answer.status_code for answer in before] == [200, 403, 401]
    assert [one["match"] for one in before[0].json()["absences"]] == [second]
    seen = absences(four)
    bid(four, first)
    assert absences(four) != seen
    again = [who.get(of_round(four, "absences")) for who in others]
    assert again[0].content == before[0].content
    assert [answer.status_code for answer in again] == [200, 403, 401]


def one_forfeit(absence: Json) -> Json:
    return {"match": absence["match"], "absent": absence["absent"]}


def test_a_stage_can_leave_forfeits_to_the_service(four: LiveCup) -> None:
    """Also those of matches that nobody has started."""
    matches = published(four, absent="forfeit", round=SOON | {"start": "ready"})
    player = shown_round(four, 1)["pairings"][0]["players"][1]
    assert four.player(player).post(f"/v1/matches/{matches[0]}/ready").status_code == 201
    wait_until(lambda: shown_round(four, 1)["status"] == "closed")
    first, second = shown_round(four, 1)["pairings"]
    assert (first["result"]["winners"], second["result"]["winners"]) == ([1], [])
    (ruling,) = four.live.anyone.get(f"/v1/matches/{matches[0]}/rulings").json()["rulings"]
    assert (ruling["kind"], ruling["rule"]) == ("result", "absent: forfeit")


def test_a_round_is_given_more_time(four: LiveCup) -> None:
    published(four, round=SOON | {"start": "by_hand"})
    later: Json = {"ends": "2155-01-01T00:00:00Z", "reason": WHY, "tables": [1]}
    given = four.post("stages/1/rounds/1/time", later)
    assert given.status_code == 201, given.text
    assert [one["ends"] for one in given.json()["pairings"]] == [later["ends"], None]
    wait_until(lambda: len(absences(four)) == 1)
    assert absences(four)[0]["begun"] is False
    assert_problem(four.post("stages/1/rounds/1/time", later), 422, "not_in_future")
    assert_problem(
        four.post("stages/1/rounds/1/time", later | {"tables": [9]}), 404, "no_such_table"
    )
