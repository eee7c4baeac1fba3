"""What becomes of published rounds: they are withdrawn before they begin."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec
import pytest

from tests.contract.tournaments.test_stages import NAMES, added, publish, shown
from tests.support.http.match_play import assert_problem
from tests.support.http.tournament_client import LiveCup, cup
from tests.support.servers.live_server import Answer, Live
from tests.support.waiting import wait_until

WHY = "Two of them are not here."


@pytest.fixture
def four(live: Live) -> LiveCup:
    return cup(live, players=NAMES, moderators=["Mo"])


def published(spring: LiveCup, **settings: Any) -> list[str]:
    """The matches of the first round of a stage, none of which has started."""
    added(spring, **{"round": {"start": "by_hand"}} | settings)
    assert publish(spring).status_code == 201
    tables = len(shown(spring, 1)["pairings"])
    wait_until(lambda: shown(spring, 1)["created"] == tables)
    return [match for one in shown(spring, 1)["pairings"] for match in one["matches"]]


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
    first = shown(four, 1)
    withdrawn = withdraw(four, tag=f'"{first["inputs"]}"')
    assert (withdrawn.status_code, withdrawn.json()["status"]) == (200, "withdrawn")
    assert [status(four, match) for match in matches] == ["void", "void"]
    assert four.live.anyone.get(f"{four.path}/stages/1").json()["published"] == 0
    again = publish(four).json()
    assert again["round"] == 2
    assert [one["players"] for one in again["pairings"]] == [
        one["players"] for one in first["pairings"]
    ]
    repeated = withdraw(four)
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
