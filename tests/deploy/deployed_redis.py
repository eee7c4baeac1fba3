"""Redis as it is deployed: the command of a manifest, run with a real Redis on a free port."""

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.support.deploy.child_process import child, free_ports
from tests.support.servers.redis_server import executable
from tests.support.waiting import wait_until

PASSWORD = "5c0a1f" * 8
FROM_ENVIRONMENT = "REDISCLI_AUTH"
DEFAULT_PORT = "6379"


class DeployedRedis:
    """A running server; `health` is the command of its health check."""

    def __init__(self, port: int, programs: Path, health: Sequence[str]) -> None:
        self.port = port
        self._programs = programs
        self._health = health

    def healthy(self, password: str = PASSWORD) -> bool:
        """Whether the health check passes in a container with this password."""
        return self._run(self._health, password).returncode == 0

    def says(self, password: str, *words: str) -> str:
        """The answer to a command of someone with this password; the empty one is none."""
        return self._run(["redis-cli", *words], password).stdout.strip()

    def _run(self, command: Sequence[str], password: str) -> subprocess.CompletedProcess[str]:
        env = environment(self._programs, password)
        return subprocess.run(command, env=env, capture_output=True, text=True, check=False)


@contextmanager
def deployed_redis(
    folder: Path, command: Sequence[str], health: Sequence[str]
) -> Iterator[DeployedRedis]:
    """A server that the command starts. The command must leave the port as it is."""
    assert DEFAULT_PORT not in " ".join(command)
    (port,) = free_ports(1)
    programs = folder / "programs"
    programs.mkdir(parents=True)
    for name in ("redis-server", "redis-cli"):
        more = f"--port {port} --bind 127.0.0.1" if name == "redis-server" else ""
        at = "" if more else f"-p {port}"
        program = programs / name
        program.write_text(f'#!/bin/sh\nexec {executable().with_name(name)} {at} "$@" {more}\n')
        program.chmod(0o755)
    running = DeployedRedis(port, programs, health)
    with child(command, environment(programs, PASSWORD), folder / "log", folder):
        wait_until(lambda: "PONG" in running.says(PASSWORD, "PING"))
        yield running


def environment(programs: Path, password: str) -> dict[str, str]:
    """The environment of a container of Redis."""
    path = f"{programs}:{os.environ['PATH']}"
    return {"PATH": path} | ({FROM_ENVIRONMENT: password} if password else {})
