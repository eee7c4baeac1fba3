"""Signals in the first seconds of a command, also as process 1, whose signals the system ignores
unless there is a handler; and SIGHUP."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.support.deploy.child_process import free_ports
from tests.support.http import local_http
from tests.support.repository import ROOT
from tests.support.waiting import wait_until

COMMAND = (sys.executable, "-m", "service.cli")
NAMESPACE = ("unshare", "--pid", "--fork", "--kill-child")

needs_namespaces = pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("unshare") is None, reason="needs root, and unshare"
)


@contextmanager
def started(*command: str | Path) -> Iterator[subprocess.Popen[bytes]]:
    running = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield running
    finally:
        running.kill()
        running.wait()


def first_child(pid: int) -> int | None:
    """The process in the namespace, by its number outside."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return int(children[0]) if children else None


def handles(pid: int, number: signal.Signals, of: str = "SigCgt") -> bool:
    """Whether a process has a handler for a signal; or ignores it, by `SigIgn`."""
    status = Path(f"/proc/{pid}/status").read_text()
    (mask,) = (line.split()[1] for line in status.splitlines() if line.startswith(of))
    return bool(int(mask, 16) >> (number - 1) & 1)


def has_loaded(pid: int, text: str) -> bool:
    return text in Path(f"/proc/{pid}/maps").read_text()


@needs_namespaces
@pytest.mark.parametrize(
    "command",
    [
        ("simulate", "--matches", "10000000"),
        ("serve", "--port", "0"),
        ("serve", "--port", "0", "--workers", "2"),
        ("check",),
    ],
    ids=lambda command: " ".join(command[:1] + command[3:]),
)
def test_process_1_ends_at_a_signal_in_its_first_seconds(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    data = ("--data", str(tmp_path)) if command[0] in ("serve", "check") else ()
    with started(*NAMESPACE, *COMMAND, *command, *data) as outside:
        wait_until(lambda: first_child(outside.pid) is not None)
        inside = first_child(outside.pid)
        assert inside is not None
        wait_until(lambda: handles(inside, signal.SIGTERM))
        assert not has_loaded(inside, "uvloop"), "it has a handler before it loads the service"
        os.kill(inside, signal.SIGTERM)
        assert outside.wait(10) == 128 + signal.SIGTERM


@needs_namespaces
def test_a_simulation_as_process_1_ends_at_a_signal_later_too() -> None:
    with started(*NAMESPACE, *COMMAND, "simulate", "--matches", "10000000") as outside:
        wait_until(lambda: first_child(outside.pid) is not None)
        inside = first_child(outside.pid)
        assert inside is not None
        wait_until(lambda: first_child(inside) is not None)
        os.kill(inside, signal.SIGTERM)
        assert outside.wait(10) == 128 + signal.SIGTERM


def test_sighup_is_ignored_from_the_first_line_and_while_serving(tmp_path: Path) -> None:
    (port,) = free_ports(1)
    with started(*COMMAND, "serve", "--port", str(port), "--data", tmp_path) as running:
        wait_until(lambda: handles(running.pid, signal.SIGHUP, "SigIgn"))
        running.send_signal(signal.SIGHUP)
        wait_until(lambda: answers(port))
        running.send_signal(signal.SIGHUP)
        assert answers(port)
        running.send_signal(signal.SIGTERM)
        assert running.wait(20) == 0


def answers(port: int) -> bool:
    try:
        return local_http.get(f"http://127.0.0.1:{port}/healthz").status_code == 200
    except httpx.TransportError:
        return False
