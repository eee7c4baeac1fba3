"""Together We Survive over HTTP: what its submissions, votes, gifts, views and deadlines look like
there. Each rule is tested in the domain; what all sealed submissions share, in `test_submissions`.
"""

from datetime import datetime

from tests.support.http.match_play import all_events, ndjson
from tests.support.http.sealed_play import accepted_body, camp, close, seen, submit
from tests.support.servers.live_server import NDJSON, Live, LiveMatch
from tests.support.virtual_clock import VirtualClock


def test_a_round_is_seen_by_everybody_and_by_each_seat(live: Live) -> None:
    match = camp(live, 4, {"garnets": [0, 0, 2, 0]})
    public = {
        "round": 1, "phase": "submission", "deadline": None, "groups": ["A", "A", "B", "B"],
        "stage": ["on_stage", "on_stage", None, None], "kicked_out": [], "votes": [],
        "b_tokens": None, "winners": None, "losers": None, "tokens_of_life": None,
        "candidates": None, "garnets_awarded": None,
    }  # fmt: skip
    assert seen(match.anyone) == public
    own = {"tokens": 1, "garnets": 2, "submissions": [], "standing": None}
    assert seen(match.seats[2]) == public | own
    assert all_events(match.anyone)[0]["data"]["options"]["start_tokens"] == {"A": 5, "B": 1}


def test_the_receipt_says_which_other_type_it_supersedes(live: Live) -> None:
    match = camp(live, 6)
    accepted_body(submit(match, 0, a=[1]))
    body, key = {"type": "submit", "b": [3, 3, 3], "round": 1}, {"Idempotency-Key": "once"}
    first, again = (match.seats[0].act(body, key) for _ in range(2))
    assert first.json()["receipt"]["supersedes"] == "a"
    assert again.content == first.content
    own = [e["data"] for e in all_events(match.seats[0]) if "submission-made" in e["type"]]
    assert [event.get("supersedes") for event in own] == [None, "a"]
    for other in (match.anyone, match.seats[1]):
        assert "supersedes" not in other.events().text


def test_the_end_shows_both_groups_results_and_garnets(live: Live) -> None:
    """Seat 0 pays for every kick; by the votes of seat 1 seats 3, 4 and 5 end with 3, 2 and 1."""
    match = camp(live, 6, {"start_tokens": {"A": 1000, "B": 1}})
    accepted_body(submit(match, 1, b=[3, 3, 4]))
    for out in (0, 1):
        accepted_body(submit(match, 0, a=[out]))
        close(match)
    while (over := match.anyone.view().json())["status"] != "ended":
        draw = match.moderator.view().json()["awaiting"]["draw"]
        if draw is None:
            close(match)
        else:
            items = [part["items"] for part in draw["parts"]]
            assert match.moderator.draw(draw["id"], items).status_code == 201
    assert over["result"] == {
        "winners": [2, 4], "losers": [1, 3], "shared": False, "scores": [1, 2, 3, 3, 2, 1],
    }  # fmt: skip
    view = over["view"]
    assert (view["phase"], view["deadline"]) == ("over", None)
    assert view["stage"] == ["kicked_out"] * 3 + [None] * 3
    assert (view["winners"], view["losers"]) == ({"A": [2], "B": [4]}, {"A": [1], "B": [3]})
    assert view["tokens_of_life"] == [0, 0, 1, 0, 1, 0]
    assert view["candidates"] == {"A": 1, "B": 3}
    assert view["garnets_awarded"] == [0, 1, 2, 0, 0, 0]


# Deadlines, on a clock that is moved by hand.


def due(match: LiveMatch) -> int:
    """The deadline in microseconds, which view and frame show alike."""
    answer = match.anyone.view().json()
    assert answer["view"]["deadline"] == answer["awaiting"]["deadline"]
    return int(datetime.fromisoformat(answer["view"]["deadline"]).timestamp()) * 1_000_000


def test_a_round_ends_at_its_deadline_of_which_the_public_is_notified(
    timed: Live, clock: VirtualClock
) -> None:
    match = camp(timed, 6, clock="rules")
    end = due(match)
    timed.run(lambda: clock.move_to(end - 1))
    accepted_body(submit(match, 0, a=[1]))
    seq = match.anyone.view().json()["seq"]
    with match.anyone.stream({"Accept": NDJSON}, after=seq) as stream:
        timed.run(lambda: clock.move_to(end))
        assert next(ndjson(stream))["seq"] == seq + 1
    assert seen(match.anyone)["kicked_out"] == [{"round": 1, "seats": [1]}]
    assert due(match) == end + 24 * 3_600 * 1_000_000
