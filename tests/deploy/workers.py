"""Three workers as they are deployed: processes of `arbiter serve` on one PostgreSQL and one Redis,
each on a port of its own."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx

from tests.deploy.child import PATIENCE, Child, free_ports
from tests.live import ORGANISER_KEY
from tests.postgres import fresh_database
from tests.redis_server import redis_server

ROOT = Path(__file__).parents[2]
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
        give_up = time.monotonic() + PATIENCE
        while not self._ready(number):
            assert running.process.poll() is None, log.read_text()
            assert time.monotonic() < give_up, log.read_text()
            time.sleep(0.05)

    def kill(self, number: int) -> None:
        """kill -9: whatever it was doing."""
        self._running.pop(number).end(signal.SIGKILL)

    def stop(self, number: int) -> int:
        """In an orderly way; its exit status."""
        return self._running.pop(number).end(signal.SIGTERM)

    def stop_all(self) -> None:
        for number in list(self._running):
            self.kill(number)

    def _ready(self, number: int) -> bool:
        try:
            url = f"http://{self.addresses[number]}/readyz"
            return httpx.get(url, trust_env=False).status_code == 200
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
