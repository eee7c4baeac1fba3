"""Tables of four with a spectator, everyone's stream open: each seat moves when its own stream has
told it so. Moves a second that have reached the spectators, next to boardgame.io.

Arbiter plays Liar's Dice durable (SQLite) and signed, over HTTP and server-sent events.
boardgame.io plays a game of the same shape in memory, over socket.io. Each server is one process.
The clients are one program for both, in node and in a process of their own. The rows say what share
of a core they used; near one, it would be they who are measured.
"""

import shutil
import subprocess
from pathlib import Path
from statistics import median

import msgspec
from msgspec import Struct

from tests.benchmarks.http import KEY, listening, server
from tests.benchmarks.rows import Row, at_least
from tests.support.web.node_program import node

TABLES = {16: 0.85, 1: 0.5}
"""Numbers of tables, and the ratio wanted for each."""

ROUNDS = 3
SECONDS = 3
PATIENCE = 120.0
HERE = Path(__file__).parent / "boardgame_io"


class Loop(Struct, frozen=True):
    """What the clients have measured: moves a second, and their share of a core."""

    rate: float
    clients: float


class NotInstalled(Exception):
    """boardgame.io is not here and cannot be had."""


def measure(folder: Path) -> list[Row]:
    """Both servers in turn, round by round; without npm there is nothing next to us."""
    try:
        installed = _installed(folder / "boardgame.io")
    except NotInstalled as error:
        return [Row("closed loop beside boardgame.io", f"left out: {error}")]
    boardgame = listening(
        lambda port: [node(), "server.cjs", str(port)],
        {"NODE_ENV": "production"},
        installed,
        "/games",
    )
    with server(folder) as ours, boardgame as theirs:
        rounds = {
            tables: [
                (
                    loop(installed, "arbiter", ours.port, tables),
                    loop(installed, "boardgame.io", theirs.port, tables),
                )
                for _ in range(ROUNDS)
            ]
            for tables in TABLES
        }
    return [_row(tables, some) for tables, some in rounds.items()]


def _row(tables: int, rounds: list[tuple[Loop, Loop]]) -> Row:
    ratios = [ours.rate / theirs.rate for ours, theirs in rounds]
    ours, theirs = (median(each.rate for each in column) for column in zip(*rounds, strict=True))
    busy = [max(each.clients for each in column) for column in zip(*rounds, strict=True)]
    beside = (
        f"  ({min(ratios):.2f}-{max(ratios):.2f}; {ours:,.0f} and {theirs:,.0f} moves a second;"
        f" clients at most {busy[0]:.2f} and {busy[1]:.2f} of a core)"
    )
    what = f"closed loop beside boardgame.io in memory, tables: {tables}"
    return at_least(what, median(ratios), TABLES[tables], beside)


def _installed(folder: Path) -> Path:
    """A folder with boardgame.io, exactly as the lock file says, and the programs. Raises
    NotInstalled with a sentence."""
    shutil.copytree(HERE, folder, ignore=shutil.ignore_patterns("node_modules"))
    npm = _npm()
    done = subprocess.run(
        [*npm, "ci", "--no-audit", "--no-fund", "--ignore-scripts"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise NotInstalled(f"npm cannot install it: {done.stderr.strip().splitlines()[:1]}")
    return folder


def _npm() -> list[str]:
    """The command of npm: the packaged one if it is installed, else the one on PATH. Raises
    NotInstalled."""
    packaged = Path(node()).parents[1] / "lib/node_modules/npm/bin/npm-cli.js"
    if packaged.exists():
        return [node(), str(packaged)]
    found = shutil.which("npm")
    if found is None:
        raise NotInstalled("there is no npm here")
    return [found]


def loop(programs: Path, side: str, port: int, tables: int, seconds: float = SECONDS) -> Loop:
    """What the clients measure of a server. Raises CalledProcessError if they were refused
    anything, or if a move has reached no spectator."""
    done = subprocess.run(
        [node(), "closed_loop.cjs", side, str(port), str(tables), str(seconds), KEY],
        cwd=programs,
        stdout=subprocess.PIPE,
        timeout=PATIENCE,
        check=True,
    )
    return msgspec.json.decode(done.stdout, type=Loop)
