"""`arbiter clock` next to a service that runs: the command that it names is the one that works."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.faults.machine_clock import MachineClock
from tests.support.servers.serve_process import ServeProcess, arbiter, serve
from tests.support.waiting import wait_until

HOUR = 3600
LOGGED = re.compile(r"correct it, or say `arbiter ([^`]+)`")


@pytest.fixture
def machine(tmp_path: Path) -> MachineClock:
    return MachineClock(tmp_path)


@pytest.fixture
def served(tmp_path: Path, machine: MachineClock) -> Iterator[ServeProcess]:
    folder = tmp_path / "a folder"
    folder.mkdir()
    with serve(folder / "data", environment=machine.environment) as process:
        yield process


def readiness(client: httpx.Client) -> tuple[int, dict[str, Any]]:
    answer = client.get("/readyz")
    return answer.status_code, answer.json()


def test_the_named_command_accepts_a_jump_while_the_service_runs(
    served: ServeProcess, machine: MachineClock
) -> None:
    with served.client() as client:
        assert readiness(client)[1].get("commands") is None
        machine.set(HOUR)
        wait_until(lambda: LOGGED.search(served.errors) is not None)
        wait_until(lambda: "accept" in str(readiness(client)))
        status, found = readiness(client)
        assert (status, found["ready"], found["checks"]["clock"]) == (503, False, "down")
        logged = LOGGED.search(served.errors)
        assert logged is not None
        public = found["commands"]["clock"]
        # Everyone may read the one, so it names no path.
        assert f"arbiter {logged[1]}".startswith(f"{public} --data ")
        said = arbiter(*shlex.split(logged[1]), environment=machine.environment)
        assert said.returncode == 0, said.stderr
        wait_until(lambda: readiness(client)[0] == 200)
        assert readiness(client)[1].get("commands") is None
