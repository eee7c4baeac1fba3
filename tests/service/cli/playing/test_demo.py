"""`arbiter demo`: the addresses that it prints exist, and the commands that it prints work."""

import json
import os
import pty
import re
import select
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from domain.games import GAMES
from service.cli.options import store_lock
from tests.support.http import local_http
from tests.support.instance.service_instance import settings

ARBITER = Path(sys.executable).parent / "arbiter"
PATIENCE = 60.0
"""Seconds after which a command that does not end has failed."""

WITHOUT = ("ARBITER_", "PERSISTENCE_", "SQLITE_", "POSTGRES_")


def clean_environment(tmp_path: Path, **more: str) -> dict[str, str]:
    """An environment in which temporary folders are in the test's own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(WITHOUT)}
    return kept | {"TMPDIR": str(tmp_path), "COLUMNS": "100"} | more


def printed_commands(printed: str) -> list[str]:
    """The commands that the output tells the user to type."""
    return [line.strip() for line in printed.splitlines() if f"{ARBITER} " in line]


def typed(command: str, environment: dict[str, str]) -> str:
    """The command's output; it must succeed."""
    done = subprocess.run(
        ["sh", "-c", command],
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stderr}"
    return done.stdout


@contextmanager
def started(command: str, environment: dict[str, str]) -> Iterator[str]:
    """A server started by the command; its address."""
    serving = subprocess.Popen(
        shlex.split(command), env=environment, stdout=subprocess.PIPE, text=True
    )
    try:
        assert serving.stdout is not None
        address = re.search(r"http://\S+", serving.stdout.readline())
        assert address is not None
        yield address[0]
    finally:
        serving.terminate()
        serving.communicate(timeout=PATIENCE)


NEVER_SAID = "\x00"


class OnTerminal:
    """A program that writes to a terminal of its own."""

    def __init__(self, command: Sequence[str | Path], environment: dict[str, str]) -> None:
        if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
            # A shell's background job ignores Ctrl-C, and so would what it starts.
            signal.signal(signal.SIGINT, signal.default_int_handler)
        self._terminal, end = pty.openpty()
        self._running = subprocess.Popen(
            command, env=environment, stdin=end, stdout=end, stderr=end, start_new_session=True
        )
        os.close(end)
        self._said = b""

    @property
    def said(self) -> str:
        return self._said.decode(errors="replace")

    def read_until(self, text: str) -> None:
        give_up = time.monotonic() + PATIENCE
        while text not in self.said:
            ready, _, _ = select.select([self._terminal], [], [], give_up - time.monotonic())
            assert ready, self.said
            self._said += os.read(self._terminal, 4096)

    def interrupt(self) -> int:
        """Its exit status after Ctrl-C. What it still says is read: a full terminal stops it."""
        os.killpg(self._running.pid, signal.SIGINT)
        with suppress(OSError):  # it has ended, and its side of the terminal with it
            self.read_until(NEVER_SAID)
        return self._running.wait(PATIENCE)

    def close(self) -> None:
        self._running.kill()
        self._running.wait()
        os.close(self._terminal)


DEMO = (ARBITER, "demo", "--matches", "1")


def test_it_disturbs_no_server_and_its_output_is_true_after_it_has_ended(tmp_path: Path) -> None:
    """Next to a server whose store the environment names, and behind a proxy that is away."""
    away = clean_environment(
        tmp_path,
        ARBITER_DATA=str(tmp_path / "served"),
        SQLITE_DBNAME=str(tmp_path / "served/arbiter.db"),
        HTTP_PROXY="http://127.0.0.1:9",
    )
    with store_lock(settings(tmp_path / "served/arbiter.db")):
        demo = shlex.join(map(str, DEMO))
        printed = typed(demo, away)
    assert all(game in printed for game in GAMES)
    assert not (tmp_path / "served/arbiter.db").exists()
    (data,) = re.findall(r"The matches are kept in (\S+)", printed)
    (match, *_) = re.findall(r"^ *([0-9a-f-]{36}) ", printed, re.MULTILINE)
    del away["SQLITE_DBNAME"]
    shown = typed(shlex.join([str(ARBITER), "replay", match, "--data", data]), away)
    assert json.loads(shown)["status"] == "ended"


@pytest.fixture(name="demo")
def on_terminal(tmp_path: Path) -> Iterator[OnTerminal]:
    running = OnTerminal(DEMO, clean_environment(tmp_path, TERM="xterm", NO_COLOR="1"))
    yield running
    running.close()


def test_on_a_terminal_it_stays_and_its_addresses_and_keys_work(
    demo: OnTerminal, tmp_path: Path
) -> None:
    demo.read_until("organiser key")
    addresses = re.findall(r"http://\S+(?=/v1/|/m/|  )\S*", demo.said)
    (organiser,) = re.findall(r"arb_org_\w+", demo.said)
    (seat,) = re.findall(r"arb_s0_\w+", demo.said)
    (moderator,) = re.findall(r"arb_mod_\w+", demo.said)
    assert len(addresses) == 3
    with local_http.client() as http:
        for address in addresses:
            assert http.get(address).status_code == 200, address
        match = addresses[1].removesuffix("/events?as=moderator")
        for key, what in ((seat, "receipts"), (moderator, "bundle?as=moderator")):
            opened = http.get(f"{match}/{what}", headers={"Authorization": f"Bearer {key}"})
            assert opened.status_code == 200, opened.text
        made = http.post(
            match.rpartition("/")[0],
            json={"game": "dollar-prize", "seats": ["Ann", "Ben"]},
            headers={"Authorization": f"Bearer {organiser}"},
        )
        assert made.status_code == 201
    commands = printed_commands(demo.said)
    assert len(commands) == 1
    typed(commands[0], clean_environment(tmp_path))
    assert demo.interrupt() == 0
