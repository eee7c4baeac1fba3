"""Asks the verifier's page questions, without a browser: node runs its script."""

import atexit
import subprocess
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from subprocess import PIPE
from tempfile import TemporaryDirectory
from threading import Thread, Timer
from typing import Any

import msgspec
from msgspec import Struct

from domain.proof.notes import VerifierKey
from service.web.build import page
from tests.support.repository import TESTS
from tests.support.web.node_program import node

RUNNER = TESTS / "service" / "web" / "arbiter.js"
LONGEST = 300
"""Time limit of the answers to one list of questions, in seconds."""

Json = dict[str, Any]


class PageAnswer(Struct, frozen=True):
    """An answer; or the name of the error, and its message."""

    answer: Any = None
    error: str | None = None
    why: str | None = None


def page_answers(questions: Iterable[Json]) -> list[PageAnswer]:
    """An answer for each question: `ask` says what is asked, the rest are its arguments."""
    lines = [msgspec.json.encode(question) for question in questions]
    assert lines, "nothing is asked"
    return _running_page().answers(lines)


class RunningPage:
    """The script of the page, loaded once into a process of node that answers until it is
    closed."""

    def __init__(self) -> None:
        self._folder = TemporaryDirectory()
        page_file = Path(self._folder.name, "verify.html")
        page_file.write_text(page())
        command = [node(), str(RUNNER), str(page_file)]
        self._node = subprocess.Popen(command, stdin=PIPE, stdout=PIPE)

    def answers(self, lines: Sequence[bytes]) -> list[PageAnswer]:
        """Sends the questions while it reads the answers: neither side waits for a full pipe.

        Raises subprocess.CalledProcessError if the script cannot be loaded.
        """
        sending = Thread(target=self._send, args=(lines,), daemon=True)
        too_late = Timer(LONGEST, self._node.kill)
        sending.start()
        too_late.start()
        try:
            return [self._next() for _ in lines]
        finally:
            too_late.cancel()
            sending.join()

    def close(self) -> None:
        self._node.kill()
        self._node.communicate()
        self._folder.cleanup()

    def _send(self, lines: Sequence[bytes]) -> None:
        assert self._node.stdin is not None
        with suppress(BrokenPipeError):
            for line in lines:
                self._node.stdin.write(line + b"\n")
            self._node.stdin.flush()

    def _next(self) -> PageAnswer:
        assert self._node.stdout is not None
        line = self._node.stdout.readline()
        if not line:
            raise subprocess.CalledProcessError(self._node.wait(), self._node.args)
        return msgspec.json.decode(line, type=PageAnswer)


@cache
def _running_page() -> RunningPage:
    """The page as it is served: loading it takes longer than most answers."""
    running = RunningPage()
    atexit.register(running.close)
    return running


def verifying(
    bundle: bytes,
    keys: Sequence[VerifierKey | str],
    checkpoints: Sequence[str] = (),
    receipts: Sequence[str] = (),
) -> Json:
    """The question for the verdict on a bundle."""
    return {
        "ask": "verify",
        "bundle": bundle.hex(),
        "keys": [str(key) for key in keys],
        "checkpoints": checkpoints,
        "receipts": receipts,
    }
