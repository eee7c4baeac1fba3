"""Killed with kill -9 between any two steps of a round of a show: each step follows once."""

from collections import Counter
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from domain.tournament.show_events import (
    CandidatesNamed,
    ImmuneNamed,
    OpponentChosen,
    PlayerEliminated,
)
from domain.tournament.stage_events import (
    LotsDrawn,
    RoundClosed,
    RoundMatchCreated,
    RoundPublished,
    StageClosed,
)
from tests.faults.http_writers import Json
from tests.faults.test_kill_rounds import moments, posted
from tests.support.faults.server_process import Process, streams
from tests.support.http import local_http
from tests.support.http.ruling_client import rule
from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.servers.live_server import Client, Player
from tests.support.waiting import wait_until

STAGE: Json = {
    "name": "Show",
    "format": "show",
    "match": {"rulings": "single"},
    "choice_hours": 0,
    "round": {"start": "at_once"},
}
ROUND: Json = {
    "main": {"game": "liars-dice"},
    "death": {"game": "dollar-prize"},
    "groups": [[0, 1, 2]],
}
MAIN: Json = {"winners": [2], "losers": [0], "shared": False, "scores": [0, 0, 1]}
DEATH: Json = {"winners": [0], "losers": [1], "shared": False, "scores": [1, 0]}
STEPS = (RoundPublished, ImmuneNamed, CandidatesNamed, LotsDrawn, OpponentChosen, PlayerEliminated)
MOMENTS = moments(
    "tournament.opponent-chosen.1",
    "tournament.candidates-named.1",
    "tournament.player-eliminated.1",
    "tournament.stage-closed.1",
)


@pytest.mark.parametrize(("when", "topic"), MOMENTS)
def test_each_step_of_a_show_follows_once(when: str, topic: str, tmp_path: Path) -> None:
    with Process(tmp_path) as life:
        people = {"name": "Cup", "players": ["Ann", "Ben", "Cy"], "garnets": {"Ben": 2}}
        cup = posted(life, "/v1/tournaments", people)["id"]
        path = f"/v1/tournaments/{cup}"
        posted(life, f"{path}/stages", STAGE)
    with Process(tmp_path, "--dies", when, topic) as life:
        with suppress(httpx.TransportError):
            play(life, path)
        life.died()
    with Process(tmp_path) as life:
        play(life, path)
    events = Counter(type(record.event) for record in streams(tmp_path)[cup])
    steps = (*STEPS, RoundClosed, StageClosed)
    assert {kind: events[kind] for kind in steps} == dict.fromkeys(steps, 1)
    assert events[RoundMatchCreated] == 2


def play(life: Process, path: str) -> None:
    """Plays the show to its end, as far as that is not done."""
    with local_http.client(life.url) as http:
        organiser, stage = Client(http, ORGANISER_KEY), f"{path}/stages/1"
        if organiser.get(f"{stage}/rounds/1").status_code != 200:
            tag = organiser.post(f"{stage}/rounds", ROUND | {"preview": True}).headers["etag"]
            made = organiser.post(f"{stage}/rounds", ROUND, {"If-Match": tag})
            assert made.status_code == 201, made.text

        def is_over() -> bool:
            show = organiser.get(f"{stage}/rounds/1").json()["show"]
            end(organiser, show["main"], MAIN)
            for match in show["death"]:
                end(organiser, match, DEATH)
            return bool(organiser.get(stage).json()["status"] == "closed")

        wait_until(is_over)


def end(organiser: Client, match: str | None, result: Json) -> None:
    """Rules the result of a match that runs."""
    if match is None:
        return
    ruling = {"result": result, "because": "adjudicated"}
    preview = rule(Player(organiser, match), "result", None, preview=True, **ruling)
    if preview.status_code == 200:
        rule(Player(organiser, match), "result", {"If-Match": preview.headers["etag"]}, **ruling)
