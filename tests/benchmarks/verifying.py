"""Verifying a bundle that opens everything, at every length of a match, on one core."""

from pathlib import Path

from domain.events import Event, Record, batch_starts
from projections.evidence.verify import verify
from tests.benchmarks.random_matches import long_record
from tests.benchmarks.rows import Row, at_most, seconds
from tests.support.evidence.signed_bundles import bundled, log_of, trusted
from tests.support.tables.match_table import MATCH

LENGTHS = (1_000, 10_000, 100_000)
RUNS = {1_000: 9, 10_000: 3, 100_000: 1}

MOST_SECONDS = 10
"""Maximum time for the longest one."""


def measure(folder: Path) -> list[Row]:
    """The seconds of the longest, and what an event costs by length, which must not grow."""
    records = long_record(LENGTHS[-1])
    taken = {length: _seconds(records[:length], RUNS[length]) for length in LENGTHS}
    each = {length: taken[length] / length * 1e6 for length in LENGTHS}
    shown = ", ".join(f"{length:,}: {cost:.1f}" for length, cost in each.items())
    slope = each[LENGTHS[-1]] / each[LENGTHS[0]]
    return [
        at_most("verify 100,000 events", taken[LENGTHS[-1]], MOST_SECONDS, "s"),
        Row("verify, µs an event by length", shown, "≤ 2 times", slope <= 2),
    ]


def _seconds(records: list[Record[Event]], runs: int) -> float:
    """The seconds for a match that is at its last whole input."""
    last = max(batch_starts(records))
    bundle = bundled(log_of(records[:last], MATCH))
    assert verify(bundle, trusted()).finding is None
    return seconds(lambda: verify(bundle, trusted()), runs)
