"""`POST /v1/matches/{id}/close-phase`: a moderator does now what a deadline would do."""

from datetime import datetime, timedelta

from tests.support.http.match_play import all_events, assert_problem
from tests.support.servers.live_server import Live, LiveMatch

SIDE = {"type": "choose_side", "side": "tails"}


def timed(live: Live, clock: str) -> LiveMatch:
    """Dollar Prize with a thousand seconds a turn, whose clock runs or not."""
    return live.started("dollar-prize", clock=clock, options={"turn_seconds": 1_000})


def test_a_deadline_in_force_is_expired_now(live: Live) -> None:
    match = timed(live, "rules")
    answer = match.moderator.close_phase()
    assert answer.status_code == 201
    assert answer.json()["receipt"]["valid"] is True
    assert answer.json()["view"] == match.moderator.view().json()
    assert match.anyone.view().json()["view"]["sides"] == ["heads", "tails"]


def test_a_deadline_that_is_not_armed_is_closed_as_well(live: Live) -> None:
    match = timed(live, "none")
    assert match.anyone.view().json()["awaiting"]["deadline"] is None
    assert match.moderator.close_phase().status_code == 201
    assert match.anyone.view().json()["view"]["sides"] == ["heads", "tails"]


def test_closing_again_and_again_plays_a_match_to_its_end(live: Live) -> None:
    match = live.started("twelve-chips", options={"turn_seconds": 1_000, "tokens_to_win": 1})
    for _ in range(200):
        if match.anyone.view().json()["status"] == "ended":
            break
        assert match.moderator.close_phase().status_code == 201
    assert match.anyone.view().json()["result"] is not None
    assert_problem(match.moderator.close_phase(), 409, "match_not_running")


def test_without_a_deadline_or_a_sealed_phase_there_is_nothing_to_close(chips: LiveMatch) -> None:
    before = all_events(chips.moderator)
    assert_problem(chips.moderator.close_phase(), 409, "nothing_to_close")
    assert all_events(chips.moderator) == before


def test_every_audience_sees_the_close(live: Live) -> None:
    match = timed(live, "rules")
    before = {name: len(all_events(p)) for name, p in match.audiences().items()}
    match.moderator.close_phase()
    for name, player in match.audiences().items():
        new = all_events(player)[before[name] :]
        assert "match.phase-closed.1" in [event["type"] for event in new]


def test_the_deadline_is_an_instant_counted_from_its_cause(live: Live) -> None:
    match = timed(live, "rules")
    (started,) = [e for e in all_events(match.anyone) if e["type"] == "match.started.1"]
    shown = match.anyone.view().json()["awaiting"]["deadline"]
    assert instant(shown) - instant(started["at"]) == timedelta(seconds=1_000)


def test_after_a_close_the_next_deadline_counts_from_the_close(live: Live) -> None:
    match = timed(live, "rules")
    closed = match.moderator.close_phase().json()["receipt"]["at"]
    shown = match.anyone.view().json()["awaiting"]["deadline"]
    assert instant(shown) - instant(closed) == timedelta(seconds=1_000)


def test_without_the_clock_no_deadline_is_shown(live: Live) -> None:
    match = timed(live, "none")
    match.seats[0].act(SIDE)
    assert match.anyone.view().json()["awaiting"]["deadline"] is None


def instant(text: str) -> datetime:
    assert text.endswith("Z")
    return datetime.fromisoformat(text)


def test_with_if_match_a_repeat_does_not_close_the_next_phase(live: Live) -> None:
    match = live.started("together", ("Ann", "Ben", "Cy", "Dee", "Eve", "Fay"))
    match.seats[0].act({"type": "submit", "round": 1, "a": [0]})
    seen = {"If-Match": match.moderator.view().headers["etag"]}
    assert match.moderator.close_phase(seen).status_code == 201
    assert_problem(match.moderator.close_phase(seen), 412, "stale")
    assert match.anyone.view().json()["view"]["round"] == 2


def test_with_an_old_view_nothing_is_closed(live: Live) -> None:
    match = timed(live, "none")
    assert_problem(match.moderator.close_phase({"If-Match": '"moderator.1"'}), 412, "stale")
    assert match.anyone.view().json()["view"]["sides"] == [None, None]
