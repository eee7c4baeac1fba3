"""The reader of a page: types its commands, and compares the output."""

import os
import re
import shutil
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import httpx

from tests.docs.session import Session, session
from tests.support.deploy.child_process import free_ports
from tests.support.docs.pages import Typed, Written
from tests.support.http import local_http
from tests.support.repository import ROOT

PLACEHOLDER = re.compile(r"(arb_[a-z0-9]+_|\b[0-9a-f]{4})…")
INSTANT = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z"
UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
PART = re.compile(rf"{PLACEHOLDER.pattern}|(?P<any>…)|(?P<instant>{INSTANT})|(?P<space>\s+)")


class Unknown(Exception):
    """A placeholder stands for nothing that has been printed; the text is the placeholder."""


def matched(shown: str, printed: str) -> dict[str, str] | None:
    """The values of the placeholders in `shown`, from `printed`; None if the texts differ."""
    pattern, names = "", []
    end = 0
    for part in PART.finditer(shown):
        pattern += re.escape(shown[end : part.start()])
        end = part.end()
        if part["any"]:
            pattern += ".*?"
        elif part["instant"]:
            pattern += INSTANT
        elif part["space"]:
            pattern += r"\s*"
        else:
            names.append(part[0])
            pattern += f"({meant(part[1])}).*?"
    pattern += re.escape(shown[end:])
    match = re.fullmatch(pattern, printed.strip(), re.DOTALL)
    if match is None:
        return None
    # The first of a name: what follows is an example of the same, or of another.
    return dict(reversed(list(zip(names, match.groups(), strict=True))))


def meant(prefix: str) -> str:
    """The pattern for the values of a placeholder with this prefix."""
    return rf"{prefix}[0-9a-f_]+" if prefix.startswith("arb_") else UUID


def filled(command: str, known: Mapping[str, str], outputs: Sequence[str]) -> str:
    """The command with keys and ids in place of placeholders: those that are known, or else the
    first in the newest output that has one. Raises Unknown."""

    def value(placeholder: re.Match[str]) -> str:
        if placeholder[0] in known:
            return known[placeholder[0]]
        for newest in _newest(meant(placeholder[1]), outputs):
            return newest
        raise Unknown(placeholder[0])

    result = PLACEHOLDER.sub(value, command)
    if "…" in result:
        raise Unknown(command)
    return result


def _newest(pattern: str, outputs: Sequence[str]) -> Iterator[str]:
    for output in reversed(outputs):
        match = re.search(pattern, output)
        if match is not None:
            yield match[0]


PATIENCE = 60.0
"""Seconds after which a server that was started should answer."""

LEFT_OUT = shutil.ignore_patterns(
    ".git", ".venv", "data", "node_modules", "*.pyc.*", ".*_cache", ".hypothesis", ".bench-*"
)
"""Files that a fresh checkout does not have, and those that Python is just writing. What it has
compiled is left in, or each page would compile everything once more."""

SERVES = re.compile(r"((?:\w+=\S+ )*)(?:make serve|(?:\.venv/bin/)?arbiter serve(.*))")
ADDRESS = re.compile(r"\b(127\.0\.0\.1|localhost):8000\b")


class Instead(NamedTuple):
    """The command to type in place of those that match `pattern`. `compared`: its output is the
    same."""

    pattern: str
    typed: str
    reason: str
    compared: bool = True


INSTEAD = (
    Instead(
        r"make ((?:test|check|bench|simulate|faults|recorded)\b.*)",
        r"make -n \1",
        "takes minutes, and installs tools: that there is such a target must do",
        compared=False,
    ),
    Instead(r"make demo", r".venv/bin/arbiter demo --matches 1", "one match a game shows it"),
    Instead(r"(.*\barbiter demo)((?!.*--matches).*)", r"\1 --matches 1\2", "as above"),
    Instead(r"(.*\barbiter simulate .*--matches) \d+(.*)", r"\1 10\2", "by luck, one by one"),
    Instead(r"git clone .*", r":", "the session begins in a copy of the checkout"),
    Instead(r"cd arbiter", r":", "as above"),
)


class Wrong(Exception):
    """A page's output differs; the message says where, and what was printed."""


class Reader:
    """Follows a page step by step."""

    def __init__(self, folder: Path, typing: Session, notes: Path) -> None:
        self.folder = folder
        self._session = typing
        self._log = notes / "served"
        (self._port,) = free_ports(1)
        self._outputs: list[str] = []
        self._known: dict[str, str] = {}

    def write(self, step: Written) -> None:
        """Makes the file that the page shows."""
        path = self.folder / step.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(step.content)

    def type(self, step: Typed) -> None:
        """Types the command. Raises Wrong if it fails, or prints something else."""
        command, compared = without_comment(step.command), True
        if serves := SERVES.fullmatch(command):
            printed = self._serve(*serves.groups(default=""))
        else:
            command, compared = shortened(self._filled(step, command))
            printed = self._run(step, command)
        self._outputs.append(printed)
        if step.shown and compared:
            self._compare(step, printed)

    def serve(self) -> None:
        """A server for a page that starts none."""
        self._outputs.append(self._serve("", ""))

    def _filled(self, step: Typed, command: str) -> str:
        try:
            return filled(command, self._known, self._outputs)
        except Unknown as unknown:
            raise Wrong(f"line {step.line}: nothing printed stands for {unknown}") from None

    def _compare(self, step: Typed, printed: str) -> None:
        stood_for = matched(step.shown, printed)
        if stood_for is None:
            raise Wrong(_report(step, "prints something else", printed))
        self._known |= stood_for

    def _run(self, step: Typed, command: str) -> str:
        real = ADDRESS.sub(rf"\1:{self._port}", command)
        refused = '"code":"' in step.shown
        try:
            result = self._session.type(real, may_be_refused=refused)
        except (TimeoutError, EOFError) as error:
            raise Wrong(f"line {step.line}: $ {step.command}\n{error}") from None
        printed = result.printed.replace(f":{self._port}", ":8000")
        if result.status != 0:
            raise Wrong(_report(step, f"exits with status {result.status}", printed))
        return printed

    def _serve(self, settings: str, arguments: str) -> str:
        """Starts the server, in place of a running one; returns its output."""
        self._session.type('[ -z "${served-}" ] || { kill "$served"; wait "$served"; }')
        command = f"{settings}ARBITER_PORT={self._port} .venv/bin/arbiter serve {arguments}"
        self._session.type(f"{command} >'{self._log}' 2>&1 & served=$!")
        give_up = time.monotonic() + PATIENCE
        while not self._ready():
            if time.monotonic() > give_up:
                raise Wrong(f"the server does not start:\n{self._log.read_text()}")
            time.sleep(0.05)
        return self._log.read_text().replace(f":{self._port}", ":8000")

    def _ready(self) -> bool:
        try:
            answer = local_http.get(f"http://127.0.0.1:{self._port}/readyz")
        except httpx.TransportError:
            return False
        return answer.is_success


def follow(page_steps: list[Typed | Written], folder: Path) -> set[str]:
    """Follows the page in a copy of the checkout in the folder; returns the files that its commands
    have made there. Raises Wrong."""
    if not page_steps:
        return set()
    commands = [without_comment(step.command) for step in page_steps if isinstance(step, Typed)]
    with reader(folder) as reading:
        if not any(SERVES.fullmatch(command) for command in commands):
            reading.serve()
        for step in page_steps:
            if isinstance(step, Written):
                reading.write(step)
            else:
                reading.type(step)
        written = {step.path for step in page_steps if isinstance(step, Written)}
        return files(reading.folder) - files(ROOT) - written


def files(folder: Path) -> set[str]:
    """The paths of the files in a checkout, without installed ones."""
    return {
        str(path.relative_to(folder))
        for name in folder.iterdir()
        if name.name not in (".venv", ".git")
        for path in ([name] if name.is_file() else name.rglob("*"))
        if path.is_file()
    }


@contextmanager
def reader(folder: Path) -> Iterator[Reader]:
    """A reader in a copy of the checkout, with nothing started yet."""
    checkout, notes = folder / "arbiter", folder / "notes"
    shutil.copytree(ROOT, checkout, ignore=LEFT_OUT)
    (checkout / ".venv").symlink_to(sys.prefix)
    notes.mkdir()
    with session(checkout, notes, environment(checkout, folder)) as typing:
        yield Reader(checkout, typing, notes)


def environment(checkout: Path, home: Path) -> dict[str, str]:
    """Of the session: nothing of ours but PATH. The code is that of the copy."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "COLUMNS": "100",
        "TMPDIR": str(home),
        "PYTHONPATH": str(checkout),
    }


def without_comment(command: str) -> str:
    """The command without a comment at its end."""
    return re.sub(r"\s+#\s[^'\"\n]*$", "", command)


def shortened(command: str) -> tuple[str, bool]:
    """The command to type instead of this one, and whether its output is the same."""
    for instead in INSTEAD:
        if re.fullmatch(instead.pattern, command, re.DOTALL):
            typed = re.sub(instead.pattern, instead.typed, command, count=1, flags=re.DOTALL)
            return typed, instead.compared
    return command, True


def _report(step: Typed, what: str, printed: str) -> str:
    parts = [f"line {step.line}: $ {step.command}", what, "--- printed", printed.strip()]
    if step.shown:
        parts += ["--- shown", step.shown]
    return "\n".join(parts)
