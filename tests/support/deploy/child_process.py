"""A program that runs next to the tests and ends with them, however they end."""

import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx

from tests.support.http import local_http
from tests.support.servers.orphan_guard import OrphanGuard

PATIENCE = 20.0
"""Seconds after which a start or stop has failed."""


class Child:
    """A running program; its output goes to the file `log`."""

    def __init__(
        self, command: Sequence[str | Path], environment: Mapping[str, str], log: Path, folder: Path
    ) -> None:
        with log.open("ab") as said:
            self.process = subprocess.Popen(
                command,
                env=dict(environment),
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                start_new_session=True,
            )
        end = 'kill -TERM "$0"; sleep 1; kill -KILL "$0"'
        self._guard = OrphanGuard(self.process.pid, end)

    def end(self, how: signal.Signals = signal.SIGTERM) -> int:
        """Sends the signal and waits; returns the exit status."""
        with suppress(ProcessLookupError):
            self.process.send_signal(how)
        try:
            return self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise
        finally:
            self._guard.dismiss()


@contextmanager
def child(
    command: Sequence[str | Path], environment: Mapping[str, str], log: Path, folder: Path
) -> Iterator[Child]:
    """A program that is stopped when the context exits."""
    running = Child(command, environment, log, folder)
    try:
        yield running
    finally:
        running.end()


def answering(port: int, running: Child, log: Path) -> None:
    """Returns when the service at the port is ready."""
    give_up = time.monotonic() + PATIENCE
    while True:
        assert running.process.poll() is None, log.read_text()
        try:
            answer = local_http.get(f"http://127.0.0.1:{port}/readyz")
        except httpx.TransportError:
            assert time.monotonic() < give_up, log.read_text()
            time.sleep(0.05)
        else:
            assert answer.status_code == 200, answer.text
            return


def free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [free.getsockname()[1] for free in sockets]
    for free in sockets:
        free.close()
    return ports
