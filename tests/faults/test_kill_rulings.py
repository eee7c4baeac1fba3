"""Rulings of two workers on PostgreSQL, killed with kill -9 by turns: every ruling that was
acknowledged is on record once, and every record is judged again."""

import random
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import httpx
import pytest

from domain.proof.rejudging import judged
from tests.support.effort import new_chance, times
from tests.support.faults.worker_fleet import Fleet, on_postgres
from tests.support.http import local_http
from tests.support.http.match_play import all_events, step
from tests.support.http.ruling_client import listed, rule, ruled
from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.servers.live_server import Client, LiveMatch, Player
from tests.support.waiting import wait_until

pytestmark = pytest.mark.slow(
    because="it kills, cuts or damages what a service needs, again and again"
)

KILLS = times("deaths while rulings are made")
PATIENCE = 60.0
PAUSE = 0.05
AT_ONCE = 3
"""How many matches are played at once."""


class Repeating(httpx.BaseTransport):
    """Sends each request, under a key, until it is answered. What was on record before the answer
    got lost counts as recorded (201) too."""

    def __init__(self) -> None:
        self._sent = httpx.HTTPTransport(verify=local_http.PLAIN)

    def close(self) -> None:
        self._sent.close()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        request.headers.setdefault("Idempotency-Key", str(uuid4()))
        end = time.monotonic() + PATIENCE
        while True:
            try:
                answer = self._sent.handle_request(request)
                answer.read()
            except httpx.TransportError:
                answer = None
            again = answer is None or answer.status_code == 503 or _in_flight(answer)
            if answer is not None and not (again and time.monotonic() < end):
                if answer.headers.get("Idempotent-Replayed") == "true":
                    answer.status_code = 201
                return answer
            assert time.monotonic() < end, "no answer"
            time.sleep(PAUSE)


def _in_flight(answer: httpx.Response) -> bool:
    return answer.status_code == 409 and answer.json()["code"] == "request_in_flight"


@pytest.mark.slow(
    because="test_kill kills the same workers, and test_rulings_repeated sends rulings twice"
)
def test_no_ruling_is_lost_or_doubled_when_workers_are_killed(tmp_path: Path) -> None:
    chance = new_chance()
    with on_postgres(tmp_path, 2) as (fleet, servers):
        with httpx.Client(transport=Repeating(), base_url=fleet.url, timeout=PATIENCE) as http:
            organiser = Client(http, ORGANISER_KEY)
            matches = [started(organiser) for _ in range(AT_ONCE)]
            given: dict[str, list[str]] = defaultdict(list)
            with killed_by_turns(fleet) as deaths:
                while deaths() < KILLS:
                    match = chance.choice(matches[-AT_ONCE:])
                    if played_on(match, chance):
                        given[match.id] += rulings(match, chance)
                    else:
                        matches.append(started(organiser))
            for match in matches:
                shown = Counter(one["ruling"] for one in listed(match.moderator))
                assert shown == Counter(given[match.id])
        assert any(given.values())
        for match in matches:
            record = servers.record(match.id)
            again = judged(match.id, record)
            assert len(again.rulings.past) == len(given[match.id])


def started(organiser: Client) -> LiveMatch:
    """A match in which one person rules."""
    body = {"game": "dollar-prize", "seats": ["Ann", "Ben"], "rulings": "single"}
    made = organiser.post("/v1/matches", body).json()
    keys = tuple(seat["key"] for seat in made["seats"])

    def player(key: str | None) -> Player:
        return Player(Client(organiser.http, key), made["id"])

    moderator = player(made["moderator_key"])
    assert moderator.start().status_code == 201
    return LiveMatch(
        made["id"],
        keys,
        made["moderator_key"],
        tuple(map(player, keys)),
        moderator,
        player(organiser.key),
        player(organiser.key),
        player(None),
    )


def played_on(match: LiveMatch, chance: random.Random) -> bool:
    """Plays a few actions; whether the match is still running."""
    for _ in range(chance.randint(1, 3)):
        after = step(match)
        if after is None or after["status"] != "running":
            return False
    return True


def rulings(match: LiveMatch, chance: random.Random) -> list[str]:
    """Makes two rulings; their ids."""
    if chance.random() < 0.5:
        sent = [rule(match.moderator, "pause"), rule(match.organiser, "resume")]
        return [ruling_of(answer) for answer in sent]
    played = [one["seq"] for one in all_events(match.moderator) if one["type"].startswith("dollar")]
    before = played[-1]
    gone = ruled(match.moderator, "rewind", before=before)
    return [gone["ruling"], ruling_of(rule(match.moderator, "resume"))]


def ruling_of(answer: httpx.Response) -> str:
    """The id of a ruling that took effect."""
    assert answer.status_code == 201, answer.text
    ruling: str = answer.json()["ruling"]
    return ruling


@contextmanager
def killed_by_turns(fleet: Fleet) -> Iterator[Callable[[], int]]:
    """While inside, the oldest worker is killed again and again; yields how often so far."""
    deaths, over = 0, threading.Event()

    def kill() -> None:
        nonlocal deaths
        while not over.wait(random.uniform(0.2, 1.0)) and deaths < KILLS:
            fleet.kill(fleet.workers()[0])
            deaths += 1
            wait_until(lambda: len(fleet.workers()) == 2 or over.is_set())

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        yield lambda: deaths
    finally:
        over.set()
        killer.join()
