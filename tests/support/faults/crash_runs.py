"""Runs of a server that dies during requests in which chance falls: when, and the result."""

import random
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from domain.events import Event
from domain.match.events import MatchEnded
from domain.proof.notes import VerifierKey
from tests.support.effort import SEED
from tests.support.faults.prepared_matches import (
    Answers,
    Disk,
    Request,
    World,
    copied,
    disk,
    published,
    receipts,
    seen,
    sent,
    sent_all,
    sent_and_killed,
    session,
    signed_at_end,
)
from tests.support.faults.serve_with_fault import WHEN, When
from tests.support.faults.server_process import Process
from tests.support.servers.live_server import Json

SPREAD = 3.0
"""How much longer the longest delay is than the requests take: a server that has just started is
slower, and so is one that runs next to another."""


class Moment(NamedTuple):
    """When the process dies: exactly when an event of that stored name is written, or after that
    share of the time that the requests take."""

    when: When | None
    topic: str = ""
    share: float = 0.0


FIRST = [Moment(when, "match.draw-settled.1") for when in ("uncommitted", "committed")]
EXACTLY = FIRST + [
    moment
    for topic in (
        "match.draw-settled.1", "match.sealed-draw-settled.1", "match.seed-sealed.1",
        "request.kept.1", "key.issued.1", "secret.seed-kept.1", "match.created.1",
        "match.ended.1", "log.checkpoint-signed.1",
    )
    for when in WHEN
    if (moment := Moment(when, topic)) not in FIRST
]  # fmt: skip
"""The first two are among those of every run."""


class Life(Struct, frozen=True):
    """Observations of one copy: the answers before it died, what it left on disk, the answers to
    the repeats, what every audience sees afterwards, and what is on disk in the end."""

    moment: Moment
    first: Answers
    left: Disk
    repeated: Answers
    seen: dict[str, Json]
    receipts: dict[str, list[Json]]
    keys: list[VerifierKey]
    checkpoints: list[str]
    bundle: bytes
    after: Disk


class Dying(Process):
    """A server that kills itself at a moment."""

    def __init__(self, data: Path, moment: Moment) -> None:
        plant = (sys.executable, "-m", "tests.support.faults.serve_with_fault")
        super().__init__(data, under=(*plant, "--dies", str(moment.when), moment.topic))

    def died(self) -> None:
        """Returns when it has."""
        self._gone()
        assert self._process.poll() == -signal.SIGKILL


def moments(chance: random.Random, kills: int) -> list[Moment]:
    """Half of them are exact, as far as there are enough; the others are evenly spread, from before
    the first request to after the last answer."""
    rest = EXACTLY[len(FIRST) :]
    exact = FIRST + chance.sample(rest, min(len(rest), max(0, kills // 2 - len(FIRST))))
    count = max(0, kills - len(exact))
    return exact + [Moment(None, share=n / max(1, count - 1)) for n in range(count)]


def undisturbed(world: World, folder: Path) -> tuple[Life, float]:
    """The result of the requests without a kill, and how long they take."""
    process = Process(copied(world, folder))
    try:
        start = time.monotonic()
        answers = sent_all(process.url, world.requests)
        span = time.monotonic() - start
        assert [answers[name].status for name in world.requests] == [201] * len(world.requests)
        left = disk(folder)
        return afterwards(world, process, Moment(None), answers, left), span
    finally:
        process.kill()


def lived(world: World, folder: Path, moment: Moment, span: float) -> Life:
    """The requests, the death, the restart, the repeats."""
    chance = random.Random(f"{SEED}/{moment}")
    requests = dict(chance.sample(list(world.requests.items()), len(world.requests)))
    if moment.when is None:
        first = sent_and_killed(Process(folder), requests, moment.share * SPREAD * span)
    else:
        dying = Dying(folder, moment)
        try:
            first = sent_all(dying.url, requests, at_once=chance.random() < 0.5)
            dying.died()
        finally:
            dying.kill()
    left = disk(folder)
    process = Process(folder)
    try:
        if is_over(left.events(world.tables["end"].id)):
            signed_at_end(folder, world.tables["end"].id)
        return afterwards(world, process, moment, first, left)
    finally:
        process.kill()


def is_over(events: Sequence[Event]) -> bool:
    return any(isinstance(event, MatchEnded) for event in events)


def afterwards(world: World, process: Process, moment: Moment, first: Answers, left: Disk) -> Life:
    """The repeats, and all views after them. The log of a finished match is signed by itself; after
    that anyone may request its signature."""
    repeated = sent_all(process.url, world.requests)
    end = world.tables["end"]
    signed_at_end(process.data, end.id)
    with session(process.url) as http:
        shown = {name: seen(http, table) for name, table in world.tables.items()}
        given = {name: receipts(http, table) for name, table in world.tables.items()}
        asked = [Request(f"/v1/matches/{end.id}/checkpoints", end.moderator_key)] * 2
        checkpoints = [sent(http, one).json["note"] for one in asked]
        bundle = http.get(f"/v1/matches/{end.id}/bundle?as=moderator").content
        keys = published(http)
    process.kill()
    now = disk(process.data)
    return Life(moment, first, left, repeated, shown, given, keys, checkpoints, bundle, now)
