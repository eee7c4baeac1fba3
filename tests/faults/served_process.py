"""`arbiter serve` as an operator starts it, in a process of its own, for faults of its store."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from tests.support.http import local_http
from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.servers.live_server import Client, LiveMatch, created, started
from tests.support.servers.serve_process import ServeProcess
from tests.support.waiting import wait_until

PATIENT_SECONDS = 30.0
"""Time limit of a request here: longer than the service takes for any answer."""


class Served(ServeProcess):
    """The running service. Its log is read from where the last reading ended."""

    http: httpx.Client
    _read = 0

    @property
    def port(self) -> int:
        return httpx.URL(self.url).port or 80

    def ready(self) -> tuple[int, dict[str, Any]]:
        """The status and the content of `/readyz`."""
        answer = self.http.get("/readyz")
        return answer.status_code, answer.json()

    def database(self) -> str:
        """The value of its database in `/readyz`."""
        value: str = self.ready()[1]["checks"]["database"]
        return value

    def started(self, game: str = "dollar-prize") -> LiveMatch:
        """A running match of Ann and Ben."""
        return started(created(Client(self.http, ORGANISER_KEY), game))

    def forget_log(self) -> None:
        """What has been logged so far does not count."""
        self._read = len(self.errors)

    def logged(self) -> str:
        """What has been logged since."""
        return self.errors[self._read :]

    def lines(self, event: str | None = None) -> list[dict[str, Any]]:
        """Its lines, parsed; with `event`, those of this name."""
        entries = [json.loads(line) for line in self.logged().splitlines() if line[:1] == "{"]
        return [entry for entry in entries if event in (None, entry["event"])]


@contextmanager
def served(
    data: Path, logs: Path, settings: Mapping[str, str] | None = None, *, ready: bool = True
) -> Iterator[Served]:
    """The service with its data in a folder, and its log in another; unless `ready` is false, when
    it is ready. `settings` are other variables."""
    with (
        Served(data, environment=settings, logs=logs) as made,
        local_http.client(made.url, timeout=PATIENT_SECONDS) as made.http,
    ):
        if ready:
            wait_until(lambda: made.ready()[0] == 200, failure=lambda: made.errors)
        yield made
        made.stop()
