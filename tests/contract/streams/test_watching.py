"""How many watch a match: the public's streams, and nothing about seats."""

from tests.support.http.match_play import assert_problem
from tests.support.servers.live_server import Live
from tests.support.waiting import wait_until


def watching(live: Live, match: str) -> int:
    answer = live.anyone.get(f"/v1/matches/{match}/watching").raise_for_status()
    assert answer.headers["cache-control"] == "public, max-age=1"
    return int(answer.json()["watching"])


def test_streams_of_the_public_are_counted_and_no_others(live: Live) -> None:
    match = live.started("liars-dice")
    assert watching(live, match.id) == 0
    with match.seats[0].stream(), match.moderator.stream(), match.anyone.stream():
        wait_until(lambda: watching(live, match.id) == 1)
        with match.anyone.stream():
            wait_until(lambda: watching(live, match.id) == 2)
        wait_until(lambda: watching(live, match.id) == 1)
    wait_until(lambda: watching(live, match.id) == 0)


def test_what_is_hidden_changes_no_count(live: Live) -> None:
    """Seats and moderators come and go, and a refusal is recorded that the public does not see."""
    match = live.started("liars-dice")
    with match.anyone.stream():
        wait_until(lambda: watching(live, match.id) == 1)
        with match.seats[1].stream(), match.moderator.stream():
            assert match.seats[1].act({"type": "challenge"}).status_code == 422
            assert {watching(live, match.id) for _ in range(20)} == {1}


def test_there_is_no_count_of_what_is_not_there(live: Live) -> None:
    nowhere = "/v1/matches/01890000-0000-7000-8000-000000000000/watching"
    assert_problem(live.anyone.get(nowhere), 404, "no_such_match")
