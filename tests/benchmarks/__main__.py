"""`make bench`: every figure in one run, as a table; the exit status is not 0 if a target is
missed. `make bench PARTS="streams idle"` measures these parts alone."""

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from tests.benchmarks import (
    beside_library,
    deadlines,
    delivery,
    folding,
    games,
    http,
    idle,
    latency,
    many_streams,
    more_machines,
    opening,
    pages,
    read_models,
    recording,
    streams,
    tournaments,
    verifying,
)
from tests.benchmarks.rows import Row

out = Console(width=None if sys.stdout.isatty() else 110)


PARTS: dict[str, Callable[[Path], list[Row]]] = {
    "games": games.measure,
    "folding": folding.measure,
    "verifying": verifying.measure,
    "recording": recording.measure,
    "models": read_models.measure,
    "opening": opening.measure,
    "latency": latency.measure,
    "idle": idle.measure,
    "deadlines": deadlines.measure,
    "http": http.measure,
    "pages": pages.measure,
    "library": beside_library.measure,
    "delivery": delivery.measure,
    "streams": streams.measure,
    "tournaments": tournaments.measure,
}

ONLY_BY_NAME = {"many-streams": many_streams.measure, "more-machines": more_machines.measure}
"""Parts that need more of the machine than others would leave, or programs that it may lack."""


def main(names: list[str]) -> int:
    """Measures and prints; the stores are on disk, next to the checkout. No names: all `PARTS`."""
    every = PARTS | ONLY_BY_NAME
    parts = {name: every[name] for name in names} or PARTS
    made: list[Row] = []
    with TemporaryDirectory(dir=Path.cwd(), prefix=".bench-") as name:
        bar = Progress(
            SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn(), transient=True
        )
        with bar:
            for what, measure in parts.items():
                task = bar.add_task(what)
                folder = Path(name) / what
                folder.mkdir()
                made += measure(folder)
                bar.remove_task(task)
    table = Table("measured", "figure", "target", "", title=f"{os.cpu_count()} cores")
    for row in made:
        mark = {None: "", True: "[green]met[/]", False: "[red]missed[/]"}[row.met]
        table.add_row(row.what, row.figure, row.target, mark)
    out.print(table)
    return int(any(row.met is False for row in made))


def _part(name: str) -> str:
    if name not in PARTS | ONLY_BY_NAME:
        raise argparse.ArgumentTypeError(f"no such part: {name}")
    return name


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(prog="tests.benchmarks", description=__doc__)
    arguments.add_argument("parts", nargs="*", type=_part, help=", ".join(PARTS | ONLY_BY_NAME))
    sys.exit(main(arguments.parse_args().parts))
