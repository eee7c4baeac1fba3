"""Generators make clients from the live description, and these play every game."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from domain.games import GAMES
from tests.support.games import fewest
from tests.support.repository import ROOT
from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.servers.live_server import Json, Live
from tests.support.web.node_program import node
from tests.support.web.npm_tools import install, tool

TOOLS = ROOT / "clients/tools/generate"
PROGRAMS = Path(__file__).parent / "programs"

SHORT: dict[str, Json] = {
    "twelve-chips": {"tokens_to_win": 1},
    "grouping-bw": {"chips": [3, 3]},
    "liars-dice": {"dice": 1},
}
"""Options with which a match ends soon."""


def new_match(game: str) -> Json:
    return {"game": game, "seats": fewest(game), "options": SHORT.get(game, {})}


def run(command: list[str], live: Live, folder: Path, *games: str) -> Any:
    """What a program of `folder` prints when it has played a match of each game."""
    matches = [json.dumps(new_match(game)) for game in games]
    done = subprocess.run(
        [*command, live.url, ORGANISER_KEY, *matches],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


def described(live: Live, folder: Path) -> str:
    path = folder / "openapi.json"
    path.write_bytes(live.anyone.get("/schema/openapi.json").content)
    return str(path)


@pytest.fixture(scope="module")
def python_client(live: Live, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the client that openapi-python-client makes, and the program."""
    folder = tmp_path_factory.mktemp("python")
    subprocess.run(
        [
            sys.executable, "-m", "openapi_python_client", "generate",
            "--path", described(live, folder), "--output-path", "arbiter_generated",
            "--meta", "none", "--config", str(TOOLS / "openapi-python-client.yaml"),
            "--fail-on-warning",
        ],
        cwd=folder, check=True, capture_output=True,
    )  # fmt: skip
    shutil.copy(PROGRAMS / "play.py", folder)
    return folder


@pytest.fixture(scope="module")
def typescript(live: Live, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the two generators of npm make, checked, and the programs."""
    folder = tmp_path_factory.mktemp("typescript")
    install(TOOLS, folder)
    description = described(live, folder)
    for source in (*PROGRAMS.glob("*.ts"), PROGRAMS / "tsconfig.json"):
        shutil.copy(source, folder)
    tool(folder, "openapi-typescript", description, "-o", "types.ts")
    tool(folder, "openapi-ts", "-i", description, "-o", "generated")
    tool(folder, "tsc", "-p", ".")
    programs = [str(one) for one in folder.glob("play_*.ts")]
    tool(
        folder, "esbuild", *programs, "--bundle", "--platform=node", "--format=esm",
        "--out-extension:.js=.mjs", "--outdir=.",
    )  # fmt: skip
    return folder


def test_the_generated_python_client_plays_every_game(live: Live, python_client: Path) -> None:
    every = run([sys.executable, "play.py"], live, python_client, *GAMES)
    for game, played in zip(GAMES, every, strict=True):
        prefix = "".join(word.capitalize() for word in game.split("-"))
        assert played["status"] == "ended" and played["game"] == f"{prefix}View"
        kinds: dict[str, int] = played["kinds"]
        assert "MatchCreatedLine" in kinds and any(name.startswith(prefix) for name in kinds)


@pytest.mark.slow(because="the generators are of others, and change with the description alone")
@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("program", ["play_hey", "play_types"])
def test_generated_typescript_plays_every_game(
    live: Live, typescript: Path, program: str, game: str
) -> None:
    played = run([node(), f"{program}.mjs"], live, typescript, game)
    assert played["status"] == "ended" and played["game"] == game and played["kinds"] > 5


@pytest.mark.slow(because="the generators are of others, and change with the description alone")
def test_types_say_what_they_can(typescript: Path) -> None:
    """But for what openapi-typescript writes itself about `$defs`, and for what orders nothing."""
    types = (typescript / "types.ts").read_text()
    assert types.count("Record<string, never>") == 2
