"""The steps of a page: the commands that its reader types, and the files that they write."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

FENCE = re.compile(r"( *)(`{3,})([^`]*)")
REFUSED = ("sh", "bash", "shell", "zsh", "shellsession", "shell-session")


class Typed(NamedTuple):
    """A command, and the output that the page shows."""

    line: int
    command: str
    shown: str


class Written(NamedTuple):
    """A file that the page shows."""

    line: int
    path: str
    content: str


class Block(NamedTuple):
    """A fenced block: the line of its first line, its language and file name, its lines."""

    line: int
    language: str
    path: str
    lines: list[str]


class Unreadable(Exception):
    """A page breaks the rules of `tests/docs`; the message says where and why."""


def steps(page: str) -> list[Typed | Written]:
    """The steps of the page's reader, in order. Raises Unreadable."""
    page_steps: list[Typed | Written] = []
    for block in blocks(page):
        if block.language in REFUSED:
            raise Unreadable(f"line {block.line}: {block.language}: use console, or text")
        if block.path:
            content = "".join(f"{line}\n" for line in block.lines)
            page_steps.append(Written(block.line, block.path, content))
        elif block.language == "console":
            page_steps += typed(block)
    return page_steps


def blocks(page: str) -> Iterator[Block]:
    lines = iter(enumerate(page.splitlines(), start=1))
    for number, line in lines:
        opening = FENCE.fullmatch(line)
        if opening is None:
            continue
        indent, fence, info = opening.groups()
        content = []
        for _, inner in lines:
            if inner.strip() == fence:
                break
            content.append(inner.removeprefix(indent))
        else:
            raise Unreadable(f"line {number}: the block does not end")
        language, _, path = info.strip().partition(" ")
        yield Block(number + 1, language, path.strip(), content)


def typed(block: Block) -> list[Typed]:
    """The commands of a console block. Raises Unreadable."""
    commands: list[Typed] = []
    lines = block.lines
    number = 0
    while number < len(lines):
        if not lines[number].startswith("$ "):
            raise Unreadable(f"line {block.line + number}: output of no command")
        first, command = number, lines[number][2:]
        number += 1
        while goes_on(command):
            if number == len(lines):
                raise Unreadable(f"line {block.line + first}: the command does not end")
            command += "\n" + lines[number]
            number += 1
        shown = []
        while number < len(lines) and not lines[number].startswith("$ "):
            shown.append(lines[number])
            number += 1
        commands.append(Typed(block.line + first, command, "\n".join(shown).strip()))
    return commands


def goes_on(command: str) -> bool:
    """Whether a shell would wait for another line."""
    if command.endswith("\\"):
        return True
    checked = subprocess.run(
        ["bash", "-n"], input=command, capture_output=True, text=True, check=False
    )
    return (
        "end of file" in checked.stderr
        or "end-of-file" in checked.stderr
        or ("looking for matching" in checked.stderr)
    )


def pages(root: Path) -> list[Path]:
    """The pages whose commands are typed."""
    named = [root / "README.md", root / "domain/games/README.md"]
    served = sorted((root / "service/web/docs").glob("**/*.md"))
    return [page for page in [*named, *served] if page.exists()]
