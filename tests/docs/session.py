"""A bash session in a folder of its own; commands are typed one by one."""

import os
import select
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

PATIENCE = 60.0
"""Time limit of a command, in seconds."""

GENTLE = 'curl() { command curl "$@"; }'
STRICT = 'curl() { command curl --fail-with-body "$@"; }'
"""How `curl` treats an HTTP error: as an answer, or as a failure with status 22."""


class Result(NamedTuple):
    """The exit status of a command, and its output on both channels."""

    status: int
    printed: str


class Session:
    """A shell that keeps its variables from one command to the next."""

    def __init__(self, folder: Path, notes: Path, environment: Mapping[str, str]) -> None:
        self._step, self._printed = notes / "step.sh", notes / "printed"
        self._statuses, write = os.pipe()
        self._shell = subprocess.Popen(
            ["bash", "--noprofile", "--norc"],
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.PIPE,
            pass_fds=(write,),
            start_new_session=True,
            text=True,
        )
        os.close(write)
        self._to = write
        # Bash ends when its standard input ends, that is with us, and ends what it has started.
        self._send("trap 'trap - TERM; kill 0' EXIT")

    def type(self, command: str, *, may_be_refused: bool = False) -> Result:
        """Raises TimeoutError if it does not end, EOFError if it ends the session."""
        self._step.write_text(f"{GENTLE if may_be_refused else STRICT}\n{command}\n")
        self._send(f". '{self._step}' >'{self._printed}' 2>&1 </dev/null; echo $? >&{self._to}")
        status = self._status()
        return Result(status, self._printed.read_text(errors="replace"))

    def _send(self, line: str) -> None:
        assert self._shell.stdin is not None
        self._shell.stdin.write(f"{line}\n")
        self._shell.stdin.flush()

    def _status(self) -> int:
        said = b""
        give_up = time.monotonic() + PATIENCE
        while not said.endswith(b"\n"):
            ready, _, _ = select.select([self._statuses], [], [], give_up - time.monotonic())
            if not ready:
                raise TimeoutError(f"it has not ended after {PATIENCE:g} s")
            read = os.read(self._statuses, 100)
            if not read:
                raise EOFError("it ended the session")
            said += read
        return int(said)

    def end(self) -> None:
        """Ends everything that was started in the session."""
        os.killpg(self._shell.pid, signal.SIGKILL)
        self._shell.wait()
        assert self._shell.stdin is not None
        self._shell.stdin.close()
        os.close(self._statuses)


@contextmanager
def session(folder: Path, notes: Path, environment: Mapping[str, str]) -> Iterator[Session]:
    """A session in the folder; its own files are in `notes`."""
    started = Session(folder, notes, environment)
    try:
        yield started
    finally:
        started.end()
