"""The lengths of the long matches that are written."""

import pytest

from domain.batches import batch_starts
from tests.benchmarks.charts.written_matches import upto
from tests.benchmarks.random_matches import long_record

NEAR = 25
"""More events than an action of 12 Chips leaves, including a new deal."""


@pytest.mark.parametrize("length", [20, 100, 1_000, 2_000])
def test_a_record_ends_after_a_complete_action(length: int) -> None:
    record = long_record(length + 1)
    some = upto(record, length)
    assert length - NEAR < len(some) <= length
    assert len(some) in set(batch_starts(record))
