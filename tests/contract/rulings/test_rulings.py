"""`POST /v1/matches/{id}/rulings`: what one person rules at once (rulings, section 3)."""

from datetime import datetime, timedelta

import pytest

from tests.support.http.match_play import all_events, assert_problem
from tests.support.http.ruling_client import WHY, previewed, rule
from tests.support.instants import SECOND
from tests.support.servers.live_server import Live, LiveMatch
from tests.support.virtual_clock import VirtualClock

TURN = 1_000
CHANCES = ["server", "manual"]


def running(live: Live, **more: str) -> LiveMatch:
    """Dollar Prize with a thousand seconds a turn, whose clock runs."""
    return live.started("dollar-prize", clock="rules", options={"turn_seconds": TURN}, **more)


def deadline(match: LiveMatch) -> datetime:
    return datetime.fromisoformat(match.anyone.view().json()["awaiting"]["deadline"])


def types(match: LiveMatch, after: int) -> list[str]:
    """What the public has been told after its number `after`."""
    return [event["type"] for event in all_events(match.anyone)[after:]]


@pytest.mark.parametrize("chance", CHANCES)
def test_a_match_paused_with_ten_seconds_left_has_ten_an_hour_later(
    timed: Live, clock: VirtualClock, chance: str
) -> None:
    match = running(timed, chance=chance)
    timed.run(lambda: clock.pass_time((TURN - 10) * SECOND))
    assert rule(match.moderator, "pause").status_code == 201
    view = match.anyone.view().json()
    assert (view["status"], view["awaiting"]["deadline"]) == ("paused", None)
    acted = match.seats[0].act({"type": "choose_side", "side": "heads"})
    assert_problem(acted, 409, "match_not_running")
    timed.run(lambda: clock.pass_time(3600 * SECOND))
    assert rule(match.moderator, "resume").status_code == 201
    now = datetime.fromisoformat(all_events(match.anyone)[-1]["at"])
    assert deadline(match) == now + timedelta(seconds=10)


def test_a_ruling_is_public_numbered_and_answered_with_its_id(live: Live) -> None:
    match = running(live)
    told = len(all_events(match.anyone))
    first, again = rule(match.moderator, "pause").json(), rule(match.organiser, "resume").json()
    assert (first["n"], first["kind"], first["status"]) == (1, "pause", "carried_out")
    assert (again["n"], again["kind"], again["status"]) == (2, "resume", "carried_out")
    assert first["ruling"] != again["ruling"]
    assert types(match, told)[:2] == ["match.ruled.1", "match.paused.1"]
    ruled = all_events(match.anyone)[told]["data"]
    assert ruled == {"n": 1, "kind": "pause", "reason": WHY, "rule": None, "appeals": None}


# Repeats and previews.


def test_a_preview_changes_nothing(live: Live) -> None:
    match = running(live)
    before = all_events(match.moderator)
    answer = rule(match.moderator, "pause", preview=True)
    nothing = {"result": None, "standings": None}
    assert answer.json() == {
        "before": nothing, "after": nothing, "undone": [], "misfit": None, "learnt": [],
        "people": 1,
    }  # fmt: skip
    assert all_events(match.moderator) == before


def test_a_preview_is_optional_where_little_is_at_stake_and_holds_if_it_is_sent(live: Live) -> None:
    match = running(live)
    seen = previewed(match.moderator, "pause")
    other = rule(match.moderator, "extend", seen, seconds=9)
    assert_problem(other, 412, "stale")
    assert rule(match.moderator, "pause", seen).status_code == 201
    rule(match.moderator, "resume")
    assert_problem(rule(match.moderator, "pause", seen), 412, "stale")
