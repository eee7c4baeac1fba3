"""The five walks of CONTRIBUTING.md are true: their files exist, lead to one another, and contain
what the walk names."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MOST_FILES = 8
"""Maximum number of files of a walk: nobody follows a longer one."""

_STEP = re.compile(r"^\d+\. (.+(?:\n   .+)*)", re.MULTILINE)
_FILE = re.compile(r"`((?:[a-z_]+/)+(?:<game>/)?(?:[a-z_]+|<game>)\.py)`")
_NAME = re.compile(r"`([a-z_]{3,})`")


def walks() -> dict[str, list[str]]:
    """The steps of each walk, by its heading."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    section = text.partition("\n## Five walks\n")[2].partition("\n## ")[0]
    found = re.split(r"^### (.+)$", section, flags=re.MULTILINE)
    return {
        title: _STEP.findall(body) for title, body in zip(found[1::2], found[2::2], strict=True)
    }


def files(step: str) -> list[str]:
    """The files that a step names; of a game that is left open, those of 12 Chips."""
    return [name.replace("<game>", "twelve_chips") for name in _FILE.findall(step)]


@cache
def imports(path: str) -> frozenset[str]:
    """The files of ours that a file imports."""
    names = set()
    for node in ast.walk(ast.parse((ROOT / path).read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    paths = (name.replace(".", "/") + ".py" for name in names)
    packages = (name.replace(".", "/") + "/__init__.py" for name in names)
    return frozenset(path for path in (*paths, *packages) if (ROOT / path).is_file())


def reaches(start: str, end: str) -> bool:
    """Whether a file imports another one, by however many steps."""
    seen, todo = {start}, [start]
    while todo:
        for path in imports(todo.pop()) - seen:
            seen.add(path)
            todo.append(path)
    return end in seen


def test_there_are_five_walks() -> None:
    assert len(walks()) == 5


@pytest.mark.parametrize("title", walks())
def test_a_walk_leads_through_a_few_existing_files(title: str) -> None:
    named = [name for step in walks()[title] for name in files(step)]
    assert 3 <= len(set(named)) <= MOST_FILES
    assert not [name for name in named if not (ROOT / name).is_file()]


@pytest.mark.parametrize("title", walks())
def test_each_step_of_a_walk_is_reached_from_an_earlier_one(title: str) -> None:
    path = [files(step)[0] for step in walks()[title] if files(step)]
    for number, file in enumerate(path[1:], 1):
        # A board or the rules of a game are found by a registry, not imported by name.
        registered = "twelve_chips" in file
        assert registered or any(
            reaches(one, file) or reaches(file, one) for one in path[:number]
        ), file


@pytest.mark.parametrize("title", walks())
def test_everything_a_walk_names_is_in_its_file(title: str) -> None:
    for step in walks()[title]:
        text = "".join((ROOT / name).read_text() for name in files(step))
        for name in _NAME.findall(step):
            assert name in text, f"{name}, in: {step}"
