"""The game that `domain/games/README.md` adds is put into a copy of the program, and played."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.docs.pages import Written, steps

ROOT = Path(__file__).parent.parent
README = (ROOT / "domain/games/README.md").read_text()
PACKAGES = ("domain", "projections", "service")
FILES = ("domain/games/blind_bid.py", "projections/boards/blind_bid.py")

SENTENCES = tuple(f"projections/texts/{language}/blind-bid.json" for language in ("en", "de"))

MATCHES = 40

PLAYED = f"""
import json
from domain.games import GAMES
from domain.games.blind_bid import BidPlaced
from projections.boards import BOARDS
from projections.texts.event_text import account
from service.cli.simulating.simulation import simulate
assert list(GAMES) == list(BOARDS)
game = GAMES["blind-bid"]
matches = [simulate(game, 2, {{}}, "tests", number) for number in range({MATCHES})]
print(json.dumps({{
    "games": list(GAMES), "codes": list(game.codes),
    "refused": [code for match in matches for code in match.refused],
    "broken": [what for match in matches for what in match.broken],
    "winners": [match.result.winners for match in matches],
    "sentence": account(BidPlaced(0, 4), ("Ann", "Ben")),
}}))
"""


def files() -> dict[str, str]:
    """The files that the document shows, by their paths."""
    return {step.path: step.content for step in steps(README) if isinstance(step, Written)}


GENERIC = ("domain", "projections", "contract/description", "contract/pages", "test_recorded.py")
"""Tests that go through the registries of games."""

MADE = ("tests.recorded.record", "tests.corpus.record", "service.web.event_tables")
"""What `make anew` runs, but for what npm installs."""


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the program with the game in it, and nothing else changed."""
    copy = tmp_path_factory.mktemp("tree")
    for package in PACKAGES:
        shutil.copytree(ROOT / package, copy / package, ignore=shutil.ignore_patterns("*.pyc"))
    for path, code in files().items():
        assert not (copy / path).exists()
        (copy / path).write_text(code)
    return copy


def run(tree: Path, *arguments: str) -> str:
    """Python's output in the copy."""
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    command = [sys.executable, *arguments]
    done = subprocess.run(
        command, cwd=tree, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_game_is_two_files_and_its_sentences() -> None:
    assert tuple(files()) == (*FILES, *SENTENCES)


def test_the_game_is_found_everywhere_and_played_to_its_end(tree: Path) -> None:
    """The simulation checks the invariants in every position."""
    output = json.loads(run(tree, "-c", PLAYED))
    assert output["games"] == sorted(output["games"]) and "blind-bid" in output["games"]
    assert {"already_bid", "beyond_stack", "wrong_phase"} <= set(output["codes"])
    assert output["broken"] == []
    assert len(output["winners"]) == MATCHES and {0, 1} == {won for (won,) in output["winners"]}
    assert "already_bid" in output["refused"]
    assert output["sentence"] == "Ann bids 4 chips"


def test_without_sentences_events_are_shown_by_their_fields(tree: Path, tmp_path: Path) -> None:
    copy = tmp_path / "tree"
    shutil.copytree(tree, copy)
    for path in SENTENCES:
        (copy / path).unlink()
    assert json.loads(run(copy, "-c", PLAYED))["sentence"] == "bid placed: seat Ann; chips 4"


def test_the_game_passes_the_linter_and_the_type_checker(tree: Path) -> None:
    shutil.copy(ROOT / "pyproject.toml", tree)
    run(tree, "-m", "ruff", "check", *FILES)
    run(tree, "-m", "ruff", "format", "--check", *FILES)
    run(tree, "-m", "mypy", "--strict", *FILES)


def test_the_rules_alone_are_no_game(tree: Path, tmp_path: Path) -> None:
    """And the error names what is missing."""
    copy = tmp_path / "tree"
    shutil.copytree(tree, copy)
    (copy / FILES[1]).unlink()
    with pytest.raises(AssertionError, match=r"write projections/boards/blind_bid\.py"):
        run(copy, "-c", "import projections.boards")


@pytest.mark.slow(because="it runs a quarter of the other tests once more, on a game more")
def test_no_existing_test_has_to_be_edited(tree: Path, tmp_path: Path) -> None:
    """The game's action is called Bid, as that of Liar's Dice is."""
    copy = tmp_path / "tree"
    shutil.copytree(tree, copy)
    for kept in ("clients", "deploy", "tests"):
        shutil.copytree(ROOT / kept, copy / kept, ignore=shutil.ignore_patterns("node_modules"))
    for file in ("CHANGELOG.md", "CONTRIBUTING.md", "Makefile", "README.md", "pyproject.toml"):
        shutil.copy(ROOT / file, copy)
    for module in MADE:
        run(copy, "-m", module)
    run(copy, "-m", "pytest", "-m", "not slow", *(f"tests/{part}" for part in GENERIC))
