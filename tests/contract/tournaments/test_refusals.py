"""Refusals of what does not fit a tournament as it stands, each with the code by which programs
know it."""

from collections.abc import Callable

import pytest

from tests.support.http.match_play import assert_problem
from tests.support.http.tournament_client import LiveCup, closable, closed_cup, cup, publish, staged
from tests.support.roles.key_holders import NOWHERE
from tests.support.servers.live_server import Json, Live

STAGE: Json = {"name": "S", "format": "swiss", "match": {"game": "dollar-prize"}}
TOGETHER: Json = {"seats": 4, "match": {"game": "together"}, "points": {"places": [3, 2, 1]}}
BEST: Json = {"entrants": {"stage": 1, "places": [1, 2]}}
DRAFT: Json = {"preview": True}
TIME: Json = {"ends": "2155-01-01T00:00:00Z", "reason": "The hall is far."}


def begun(live: Live) -> LiveCup:
    """A tournament with a stage, a round of which is open, and another for the best of that."""
    made = cup(live, moderators=[])
    number = staged(made, published=False, seeding="entry")
    staged(made, published=False, **BEST)
    publish(made, number)
    return made


def planned(live: Live) -> LiveCup:
    made = cup(live, moderators=[])
    staged(made, published=False)
    return made


@pytest.mark.parametrize(
    ("scene", "path", "body", "status", "code"),
    [
        (planned, "stages", STAGE | {"format": "tennis"}, 422, "unknown_format"),
        (planned, "stages", STAGE | TOGETHER, 422, "scores_do_not_rank"),
        (planned, "stages/1/close", {}, 422, "results_not_final"),
        (planned, "close", {}, 422, "results_not_final"),
        (begun, "stages/2/rounds", DRAFT, 422, "stage_not_closed"),
        (begun, "stages/1/rounds/1/time", TIME, 409, "no_end"),
        (closable, "stages/1/rounds", DRAFT, 422, "stage_closed"),
        (closable, "players/0/byes", {"stage": 1, "round": 9}, 422, "stage_closed"),
        (closed_cup, "stages", STAGE, 422, "tournament_closed"),
        (closed_cup, "players", {"name": "Eve"}, 422, "tournament_closed"),
    ],
)
def test_it_is_refused(
    live: Live, scene: Callable[[Live], LiveCup], path: str, body: Json, status: int, code: str
) -> None:
    assert_problem(scene(live).post(path, body), status, code)


def test_a_match_of_no_tournament_and_a_name_that_another_seat_has(live: Live) -> None:
    body = {"game": "dollar-prize", "seats": ["Ann", "Ben"], "tournament": NOWHERE}
    assert_problem(live.organiser.post("/v1/matches", body), 422, "unknown_tournament")
    match = live.create("dollar-prize", ("Quentin", "Player 0"))
    named = live.organiser.send("DELETE", f"/v1/matches/{match.id}/seats/0/name")
    assert_problem(named, 409, "seat_name_taken")
    assert_problem(live.anyone.get("/v1/games/tennis"), 404, "no_such_game")
