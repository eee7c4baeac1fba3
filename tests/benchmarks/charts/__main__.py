"""Measures every speed figure over size, which takes a while, and saves the figures; `python -m
tests.benchmarks.charts.drawing` draws the charts from them."""

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from tests.benchmarks.charts.figures import FILE, Figures, Notes, Point, wanted, where, written
from tests.benchmarks.charts.measuring import measure
from tests.benchmarks.charts.plan import FULL, QUICK

HOW = (
    "Server, generator and database on one machine; stores on disk, every commit synced. "
    "Medians of the rounds."
)


def main() -> int:
    """The stores are on disk, beside the checkout."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.charts", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, one round")
    parser.add_argument("--figures", type=Path, default=FILE, help="where to save them")
    chosen = parser.parse_args()
    plan = QUICK if chosen.quick else FULL
    before = where(plan, HOW)
    bar = Progress(
        TextColumn("{task.description:<40}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
    )
    with TemporaryDirectory(dir=Path.cwd(), prefix=".bench-") as folder, bar:
        task = bar.add_task("laying matches down", total=len(list(wanted(plan))))

        def show(point: Point) -> None:
            shown = f"{point.panel}, {point.line}, {point.size:,} ({point.over})"
            bar.update(task, advance=1, description=shown)

        notes = Notes(show)
        measure(Path(folder), plan, notes)
    chosen.figures.write_bytes(written(Figures(before, sorted(notes.points))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
