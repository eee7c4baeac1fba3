"""`make bench`: every figure in one run, as a table; the exit status is not 0 if a target is
missed."""

import os
import sys
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
    latency,
    opening,
    read_models,
    recording,
    verifying,
)
from tests.benchmarks.rows import Row

out = Console(width=None if sys.stdout.isatty() else 110)


def main() -> int:
    """Measures and prints; the stores are on disk, beside the checkout."""
    parts = {
        "games": games.measure,
        "folding": folding.measure,
        "verifying": verifying.measure,
        "recording": recording.measure,
        "read models": read_models.measure,
        "opening": opening.measure,
        "latency": latency.measure,
        "deadlines": deadlines.measure,
        "HTTP": http.measure,
        "library": beside_library.measure,
        "delivery": delivery.measure,
    }
    made: list[Row] = []
    with TemporaryDirectory(dir=Path.cwd(), prefix=".bench-") as name:
        bar = Progress(
            SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn(), transient=True
        )
        with bar:
            for what, measure in parts.items():
                task = bar.add_task(what)
                folder = Path(name) / what.replace(" ", "-")
                folder.mkdir()
                made += measure(folder)
                bar.remove_task(task)
    table = Table("measured", "figure", "target", "", title=f"{os.cpu_count()} cores")
    for row in made:
        mark = {None: "", True: "[green]met[/]", False: "[red]missed[/]"}[row.met]
        table.add_row(row.what, row.figure, row.target, mark)
    out.print(table)
    return int(any(row.met is False for row in made))


if __name__ == "__main__":
    sys.exit(main())
