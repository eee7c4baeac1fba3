"""The systemd units: the programs they start run, and stop in time."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.deploy.nginx_proxy import WORKERS
from tests.deploy.systemd_unit import Unit, environment_file, read
from tests.support.deploy.child_process import PATIENCE, Child, answering, free_ports
from tests.support.repository import ROOT
from tests.support.servers.postgres_server import fresh_database
from tests.support.servers.redis_server import redis_server

UNITS = ROOT / "deploy" / "systemd"
NAMES = ("arbiter.service", "arbiter@.service", "arbiter-migrate.service")
INSTALLED = "/opt/arbiter/bin/arbiter"
STATE = "/var/lib/arbiter"

STOP_SECONDS = 10.0
EXPOSURE = 15
"""In tenths: what systemd itself calls fine ends at about 2.0."""

needs_systemd = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd is not installed"
)

CONFINED = """
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
PR_SET_NO_NEW_PRIVS, PR_SET_MDWE = 38, 65
assert libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
libc.prctl(PR_SET_MDWE, 1, 0, 0, 0)  # since Linux 6.3
os.umask(int(sys.argv[1], 8))
os.execv(sys.argv[2], sys.argv[2:])
"""
"""Starts a program with all of a unit's restrictions that need no systemd."""


def environment(unit: Unit, more: Mapping[str, str]) -> dict[str, str]:
    """The environment from systemd, and PATH; `more` stands for the operator's files."""
    return {"PATH": "/usr/bin:/bin", **unit.environment(), **more}


def command(unit: Unit, state: Path, changes: Mapping[str, str]) -> list[str | Path]:
    """The unit's command, from here instead of /opt and with another folder."""
    words = unit.command()
    assert words[0] == INSTALLED
    assert STATE in words
    words[0] = str(Path(sys.executable).with_name("arbiter"))
    words = [changes.get(word, str(state) if word == STATE else word) for word in words]
    return [sys.executable, "-c", CONFINED, unit.one("UMask"), *words]


@contextmanager
def started(words: Sequence[str | Path], env: Mapping[str, str], folder: Path) -> Iterator[Child]:
    running = Child(words, env, folder / "log", folder)
    try:
        yield running
    finally:
        running.end(signal.SIGKILL)


def stopped(running: Child, unit: Unit) -> None:
    """By SIGTERM to the process alone, in less than the time that the unit allows."""
    assert unit.one("KillMode") == "mixed"
    assert float(unit.one("TimeoutStopSec")) > STOP_SECONDS
    began = time.monotonic()
    assert running.end(signal.SIGTERM) == 0
    assert time.monotonic() - began < STOP_SECONDS


def private(folder: Path) -> bool:
    """Whether only the owner can read anything in the folder."""
    return not any(path.stat().st_mode & 0o077 for path in folder.rglob("*"))


def test_the_single_service_runs_and_stops(tmp_path: Path) -> None:
    unit = read(UNITS / "arbiter.service")
    (port,) = free_ports(1)
    state = tmp_path / "state"
    state.mkdir(mode=0o700)
    with started(
        command(unit, state, {"8000": str(port)}), environment(unit, {}), tmp_path
    ) as running:
        answering(port, running, tmp_path / "log")
        stopped(running, unit)
    assert (state / "arbiter.db").exists()
    assert private(state)


def test_workers_run_on_the_example_settings(tmp_path: Path) -> None:
    migrating, unit = read(UNITS / "arbiter-migrate.service"), read(UNITS / "arbiter@.service", "1")
    assert unit.one("EnvironmentFile") == "/etc/arbiter/environment"
    assert unit.one("EnvironmentFile") in migrating.all("EnvironmentFile")
    (port, figures) = free_ports(2)
    state = tmp_path / "state"
    state.mkdir(mode=0o700)
    with fresh_database() as database, redis_server() as redis:
        there = environment_file(UNITS / "environment")
        assert there.keys() >= {"POSTGRES_HOST", "POSTGRES_USER", "ARBITER_REDIS_URL"}
        there |= {**database, "ARBITER_REDIS_URL": redis.url}
        with started(
            command(migrating, state, {}), environment(migrating, there), tmp_path
        ) as making:
            assert making.process.wait(PATIENCE) == 0, (tmp_path / "log").read_text()
        metrics = {"ARBITER_METRICS": f"127.0.0.1:{figures}"}
        with started(
            command(unit, state, {"8001": str(port)}),
            environment(unit, {**there, **metrics}),
            tmp_path,
        ) as running:
            answering(port, running, tmp_path / "log")
            stopped(running, unit)
    assert private(state)


def test_a_worker_without_tables_reports_it(tmp_path: Path) -> None:
    unit = read(UNITS / "arbiter@.service", "1")
    (port,) = free_ports(1)
    with (
        fresh_database() as database,
        started(
            command(unit, tmp_path / "state", {"8001": str(port)}),
            environment(unit, database),
            tmp_path,
        ) as running,
    ):
        assert running.process.wait(PATIENCE) != 0
    assert "arbiter migrate" in (tmp_path / "log").read_text()


def test_the_first_three_workers_are_those_of_nginx() -> None:
    for number, address in enumerate(WORKERS, 1):
        words = read(UNITS / "arbiter@.service", str(number)).command()
        host, port = words[words.index("--host") + 1], words[words.index("--port") + 1]
        assert f"{host}:{port}" == address


def test_all_units_are_confined_alike() -> None:
    def confined(name: str) -> list[str]:
        _, _, hardening = (UNITS / name).read_text().partition("# The service needs its own folder")
        return hardening.partition("[Install]")[0].splitlines()

    first, *others = (confined(name) for name in NAMES)
    assert len(first) > 25
    assert others == [first, first]


@pytest.fixture
def units(tmp_path: Path) -> list[Path]:
    """The units as files that systemd finds complete: their program exists, their instance too."""
    made = []
    for name in NAMES:
        path = tmp_path / name.replace("@", "@1")
        path.write_text((UNITS / name).read_text().replace(INSTALLED, "/bin/true"))
        made.append(path)
    # The template itself is searched for next to its instance.
    shutil.copy(made[1], tmp_path / NAMES[1])
    return made


@needs_systemd
def test_systemd_understands_every_line(units: list[Path]) -> None:
    said = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *units], capture_output=True, text=True
    )
    ours = [line for line in said.stderr.splitlines() if "arbiter" in line]
    assert not ours, ours


@needs_systemd
def test_systemd_finds_little_exposed(units: list[Path]) -> None:
    for unit in units:
        said = subprocess.run(
            ["systemd-analyze", "security", "--offline=true", f"--threshold={EXPOSURE}", unit],
            capture_output=True,
            text=True,
        )
        assert said.returncode == 0, said.stdout


@needs_systemd
@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_no_system_call_of_the_service_is_forbidden(tmp_path: Path) -> None:
    unit = read(UNITS / "arbiter.service")
    (port,) = free_ports(1)
    calls = tmp_path / "calls"
    words = command(unit, tmp_path / "state", {"8000": str(port)})
    tracing: list[str | Path] = ["strace", "-f", "-qq", "-o", calls, "-e", "signal=none"]
    with started([*tracing, *words], environment(unit, {}), tmp_path) as running:
        answering(port, running, tmp_path / "log")
        (serving,) = children(running.process.pid)
        os.kill(serving, signal.SIGTERM)
        assert running.process.wait(PATIENCE) == 0
    made = set(re.findall(r"^\d+ +([a-z_0-9]+)\(", calls.read_text(), re.MULTILINE))
    assert len(made) > 40
    forbidden = made - allowed(unit)
    assert not forbidden


def children(pid: int) -> list[int]:
    """The processes that a process has started."""
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def allowed(unit: Unit) -> set[str]:
    """The system calls that a unit allows."""
    found: set[str] = set()
    for line in unit.all("SystemCallFilter"):
        denied = line.startswith("~")
        for name in line.lstrip("~").split():
            found = found - listed(name) if denied else found | listed(name)
    return found


def listed(name: str) -> set[str]:
    """The system calls of a set, and of the sets in it."""
    if not name.startswith("@"):
        return {name}
    said = subprocess.run(
        ["systemd-analyze", "syscall-filter", name], capture_output=True, text=True, check=True
    )
    inner = [line.strip() for line in said.stdout.splitlines()[1:]]
    return {call for one in inner if one and one[0] != "#" for call in listed(one)}


@pytest.mark.parametrize("name", NAMES)
def test_a_crash_writes_no_keys_to_disk(name: str) -> None:
    assert read(UNITS / name, "1").one("LimitCORE") == "0"


@pytest.mark.parametrize("name", ["arbiter.service", "arbiter@.service", "arbiter-migrate.service"])
def test_memory_and_tasks_are_bounded(name: str) -> None:
    unit = read(UNITS / name, "1")
    assert (unit.one("MemoryMax"), unit.one("TasksMax")) == ("2G", "256")
