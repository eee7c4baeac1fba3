"""Every part of the benchmark runs, in its smallest form, so that it does not decay unnoticed. What
it measures then means nothing."""

from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks import http
from tests.benchmarks.__main__ import PARTS

LOAD = {"CONNECTIONS": 4, "TABLES": 1, "SECONDS": 0.1}
"""What the parts that play over HTTP share."""

SMALLEST: dict[str, dict[str, Any]] = {
    "games": {"MATCHES": 1, "SIMULATED": 1, "MOST_SEATS": 4},
    "folding": {"LENGTHS": (100, 200)},
    "verifying": {"LENGTHS": (100,), "RUNS": {100: 1}},
    "recording": {"MATCHES": 2, "LIBRARY": (2,), "ROUNDS": 1, "TRANSACTIONS": 1},
    "models": {"MATCHES": 8, "FEW": 8, "LENGTHS": (100, 200), "TRIES": 1},
    "opening": {
        "TIMES": 1,
        "REWINDS": 1,
        "LONGEST": (("dollar-prize", "refusals"), ("liars-dice", "rewinds")),
        "ON_POSTGRES": ("grouping-bw", "submissions"),
        "SETTINGS": {"ARBITER_SEAT_BYTES": "20000"},
    },
    "latency": {"LENGTHS": (100, 200), "OPEN": (1, 2), "TIMES": 1},
    "idle": {"TIMES": 2, "WARM_UP": 1},
    "deadlines": {"MATCHES": 2},
    "http": {"ROUNDS": 1},
    "pages": {"SECONDS": 0.1, "LENGTHS": (60,), "CUPS": 1, "PAIRINGS": 8, "POSITIONS": 2},
    "library": {"ROUNDS": 1, "SECONDS": 0.1, "CONNECTIONS": 4},
    "delivery": {"ACTIONS": 2},
    "streams": {
        "STREAMS": {2: 1.0},
        "ROUNDS": 1,
        "ACTIONS": 2,
        "WATCHING": 2,
        "WATCHED_ACTIONS": 2,
    },
    "tournaments": {"PLAYERS": 8, "ROUNDS": 2, "TIMES": 2, "DRAFTED": {8: 2.0}},
}


@pytest.mark.slow(because="it finds only what is wrong with the benchmark")
@pytest.mark.parametrize("part", SMALLEST)
def test_a_part_measures(part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in LOAD.items():
        monkeypatch.setattr(http, name, value)
    measure = PARTS[part]
    for name, value in SMALLEST[part].items():
        monkeypatch.setitem(measure.__globals__, name, value)
    assert all(row.figure for row in measure(tmp_path))


def test_every_part_is_tried() -> None:
    assert SMALLEST.keys() == PARTS.keys()
