"""`GET /v1/export/matches`: matches for organisers, a line each, to go on with where it was cut."""

import json
from typing import Any

import pytest

from service.http.matches import exports
from tests.support.http.match_play import all_events, assert_problem, play_out
from tests.support.http.tournament_client import cup
from tests.support.servers.live_server import Json, Live, LiveMatch

PATH = "/v1/export/matches"
OPTIONS = {"tokens_to_win": 1}


def exported(live: Live, **query: Any) -> list[Json]:
    """The lines of an export that was not cut off, without its end."""
    answer = live.organiser.get(PATH, **query)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("application/x-ndjson")
    *lines, end = [json.loads(line) for line in answer.text.splitlines()]
    assert end == {"end": True}
    return lines


@pytest.fixture
def cupped(live: Live) -> tuple[str, list[LiveMatch]]:
    """A tournament with a match that is over, one that is running and one that is closed."""
    made = cup(live, players=["Ann", "Ben"], moderators=["Mo"])
    over, running = (
        live.started("twelve-chips", options=OPTIONS, tournament=made.id) for _ in range(2)
    )
    closed = live.started("twelve-chips", options=OPTIONS, tournament=made.id, record="closed")
    play_out(over)
    play_out(closed)
    return made.id, [closed, running, over]


def test_it_has_of_every_match_what_everybody_may_read(
    live: Live, cupped: tuple[str, list[LiveMatch]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exports, "LINES", 7)
    monkeypatch.setattr(exports, "ROWS", 2)
    tournament, matches = cupped
    lines = exported(live, tournament=tournament)
    assert {line["id"] for line in lines} == {match.id for match in matches}
    by_id = {match.id: match for match in matches}
    opened = matches[2].id
    for line in lines:
        match = by_id[line["id"]]
        audience = "moderator" if match.id == opened else "public"
        assert line["audience"] == audience
        assert line["match"] == match.anyone.client.get(match.anyone.path).json()
        assert line["events"] == all_events(match.anyone, audience)
        assert line["seq"] == len(line["events"])


def test_it_goes_on_behind_the_last_whole_line(
    live: Live, cupped: tuple[str, list[LiveMatch]]
) -> None:
    tournament, _ = cupped
    lines = exported(live, tournament=tournament)
    assert exported(live, tournament=tournament, after=lines[0]["id"]) == lines[1:]
    assert exported(live, tournament=tournament, after=lines[-1]["id"]) == []
    running = exported(live, tournament=tournament, status="running")
    assert running == [line for line in lines if line["match"]["status"] == "running"]


def test_it_is_accounted_for_and_is_no_look(
    live: Live, cupped: tuple[str, list[LiveMatch]]
) -> None:
    tournament, matches = cupped
    exported(live, tournament=tournament)
    for match in matches:
        reads = match.moderator.client.get(f"{match.moderator.path}/reads").json()["reads"]
        of_organisers = [read for read in reads if read["role"] == "organiser"]
        assert of_organisers
        assert not any(read["hidden"] for read in of_organisers)


def test_it_is_for_organisers_alone(live: Live, chips: LiveMatch) -> None:
    assert_problem(live.anyone.get(PATH), 401, "key_missing")
    for player in (chips.moderator, chips.seats[0]):
        assert_problem(player.client.get(PATH), 403, "not_allowed")
    assert_problem(live.organiser.get(PATH, limit="3"), 400, "bad_request")
    assert_problem(live.organiser.get(PATH, status="lost"), 400, "bad_request")


def test_a_head_request_exports_nothing(live: Live) -> None:
    answer = live.organiser.send("HEAD", PATH)
    assert (answer.status_code, answer.content) == (200, b"")
