"""`POST /v1/matches/{id}/start`."""

import pytest

from tests.support.http.match_play import all_events, assert_problem
from tests.support.servers.live_server import Live


@pytest.mark.parametrize("who", ["organiser", "moderator"])
def test_an_organiser_or_the_moderator_starts(live: Live, who: str) -> None:
    match = live.create("twelve-chips")
    answer = match.organiser.start() if who == "organiser" else match.moderator.start()
    assert answer.status_code == 201
    assert answer.json()["receipt"]["valid"] is True
    assert answer.json()["view"]["status"] == "running"
    assert match.anyone.view().json()["status"] == "running"


def test_the_answer_contains_the_senders_own_view(live: Live) -> None:
    match = live.create("twelve-chips")
    answer = match.organiser.start().json()["view"]
    assert answer == match.anyone.view().json(), "an organiser is no moderator of the match"
    other = live.create("twelve-chips")
    assert other.moderator.start().json()["view"] == other.moderator.view().json()


def test_a_second_start_is_409_and_changes_nothing(live: Live) -> None:
    match = live.started("twelve-chips")
    before = all_events(match.moderator)
    assert_problem(match.moderator.start(), 409, "already_started")
    assert_problem(match.organiser.start(), 409, "already_started")
    assert all_events(match.moderator) == before
