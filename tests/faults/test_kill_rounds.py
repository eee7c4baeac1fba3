"""Killed with kill -9 between a round and its matches: the round is published once, and each of its
matches is created once and can be played, wherever the service dies."""

from collections import Counter
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any

import httpx
import pytest

from domain.tournament.events import MatchAdded
from domain.tournament.stage_events import LotsDrawn, RoundMatchCreated, RoundPublished
from tests.faults.http_writers import Json
from tests.support.faults.fault_server import WHEN
from tests.support.faults.server_process import Process, streams
from tests.support.http import local_http
from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.servers.live_server import Client
from tests.support.waiting import wait_until

PLAYERS = [f"Player {number}" for number in range(8)]
STAGE: Json = {
    "name": "Knockout",
    "format": "elimination",
    "match": {"game": "dollar-prize"},
    "round": {"start": "at_once"},
}


def moments(first: str, *others: str) -> list[Any]:
    """When to die of the events of these stored names: always as the first is committed, and in the
    long tests at all others."""
    return [
        pytest.param(
            when,
            topic,
            id=f"{topic} {when}",
            marks=[]
            if (when, topic) == ("committed", first)
            else pytest.mark.slow(because="one is killed always"),
        )
        for topic, when in product((first, *others), WHEN)
    ]


MOMENTS = moments(
    "tournament.round-published.1",
    "tournament.lots-drawn.1",
    "match.created.1",
    "tournament.match-added.1",
    "tournament.round-match-created.1",
    "match.started.1",
)


@pytest.mark.parametrize(("when", "topic"), MOMENTS)
def test_each_match_of_a_round_is_created_once(when: str, topic: str, tmp_path: Path) -> None:
    with Process(tmp_path) as life:
        cup = posted(life, "/v1/tournaments", {"name": "Cup", "players": PLAYERS})["id"]
        path = f"/v1/tournaments/{cup}"
        posted(life, f"{path}/stages", STAGE)
    with Process(tmp_path, "--dies", when, topic) as life:
        with suppress(httpx.TransportError):
            publish(life, path)
        life.died()
    with Process(tmp_path) as life:
        publish(life, path)
        with local_http.client(life.url) as http:
            anyone = Client(http, None)

            def running() -> list[Json]:
                pairings = anyone.get(f"{path}/stages/1/rounds/1").json()["pairings"]
                return [one for one in pairings if one["status"] == "running"]

            wait_until(lambda: len(running()) == 4)
            named = [match for one in running() for match in one["matches"]]
            listed = anyone.get("/v1/matches", tournament=cup).json()["matches"]
    assert sorted(named) == sorted(row["id"] for row in listed)
    records = streams(tmp_path)
    events = Counter(type(record.event) for record in records[cup])
    assert events[RoundPublished] == events[LotsDrawn] == 1
    assert events[RoundMatchCreated] == events[MatchAdded] == len(named) == 4
    assert set(named) <= records.keys()


def publish(life: Process, path: str) -> None:
    """Draws the lots of the stage and publishes its first round, as far as that is not done."""
    with local_http.client(life.url) as http:
        organiser = Client(http, ORGANISER_KEY)
        rounds = f"{path}/stages/1/rounds"
        if organiser.get(f"{rounds}/1").status_code == 200:
            return
        lots = organiser.post(f"{path}/stages/1/lots")
        assert lots.status_code == 201, lots.text
        draft = organiser.post(rounds, {"preview": True})
        assert draft.status_code == 200, draft.text
        made = organiser.post(rounds, {}, {"If-Match": draft.headers["etag"]})
        assert made.status_code == 201, made.text


def posted(life: Process, path: str, body: Json) -> Json:
    with local_http.client(life.url) as http:
        answer = Client(http, ORGANISER_KEY).post(path, body)
    assert answer.status_code == 201, answer.text
    made: Json = answer.json()
    return made
