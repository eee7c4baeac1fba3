"""Killed with kill -9 between any two steps of a tournament: each step of a round and of a show
follows once, and each match is created once and can be played, wherever the service dies. A round
is withdrawn with its matches, and what is forfeited is forfeited once."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest

from domain.events import Event
from domain.match.events import MatchCreated, MatchEnded
from domain.rulings.events import MatchVoided
from domain.tournament.events import MatchAdded, MatchSettled, PlayerNamed
from domain.tournament.stage_events import (
    CandidatesNamed,
    ImmuneNamed,
    LotsDrawn,
    OpponentChosen,
    PlayerEliminated,
    PlayerReady,
    RoundClosed,
    RoundMatchCreated,
    RoundPublished,
    RoundWithdrawn,
    StageClosed,
)
from tests.faults.http_writers import Json
from tests.support.faults.fault_server import WHEN
from tests.support.faults.server_process import Process, streams
from tests.support.http import local_http
from tests.support.http.ruling_client import rule
from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.servers.live_server import Client, Player
from tests.support.waiting import wait_until

MAIN: Json = {"winners": [2], "losers": [0], "shared": False, "scores": [0, 0, 1]}
DEATH: Json = {"winners": [0], "losers": [1], "shared": False, "scores": [1, 0]}


class Course(NamedTuple):
    """A tournament and its only stage. `go_on` does what is left of it; then each of these steps
    has followed so often, and there are so many matches. It dies as these events are written: in
    `make test` as the first one is committed."""

    cup: Json
    stage: Json
    go_on: Callable[[Client, str], None]
    steps: Mapping[type[Event], int]
    matches: int
    topics: tuple[str, ...]


def published(organiser: Client, stage: str, body: Json) -> None:
    """Publishes the first round, unless that is done."""
    if organiser.get(f"{stage}/rounds/1").status_code == 200:
        return
    draft = organiser.post(f"{stage}/rounds", body | {"preview": True})
    assert draft.status_code == 200, draft.text
    made = organiser.post(f"{stage}/rounds", body, {"If-Match": draft.headers["etag"]})
    assert made.status_code == 201, made.text


def knockout(organiser: Client, stage: str) -> None:
    """Until its four matches run."""
    if organiser.get(f"{stage}/rounds/1").status_code != 200:
        lots = organiser.post(f"{stage}/lots")
        assert lots.status_code == 201, lots.text
    published(organiser, stage, {})

    def running() -> list[Json]:
        pairings = organiser.get(f"{stage}/rounds/1").json()["pairings"]
        return [one for one in pairings if one["status"] == "running"]

    wait_until(lambda: len(running()) == 4)


ROUND: Json = {
    "main": {"game": "liars-dice"},
    "death": {"game": "dollar-prize"},
    "groups": [[0, 1, 2]],
}


def show(organiser: Client, stage: str) -> None:
    """To its end."""
    published(organiser, stage, ROUND)

    def is_over() -> bool:
        shown = organiser.get(f"{stage}/rounds/1").json()["show"]
        end(organiser, shown["main"], MAIN)
        for match in shown["death"]:
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


def created(organiser: Client, stage: str, number: int = 1) -> list[str]:
    """The matches of a round, once all are there."""

    def found() -> list[str]:
        pairings = organiser.get(f"{stage}/rounds/{number}").json()["pairings"]
        return [match for one in pairings for match in one["matches"]]

    wait_until(
        lambda: len(found()) == len(organiser.get(f"{stage}/rounds/{number}").json()["pairings"])
    )
    return found()


def withdrawn(organiser: Client, stage: str) -> None:
    """A round is withdrawn before it begins."""
    published(organiser, stage, {})
    if organiser.get(f"{stage}/rounds/1").json()["status"] == "withdrawn":
        return
    created(organiser, stage)
    gone = organiser.send("DELETE", f"{stage}/rounds/1", b'{"reason":"x"}', {})
    assert gone.status_code == 200, gone.text


def absent(organiser: Client, stage: str) -> None:
    """No one comes to a round, and the service rules that all have lost."""
    published(organiser, stage, {})
    wait_until(lambda: organiser.get(f"{stage}/rounds/1").json()["status"] == "closed")


def ready(organiser: Client, stage: str) -> None:
    """Until all have said that they are ready, and the match runs."""
    published(organiser, stage, {})
    (match,), (cup, _) = created(organiser, stage), stage.split("/stages/")
    for number in range(2):
        key = organiser.post(f"{cup}/players/{number}/key").json()["key"]
        said = replace(organiser, key=key).post(f"/v1/matches/{match}/ready")
        assert said.status_code in (200, 201), said.text
    wait_until(lambda: organiser.get(f"/v1/matches/{match}").json()["status"] == "running")


def followed(organiser: Client, stage: str) -> None:
    """Until a second round has been published by itself."""
    published(organiser, stage, {})
    first = created(organiser, stage)

    def is_next() -> bool:
        for match in first:
            end(organiser, match, DEATH)
        return organiser.get(f"{stage}/rounds/2").status_code == 200

    wait_until(is_next)
    created(organiser, stage, 2)


def withheld(organiser: Client, stage: str) -> None:
    """A name is withheld, and nowhere any more."""
    published(organiser, stage, {})
    (match,), (cup, _) = created(organiser, stage), stage.split("/stages/")
    gone = organiser.send("DELETE", f"{cup}/players/0/name")
    assert gone.status_code == 204, gone.text
    shown = cup, f"{cup}/events", f"{cup}/keys", f"/v1/matches/{match}", "/v1/matches?name=Ann"
    assert not [path for path in shown if '"Ann"' in organiser.get(path).text]


TWO: Json = {"name": "Cup", "players": ["Ann", "Ben"]}
FOUR: Json = {"name": "Cup", "players": ["Ann", "Ben", "Cy", "Di"]}
SINGLE: Json = {"game": "dollar-prize", "rulings": "single"}
ROBIN: Json = {"name": "R", "format": "round_robin", "match": SINGLE}
SECOND = 1 / 3600
AT_ONCE: Json = {"round": {"start": "at_once"}}
COURSES = {
    "knockout": Course(
        {"name": "Cup", "players": [f"Player {number}" for number in range(8)]},
        AT_ONCE | {"name": "K", "format": "elimination", "match": {"game": "dollar-prize"}},
        knockout,
        {RoundPublished: 1, LotsDrawn: 1},
        4,
        ("tournament.round-published.1", "tournament.lots-drawn.1", "match.created.1",
         "tournament.match-added.1", "tournament.round-match-created.1", "match.started.1"),
    ),
    "show": Course(
        {"name": "Cup", "players": ["Ann", "Ben", "Cy"], "garnets": {"Ben": 2}},
        AT_ONCE
        | {"name": "S", "format": "show", "match": {"rulings": "single"}, "choice_hours": 0},
        show,
        dict.fromkeys((RoundPublished, ImmuneNamed, CandidatesNamed, LotsDrawn, OpponentChosen,
         PlayerEliminated, RoundClosed, StageClosed), 1),
        2,
        ("tournament.opponent-chosen.1", "tournament.candidates-named.1",
         "tournament.player-eliminated.1", "tournament.stage-closed.1"),
    ),
    "withdrawal": Course(
        TWO,
        ROBIN,
        withdrawn,
        {RoundPublished: 1, RoundWithdrawn: 1, RoundClosed: 0},
        1,
        ("tournament.round-withdrawn.1", "match.voided.1"),
    ),
    "forfeit": Course(
        TWO,
        ROBIN | {"absent": "forfeit", "round": {"start": "by_hand", "ends": SECOND}},
        absent,
        {RoundPublished: 1, MatchSettled: 1, RoundClosed: 1},
        1,
        ("match.result-ruled.1", "match.started.1", "tournament.match-settled.1"),
    ),
    "ready": Course(
        TWO,
        ROBIN | {"round": {"start": "ready"}},
        ready,
        {RoundPublished: 1, PlayerReady: 2},
        1,
        ("tournament.player-ready.1", "match.started.1"),
    ),
    "withheld name": Course(
        TWO,
        ROBIN,
        withheld,
        {RoundPublished: 1, PlayerNamed: 2},
        1,
        ("names.withheld.1",),
    ),
    "next": Course(
        FOUR,
        ROBIN | {"round": {"start": "at_once", "next": 0}},
        followed,
        {RoundPublished: 2, RoundClosed: 1},
        4,
        ("tournament.round-closed.1", "tournament.match-settled.1"),
    ),
}  # fmt: skip


def moments() -> Iterator[Any]:
    for name, course in COURSES.items():
        for topic, when in product(course.topics, WHEN):
            always = (topic, when) == (course.topics[0], "committed")
            marks: Any = [] if always else pytest.mark.slow(because="one is killed always")
            yield pytest.param(course, when, topic, id=f"{name} {topic} {when}", marks=marks)


@contextmanager
def organising(life: Process) -> Iterator[Client]:
    with local_http.client(life.url) as http:
        yield Client(http, ORGANISER_KEY)


@pytest.mark.parametrize(("course", "when", "topic"), list(moments()))
def test_each_step_follows_once(course: Course, when: str, topic: str, tmp_path: Path) -> None:
    with Process(tmp_path) as life, organising(life) as organiser:
        cup = organiser.post("/v1/tournaments", course.cup).json()["id"]
        stages = f"/v1/tournaments/{cup}/stages"
        assert organiser.post(stages, course.stage).status_code == 201
    with Process(tmp_path, "--dies", when, topic) as life, organising(life) as organiser:
        with suppress(httpx.TransportError):
            course.go_on(organiser, f"{stages}/1")
        life.died()
    with Process(tmp_path) as life, organising(life) as organiser:
        course.go_on(organiser, f"{stages}/1")
    records = streams(tmp_path)
    events = Counter(type(record.event) for record in records[cup])
    assert {kind: events[kind] for kind in course.steps} == course.steps
    firsts = {match: found[0].event for match, found in records.items()}
    created = [m for m, e in firsts.items() if isinstance(e, MatchCreated) and e.tournament == cup]
    assert len(created) == events[RoundMatchCreated] == events[MatchAdded] == course.matches
    for match in created:
        ends = [r for r in records[match] if isinstance(r.event, MatchEnded | MatchVoided)]
        assert len(ends) <= 1
    added = [r.event.match for r in records[cup] if isinstance(r.event, MatchAdded)]
    assert sorted(added) == sorted(created)
