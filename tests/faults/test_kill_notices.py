"""Killed with kill -9, the sender and the receiver in turn, on either database: each notice arrives
at least once, a repeat has the same id and body, and those of a match arrive in order."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.effort import new_chance, times
from tests.support.faults.server_process import Process
from tests.support.http import local_http
from tests.support.repository import ROOT
from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.servers.live_server import Client, Json
from tests.support.servers.postgres_server import fresh_database
from tests.support.waiting import PATIENCE, wait_until

pytestmark = pytest.mark.slow(
    because="it kills, cuts or damages what a service needs, again and again"
)

KILLS = times("deaths while notices are sent")
MATCHES = 3


class Notice(NamedTuple):
    """A notice as it arrived."""

    id: str
    body: str

    @property
    def match(self) -> str:
        return str(json.loads(self.body)["data"]["match"])


class ReceiverProcess:
    """A receiver that can be killed, and comes back at the same port."""

    def __init__(self, file: Path) -> None:
        self.file, self.port = file, 0
        self.start()

    def start(self) -> None:
        command = [sys.executable, "-m", "tests.support.faults.receiver_process"]
        self._process = subprocess.Popen(
            [*command, str(self.port), str(self.file)], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline())

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()

    def reaches(self, count: int, patience: float = PATIENCE) -> None:
        """Returns when so many notices have arrived, without repeats."""
        wait_until(lambda: len(set(self.received())) >= count, patience, self.received)

    def received(self) -> list[Notice]:
        if not self.file.exists():
            return []
        return [Notice(*json.loads(line)) for line in self.file.read_text().splitlines()]


class Service(NamedTuple):
    """How the service is started again and again on the same store."""

    data: Path
    options: tuple[str, ...]
    store: dict[str, str] | None = None

    def start(self) -> Process:
        return Process(self.data, "--retry-after", "0", *self.options, store=self.store)


@pytest.fixture(params=["sqlite", "postgres"])
def service(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Service]:
    if request.param == "sqlite":
        yield Service(tmp_path / "data", ())
        return
    with fresh_database() as env:
        yield Service(tmp_path / "data", ("--postgres",), env)


def test_each_notice_arrives_at_least_once_and_in_order(service: Service, tmp_path: Path) -> None:
    chance, matches = new_chance(), list[str]()
    receiver = ReceiverProcess(tmp_path / "received.txt")
    process = service.start()
    try:
        url = f"http://127.0.0.1:{receiver.port}/"
        webhook = posted(process, "/v1/webhooks", {"url": url, "kinds": ["started", "awaiting"]})
        for _ in range(KILLS):
            matches += [started(process) for _ in range(MATCHES)]
            receiver.reaches(len(set(receiver.received())) + chance.randint(1, MATCHES))
            process.kill()
            process = service.start()
            matches += [started(process) for _ in range(MATCHES)]
            receiver.reaches(len(set(receiver.received())) + chance.randint(1, MATCHES))
            receiver.kill()
            receiver.start()
        receiver.reaches(2 * len(matches), 60.0)
        sent = all_delivered(process, webhook["id"], 2 * len(matches))
    finally:
        process.kill()
        receiver.kill()

    received = receiver.received()
    first = list(dict.fromkeys(received))
    assert len({one.id for one in first}) == len(first), "a repeat is the same, byte by byte"
    assert {one.id for one in first} == {one["id"] for one in sent}
    for match in matches:
        in_order = [one["id"] for one in sent if one["about"] == match]
        assert [one.id for one in first if one.match == match] == in_order
        assert len(in_order) == 2


def all_delivered(process: Process, webhook: str, count: int) -> list[Json]:
    """What was sent, once everything has arrived."""
    sent: list[Json] = []

    def done() -> bool:
        with local_http.client(process.url) as http:
            path = f"/v1/webhooks/{webhook}/deliveries?limit=1000"
            sent[:] = Client(http, ORGANISER_KEY).get(path).json()["deliveries"]
        return len(sent) == count and all(one["state"] == "delivered" for one in sent)

    wait_until(done, failure=lambda: sent)
    return sent


def started(process: Process) -> str:
    """A match in which seat 0 is awaited."""
    body = {"game": "dollar-prize", "seats": ["Ann", "Ben"]}
    match: str = posted(process, "/v1/matches", body)["id"]
    posted(process, f"/v1/matches/{match}/start")
    return match


def posted(process: Process, path: str, body: Json | None = None) -> Json:
    with local_http.client(process.url) as http:
        answer = Client(http, ORGANISER_KEY).post(path, body)
    assert answer.status_code == 201, answer.text
    made: Json = answer.json()
    return made
