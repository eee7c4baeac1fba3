"""`POST /v1/matches/{id}/close-phase`: a moderator does now what a deadline would do."""

from tests.support.http.match_play import assert_problem
from tests.support.servers.live_server import Live


def test_a_deadline_in_force_is_expired_now(live: Live) -> None:
    match = live.started("dollar-prize", clock="rules", options={"turn_seconds": 1_000})
    answer = match.moderator.close_phase()
    assert answer.status_code == 201
    assert answer.json()["receipt"]["valid"] is True
    assert answer.json()["view"] == match.moderator.view().json()
    assert match.anyone.view().json()["view"]["sides"] == ["heads", "tails"]


def test_with_if_match_a_repeat_does_not_close_the_next_phase(live: Live) -> None:
    match = live.started("together", ("Ann", "Ben", "Cy", "Dee", "Eve", "Fay"))
    match.seats[0].act({"type": "submit", "round": 1, "a": [0]})
    seen = {"If-Match": match.moderator.view().headers["etag"]}
    assert match.moderator.close_phase(seen).status_code == 201
    assert_problem(match.moderator.close_phase(seen), 412, "stale")
    assert match.anyone.view().json()["view"]["round"] == 2
