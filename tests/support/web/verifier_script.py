"""Asks the verifier's page questions, without a browser: node runs its script."""

import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from domain.notes import VerifierKey
from service.web.build import PAGE
from tests.support.repository import TESTS
from tests.support.web.node_program import node

RUNNER = TESTS / "service" / "web" / "arbiter.js"
LONGEST = 300
"""Time limit of an answer, in seconds."""

Json = dict[str, Any]


class PageAnswer(Struct, frozen=True):
    """An answer; or the name of the error, and its message."""

    answer: Any = None
    error: str | None = None
    why: str | None = None


def page_answers(questions: Iterable[Json], page: Path = PAGE) -> list[PageAnswer]:
    """An answer for each question: `ask` says what is asked, the rest are its arguments."""
    lines = [msgspec.json.encode(question) for question in questions]
    assert lines, "nothing is asked"
    done = subprocess.run(
        [node(), str(RUNNER), str(page)],
        input=b"\n".join(lines),
        stdout=subprocess.PIPE,
        check=True,
        timeout=LONGEST,
    )
    answers = [msgspec.json.decode(line, type=PageAnswer) for line in done.stdout.splitlines()]
    assert len(answers) == len(lines), "it stopped answering"
    return answers


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
