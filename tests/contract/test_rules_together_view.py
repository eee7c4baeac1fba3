"""Together We Survive, section View."""

from tests.support.http.rule_answers import accepted_body, seen
from tests.support.http.together_client import (
    GAINS,
    camp,
    close,
    ended,
    phase,
    play_round,
    submit,
    until_over,
)
from tests.support.servers.live_server import Live

PUBLIC = {
    "round",
    "phase",
    "deadline",
    "groups",
    "stage",
    "kicked_out",
    "votes",
    "b_tokens",
    "winners",
    "losers",
    "tokens_of_life",
    "candidates",
    "garnets_awarded",
}

OWN = {"tokens", "garnets", "submissions", "standing"}


def test_view_fields_are_those_of_the_page_in_every_phase(live: Live) -> None:
    match = camp(live, 6)
    phases = []
    while match.anyone.view().json()["status"] == "running":
        phases.append(phase(match))
        assert set(seen(match.anyone)) == PUBLIC
        for seat in match.seats:
            assert set(seen(seat)) == PUBLIC | OWN
        if phases == ["submission"]:
            accepted_body(submit(match, 0, a=[0, 1]))
        draw = match.moderator.view().json()["awaiting"]["draw"]
        if draw is None:
            close(match)
        else:
            items = [part["items"] for part in draw["parts"]]
            accepted_body(match.moderator.draw(draw["id"], items))
    assert phases[:3] == ["submission", "token_of_life", "vote"]
    assert set(phases) == {"submission", "token_of_life", "vote"}
    assert set(seen(match.anyone)) == PUBLIC
    assert phase(match) == "over"


def test_view_of_the_public_in_the_first_round(live: Live) -> None:
    assert seen(camp(live).anyone) == {
        "round": 1,
        "phase": "submission",
        "deadline": None,
        "groups": ["A", "A", "B", "B"],
        "stage": ["on_stage", "on_stage", None, None],
        "kicked_out": [],
        "votes": [],
        "b_tokens": None,
        "winners": None,
        "losers": None,
        "tokens_of_life": None,
        "candidates": None,
        "garnets_awarded": None,
    }


def test_view_of_a_seat_adds_its_private_fields(live: Live) -> None:
    match = camp(live, 4, {"garnets": [0, 0, 2, 0]})
    added = {"tokens": 1, "garnets": 2, "submissions": [], "standing": None}
    assert seen(match.seats[2]) == seen(match.anyone) | added


def test_view_of_the_public_after_a_round(live: Live) -> None:
    match = camp(live, 6)
    play_round(match, {0: [1, 1]}, {2: [3, 3, 4]})
    view = seen(match.anyone)
    assert view["round"] == 2
    assert view["stage"] == ["on_stage", "kicked_out", "on_stage", None, None, None]
    assert view["kicked_out"] == [{"round": 1, "seats": [1]}]
    assert view["votes"] == [{"round": 1, "a": [0, 2, 0, None, None, None], "b": None}]


def test_view_of_the_public_at_the_end(live: Live) -> None:
    over = until_over(ended(live, [[0], [1]], GAINS))
    view = over["view"]
    assert view["phase"] == "over"
    assert view["deadline"] is None
    assert view["stage"] == ["kicked_out"] * 3 + [None] * 3
    assert view["b_tokens"] == [None, None, None, 3, 2, 1]
    assert view["winners"] == {"A": [2], "B": [4]}
    assert view["losers"] == {"A": [1], "B": [3]}
    assert view["tokens_of_life"] == [0, 0, 1, 0, 1, 0]
    assert view["candidates"] == {"A": 1, "B": 3}
    assert view["garnets_awarded"] == [0, 1, 2, 0, 0, 0]


def test_view_the_result_has_both_groups_and_rounds_and_tokens_as_scores(live: Live) -> None:
    over = until_over(ended(live, [[0], [1]], GAINS))
    assert over["status"] == "ended"
    assert over["result"] == {
        "winners": [2, 4],
        "losers": [1, 3],
        "shared": False,
        "scores": [1, 2, 3, 3, 2, 1],
    }


def test_view_shows_nothing_of_the_end_before_it(live: Live) -> None:
    match = camp(live, 6)
    play_round(match, {0: [1]})
    at_end = ("b_tokens", "winners", "losers", "tokens_of_life", "candidates", "garnets_awarded")
    assert [seen(match.anyone)[name] for name in at_end] == [None] * 6
