"""`arbiter serve` as an operator starts it, in a process of its own, for faults of its store."""

import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from tests.support.deploy.child_process import Child, answering, child, free_ports
from tests.support.http import local_http
from tests.support.repository import ROOT
from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.servers.live_server import Client, Player
from tests.support.waiting import wait_until

SERVE = (sys.executable, "-m", "service.cli", "serve")

PATIENT_SECONDS = 30.0
"""Time limit of a request here: longer than the service takes for any answer."""


class SeatedMatch:
    """A running match of Ann and Ben."""

    def __init__(self, http: httpx.Client, made: dict[str, Any]) -> None:
        self.id: str = made["id"]
        self.keys: tuple[str, ...] = tuple(seat["key"] for seat in made["seats"])
        self.seats = tuple(Player(Client(http, key), self.id) for key in self.keys)
        self.moderator = Player(Client(http, made["moderator_key"]), self.id)
        self.anyone = Player(Client(http), self.id)


class Served:
    """The running service. Its log is read from where the last reading ended."""

    def __init__(self, port: int, running: Child, log: Path) -> None:
        self.port = port
        self.log = log
        self._running = running
        self._read = 0
        self.http = local_http.client(f"http://127.0.0.1:{port}", timeout=PATIENT_SECONDS)

    @property
    def pid(self) -> int:
        return self._running.process.pid

    def answering(self) -> None:
        """Returns when it is ready."""
        answering(self.port, self._running, self.log)

    def answers(self) -> None:
        """Returns when it answers anything."""
        wait_until(self._answers, failure=self.log.read_text)

    def _answers(self) -> bool:
        assert self._running.process.poll() is None, self.log.read_text()
        try:
            return self.http.get("/healthz").status_code == 200
        except httpx.TransportError:
            return False

    def ready(self) -> tuple[int, dict[str, Any]]:
        """The status and the content of `/readyz`."""
        answer = self.http.get("/readyz")
        return answer.status_code, answer.json()

    def database(self) -> str:
        """The value of its database in `/readyz`."""
        value: str = self.ready()[1]["checks"]["database"]
        return value

    def started(self, game: str = "dollar-prize") -> SeatedMatch:
        """A running match."""
        organiser = Client(self.http, ORGANISER_KEY)
        answer = organiser.post("/v1/matches", {"game": game, "seats": ["Ann", "Ben"]})
        assert answer.status_code == 201, answer.text
        match = SeatedMatch(self.http, answer.json())
        assert match.moderator.start().status_code == 201
        return match

    def forget_log(self) -> None:
        """What has been logged so far does not count."""
        self._read = self.log.stat().st_size

    def logged(self) -> bytes:
        """What has been logged since."""
        return self.log.read_bytes()[self._read :]

    def lines(self, event: str | None = None) -> list[dict[str, Any]]:
        """Its lines, parsed; with `event`, those of this name."""
        entries = [json.loads(line) for line in self.logged().splitlines() if line[:1] == b"{"]
        return [entry for entry in entries if event in (None, entry["event"])]


@contextmanager
def served(
    data: Path,
    log: Path,
    store: Mapping[str, str] | None = None,
    settings: Mapping[str, str] | None = None,
    *,
    started: bool = True,
) -> Iterator[Served]:
    """The service with its data in a folder, and its log in a file; unless `started` is false, when
    it is ready. `store` names another store; `settings` are other variables."""
    (port,) = free_ports(1)
    environment = {
        **os.environ,
        "ARBITER_ORGANISER_KEY": ORGANISER_KEY,
        "ARBITER_LOG": "json",
        **(store or {}),
        **(settings or {}),
    }
    command = [*SERVE, "--port", str(port), "--data", str(data)]
    with child(command, environment, log, ROOT) as running:
        made = Served(port, running, log)
        with made.http:
            made.answers()
            if started:
                made.answering()
            yield made
