"""Three workers as they are deployed: processes of `arbiter serve` on one PostgreSQL and one Redis,
each on a port of its own."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx

from tests.support.deploy.child_process import PATIENCE, Child, free_ports
from tests.support.http import local_http
from tests.support.repository import ROOT
from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.servers.postgres_server import fresh_database
from tests.support.servers.redis_server import redis_server
from tests.support.waiting import wait_until

ARBITER = (sys.executable, "-m", "service.cli")


class Workers:
    """The workers by number, from 0. Each has an address and a log."""

    def __init__(self, folder: Path, environment: dict[str, str], count: int) -> None:
        self.folder = folder
        self.addresses = [f"127.0.0.1:{port}" for port in free_ports(count)]
        self._environment = environment
        self._running: dict[int, Child] = {}
        migrating = Child([*ARBITER, "migrate"], environment, folder / "migrate.log", ROOT)
        assert migrating.process.wait(PATIENCE) == 0, (folder / "migrate.log").read_text()
        migrating.end()

    def start(self, number: int) -> None:
        """Returns when it is ready."""
        port = self.addresses[number].rpartition(":")[2]
        command = [*ARBITER, "serve", "--port", port]
        log = self.folder / f"worker-{number}.log"
        self._running[number] = running = Child(command, self._environment, log, ROOT)

        def ready() -> bool:
            assert running.process.poll() is None, log.read_text()
            return self._ready(number)

        wait_until(ready, failure=log.read_text)

    def kill(self, number: int) -> None:
        """kill -9, without regard to what it is doing."""
        self._running.pop(number).end(signal.SIGKILL)

    def stop(self, number: int) -> int:
        """Stops it in an orderly way; returns the exit status."""
        return self._running.pop(number).end(signal.SIGTERM)

    def stop_all(self) -> None:
        for number in list(self._running):
            self.kill(number)

    def _ready(self, number: int) -> bool:
        try:
            url = f"http://{self.addresses[number]}/readyz"
            return local_http.get(url).status_code == 200
        except httpx.TransportError:
            return False


@contextmanager
def workers(folder: Path, count: int = 3) -> Iterator[Workers]:
    """Running workers behind a proxy on this machine."""
    with ExitStack() as held:
        environment = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT),
            **held.enter_context(fresh_database()),
            "CREATE_TABLE": "no",
            "ARBITER_REDIS_URL": held.enter_context(redis_server()).url,
            "ARBITER_DATA": str(folder / "data"),
            "ARBITER_ORGANISER_KEY": ORGANISER_KEY,
            "ARBITER_TRUSTED_PROXIES": "127.0.0.1/32",
            "ARBITER_LOG": "json",
        }
        made = Workers(folder, environment, count)
        held.callback(made.stop_all)
        for number in range(count):
            made.start(number)
        yield made
