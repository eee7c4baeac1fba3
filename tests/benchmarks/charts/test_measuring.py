"""Every figure of the charts, measured for an instant at the smallest sizes: the measurements still
work, and none is missing. The speed is not judged here."""

from pathlib import Path

from msgspec.structs import replace

from tests.benchmarks.charts import library
from tests.benchmarks.charts.figures import Notes, Over, wanted
from tests.benchmarks.charts.measuring import database, over_lengths, over_matches
from tests.benchmarks.charts.plan import QUICK
from tests.benchmarks.random_matches import long_record

SHORT = replace(
    QUICK,
    matches=(2,),
    lengths={1_000: 2},
    theirs={1_000: 1},
    seconds=0.05,
    echo=0.02,
    reserve=20,
    delivered=5,
    opened=2,
    recorded=1,
    followed=200,
)


def test_every_figure_over_matches_is_measured(tmp_path: Path) -> None:
    notes = Notes()
    over_matches(tmp_path, "SQLite", 2, SHORT, notes)
    _complete(notes, "matches", ("SQLite", "library, SQLite"))


def test_every_figure_over_length_is_measured(tmp_path: Path) -> None:
    notes = Notes()
    record = long_record(max(SHORT.lengths) + 1)
    with database("SQLite", tmp_path) as empty:
        stored = library.long_events(record, empty.plain)
    over_lengths(tmp_path, "PostgreSQL", record, stored, SHORT, notes)
    _complete(notes, "length", ("PostgreSQL", "library, PostgreSQL", "p50", "p99"))


def _complete(notes: Notes, over: Over, lines: tuple[str, ...]) -> None:
    """All wanted figures have been recorded once."""
    measured = [(point.panel, point.over, point.line, point.size) for point in notes.points]
    assert sorted(measured) == sorted(
        one for one in wanted(SHORT) if one[1] == over and one[2] in lines
    )
    assert all(point.low > 0 for point in notes.points)
