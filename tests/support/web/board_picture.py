"""Draws the picture of README.md from what `arbiter replay` prints, by
`python -m tests.support.web.board_picture`.

A match of 12 Chips is played over HTTP to a position in its first round. Chance is entered by hand,
so it is the same match each time.
"""

import io
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random

from rich.console import Console
from rich.text import Text

from tests.support.servers.instance_settings import environment_of
from tests.support.servers.live_server import LiveMatch, serving

PICTURE = Path(__file__).parents[3] / "service/web/docs/board.svg"

SEATS = ("Ann", "Ben", "Cleo")
OPTIONS = {"hand_colours_public": True}
ACTIONS = 14
"""How many actions lead to the position."""

WIDTH = 80


def picture(folder: Path) -> str:
    """The picture, as SVG. The store of the match is in the folder."""
    with serving(folder) as server:
        match = server.started("twelve-chips", SEATS, chance="manual", options=OPTIONS)
        _play(match)
        printed = _replay(match.id, folder)
    # The first line holds the id of this very match.
    return _svg("".join(printed.splitlines(keepends=True)[1:]))


def _play(match: LiveMatch) -> None:
    """Deals, and lets each awaited seat take an action from its menu."""
    rng = Random(12)
    draw = match.moderator.view().json()["awaiting"]["draw"]
    dealt = [rng.sample(part["items"], len(part["items"])) for part in draw["parts"]]
    assert match.moderator.draw(draw["id"], dealt).is_success
    for _ in range(ACTIONS):
        (seat,) = match.anyone.view().json()["awaiting"]["seats"]
        (entry,) = match.seats[seat].menu().json()["actions"]
        chip = rng.choice(entry["schema"]["properties"]["chip"]["enum"])
        assert match.seats[seat].act({"type": entry["type"], "chip": chip}).is_success


def _replay(match_id: str, folder: Path) -> str:
    """What `arbiter replay` prints on a terminal with colours."""
    command = ("replay", match_id, "--as", "seat:0", "--data", str(folder))
    terminal = {"FORCE_COLOR": "1", "TERM": "xterm-256color", "COLUMNS": str(WIDTH)}
    ran = subprocess.run(
        [sys.executable, "-m", "service.cli", *command],
        env={**os.environ, **environment_of(folder), **terminal},
        capture_output=True,
        text=True,
        check=True,
    )
    return ran.stdout


def _svg(printed: str) -> str:
    """A terminal window, drawn with the fonts that the reader has: none is fetched."""
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi(printed.rstrip("\n")))
    drawn = console.export_svg(title="arbiter replay … --as seat:0", unique_id="board")
    return re.sub(r"@font-face \{.*?\}\s*", "", drawn, flags=re.DOTALL)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        PICTURE.write_text(picture(Path(folder)))
