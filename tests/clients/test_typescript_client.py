"""`@arbiter/client` plays every game, and is what its description and its README say."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from domain.games import GAMES
from tests.clients.phase_closing import close_phases
from tests.support.docs.pages import Written, blocks, steps
from tests.support.games import SUPPORT, fewest
from tests.support.http.match_play import play_out
from tests.support.servers.live_server import Live
from tests.support.web.node_program import node
from tests.support.web.npm_tools import installed, tool
from tests.support.web.typescript_client import (
    CLIENT,
    SCHEMA,
    TOOLS,
    generate_schema,
    package,
    printed,
    provide,
    started,
)

PATIENCE = 60.0

README = CLIENT / "README.md"

PRELUDE = """import { Arbiter, ArbiterError } from "@arbiter/client";
const [url, id, key] = process.argv.slice(2);
const match = new Arbiter({ url, key }).match(id);
const view = await match.view();
const action = { type: "challenge" };
const isMyTurn = () => false;
"""
"""What the snippets of the README speak of."""


@pytest.fixture(scope="module")
def bot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bot of the README."""
    folder = tmp_path_factory.mktemp("readme")
    provide(folder)
    (written,) = (step for step in steps(README.read_text()) if isinstance(step, Written))
    assert len(written.content.splitlines()) <= 10
    program = folder / written.path
    program.write_text(written.content)
    return program


@pytest.mark.parametrize("game", GAMES)
def test_the_bot_of_the_readme_plays_every_game(live: Live, bot: Path, game: str) -> None:
    match = live.create(game, fewest(game), options=SUPPORT[game].short[1])
    seats = [started(bot, live.url, match.id, key) for key in match.keys]
    assert match.moderator.start().status_code == 201
    close_phases(match)
    results = [printed(seat, PATIENCE) for seat in seats]
    last = match.anyone.view().json()
    assert last["status"] == "ended"
    assert set(results) == {results[0]} and "winners:" in results[0]
    # Who starts it once more is told at once.
    assert printed(started(bot, live.url, match.id, match.keys[0]), PATIENCE) == results[0]


def test_what_the_readme_shows_works(live: Live, tmp_path: Path) -> None:
    """In the order of the page: the seat acts, is refused, and follows while others play on."""
    match = live.started("liars-dice", options={"dice": 1})
    key = match.keys[match.anyone.view().json()["awaiting"]["seats"][0]]
    shown = [block for block in blocks(README.read_text()) if block.language == "js"]
    snippets = ["\n".join(["{", *block.lines, "}", ""]) for block in shown if not block.path]
    provide(tmp_path)
    program = tmp_path / "shown.mjs"
    program.write_text(PRELUDE + "".join(snippets))
    running = started(program, live.url, match.id, key)
    assert running.stdout is not None
    assert running.stdout.readline().startswith("not_your_turn ")
    play_out(match)
    assert "winners" in printed(running, PATIENCE)


def test_a_tournament_is_run_to_its_champions(live: Live, tmp_path: Path) -> None:
    provide(tmp_path)
    program = tmp_path / "cup.mjs"
    shutil.copy(Path(__file__).parent / "typescript/cup.mjs", program)
    running = started(program, live.url, "", live.organiser.key or "")
    lines = printed(running, PATIENCE).splitlines()
    assert lines == ["drafted [0,1]", 'ruled ["void"]', "champions [0,1]", "places [1,1]"]


def test_its_parts(tmp_path: Path) -> None:
    """With a service that answers as each test says."""
    folder = tmp_path / "tests"
    shutil.copytree(Path(__file__).parent / "typescript", folder)
    provide(folder)
    tests = sorted(folder.glob("*.test.mjs"))
    done = subprocess.run(
        [node(), "--test", "--test-timeout=30000", *tests],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert tests and done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]


def test_the_types_tell_what_is_allowed(tmp_path: Path) -> None:
    provide(tmp_path)
    shutil.copy(Path(__file__).parent / "typescript/usage.ts", tmp_path / "usage.mts")
    options = (
        "--strict",
        "--target",
        "es2022",
        "--module",
        "nodenext",
        "--lib",
        "es2022,dom",
        "--skipLibCheck",
    )
    tool(installed(TOOLS), "tsc", "--noEmit", *options, str(tmp_path / "usage.mts"))


def test_the_types_are_those_of_the_description(tmp_path: Path) -> None:
    made = tmp_path / "schema.ts"
    generate_schema(made)
    assert made.read_text() == SCHEMA.read_text(), "make client-types"


def test_it_depends_on_nothing_and_is_made_by_the_pinned_tools() -> None:
    described = json.loads((CLIENT / "package.json").read_text())
    pinned = json.loads((TOOLS / "package.json").read_text())["devDependencies"]
    assert "dependencies" not in described
    assert described["devDependencies"].items() <= pinned.items()
    imported = "".join(file.read_text() for file in (package() / "dist").glob("*.js"))
    assert 'from "node:' not in imported and "require(" not in imported
