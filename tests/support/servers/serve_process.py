"""`arbiter serve` on an embedded store, as an operator starts it, in a process of its own."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

import httpx

from tests.support.http import local_http
from tests.support.repository import ROOT
from tests.support.servers.forked_program import ForkedProgram
from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.waiting import wait_until

ARBITER = Path(sys.executable).parent / "arbiter"
COMMANDS = "service.cli"
ADDRESS = re.compile(r"Arbiter at (http://\S+)")
SECONDS = 60.0
"""Time limit of a command, and of a start: much is compiled where there is no bytecode yet."""

ANEW = ("PYTHON", "LANG", "LC_", "LD_", "TMPDIR", "TZ")
"""How variables begin that are read when a program is loaded."""

ENVIRONMENT = {**os.environ, "ARBITER_ORGANISER_KEY": ORGANISER_KEY, "ARBITER_LOG": "json"}


class ServeProcess:
    """One life of the command, or of another `program` that serves; it is killed when the context
    exits. What it prints is in `said.txt` next to the data or in the folder `logs`, its log is
    appended to `errors.txt` there. Under another program, or with variables that are read when it
    is loaded, it is started anew instead of forked."""

    program = COMMANDS

    def __init__(
        self,
        data: Path,
        *options: str,
        environment: Mapping[str, str] | None = None,
        under: Sequence[str] = (),
        logs: Path | None = None,
    ) -> None:
        logs = logs or data.parent
        self._said, self._errors = logs / "said.txt", logs / "errors.txt"
        arguments = ["serve", "--port", "0", "--data", str(data), *options]
        variables = ENVIRONMENT | dict(environment or {})
        self._said.write_bytes(b"")
        self._process: subprocess.Popen[bytes] | ForkedProgram = (
            self._anew([*under, sys.executable, "-m", self.program, *arguments], variables)
            if under or read_when_loaded(environment)
            else ForkedProgram(self.program, arguments, variables, self._said, self._errors)
        )
        try:
            self.url = self._started()
        except BaseException:
            self.kill()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def _anew(
        self, command: Sequence[str], environment: Mapping[str, str]
    ) -> "subprocess.Popen[bytes]":
        with self._said.open("wb") as out, self._errors.open("ab") as errors:
            return subprocess.Popen(
                command,
                cwd=ROOT,
                env=environment,
                stdout=out,
                stderr=errors,
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def said(self) -> str:
        return self._said.read_text()

    @property
    def errors(self) -> str:
        """The log of this life and of those before it."""
        return self._errors.read_text()

    def client(self, key: str = ORGANISER_KEY) -> httpx.Client:
        return local_http.client(self.url, headers={"Authorization": f"Bearer {key}"})

    @property
    def runs(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    def wait(self, seconds: float = SECONDS) -> int:
        """Its exit status, when it has ended. Raises subprocess.TimeoutExpired."""
        return self._process.wait(seconds)

    def kill(self) -> None:
        """Ends it at once (SIGKILL)."""
        if self._process.poll() is None:  # or its number may be another's by now
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait(SECONDS)

    def died(self) -> None:
        """Returns when it has killed itself."""
        assert self.wait() == -signal.SIGKILL

    def stop(self) -> None:
        """Ends it in an orderly way (SIGTERM)."""
        self._process.terminate()
        self._process.wait(SECONDS)

    def _started(self) -> str:
        """Its address, when it answers there."""
        wait_until(lambda: self._address is not None or not self.runs, SECONDS)
        assert self._address is not None, self.errors
        self.url = self._address
        wait_until(self._answers, SECONDS, lambda: self.errors)
        return self.url

    @property
    def _address(self) -> str | None:
        match = ADDRESS.search(self.said)
        return match and match[1]

    def _answers(self) -> bool:
        assert self._process.poll() is None, self.errors
        try:
            return local_http.get(f"{self.url}/healthz").status_code == 200
        except httpx.TransportError:
            return False


def read_when_loaded(environment: Mapping[str, str] | None) -> bool:
    """Whether a process that is forked would not notice some of these variables."""
    return any(name.startswith(ANEW) for name in environment or ())


serve = ServeProcess


def arbiter(
    *arguments: object, under: Sequence[str] = (), environment: Mapping[str, str] | None = None
) -> "subprocess.CompletedProcess[str]":
    """Runs a command to its end. One that serves instead of refusing to is killed."""
    words = list(map(str, arguments))
    variables = ENVIRONMENT | {"COLUMNS": "200"} | dict(environment or {})
    if not (under or read_when_loaded(environment)):
        return _forked(words, variables)
    return subprocess.run(
        [*under, ARBITER, *words],
        cwd=ROOT,
        env=variables,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def _forked(
    arguments: Sequence[str], environment: Mapping[str, str]
) -> "subprocess.CompletedProcess[str]":
    with TemporaryDirectory() as folder:
        out, errors = Path(folder, "out"), Path(folder, "errors")
        program = ForkedProgram(COMMANDS, arguments, environment, out, errors)
        try:
            status = program.wait(SECONDS)
        finally:
            program.kill()
        return subprocess.CompletedProcess(arguments, status, out.read_text(), errors.read_text())


def refused_start(
    data: Path,
    *options: str,
    under: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
) -> str:
    """The sentence with which the service refuses to start."""
    command = ("serve", "--port", 0, "--data", data, *options)
    with suppress(subprocess.TimeoutExpired):
        result = arbiter(*command, under=under, environment=environment)
        assert result.returncode == 1, result.stderr
        return " ".join(result.stderr.split())
    raise AssertionError("it serves")


def started_match(client: httpx.Client) -> Any:
    """A match that a client has created and started, with its keys."""
    new = {"game": "dollar-prize", "seats": ["Ann", "Ben"], "chance": "manual"}
    match = client.post("/v1/matches", json=new).raise_for_status().json()
    client.post(f"/v1/matches/{match['id']}/start").raise_for_status()
    return match
