"""The lengths of the long matches that are written, and the positions of their snapshots."""

from functools import cache

import pytest

from domain.batches import batch_starts
from service.snapshots.snapshotter import EVERY
from tests.benchmarks.charts.plan import BEHIND
from tests.benchmarks.charts.written_matches import Records, snapshot_at, upto
from tests.benchmarks.random_matches import long_record

NEAR = 25
"""More events than an action of 12 Chips leaves, including a new deal."""

LENGTHS = range(EVERY, 3 * EVERY, 7)


@cache
def _record() -> Records:
    return long_record(LENGTHS[-1] + 1)


@cache
def _inputs() -> set[int]:
    """The places of the inputs in the record."""
    return set(batch_starts(_record()))


@pytest.mark.parametrize("length", [20, 100, 1_000, 2_000])
def test_a_record_ends_after_a_complete_action(length: int) -> None:
    some = upto(_record(), length)
    assert length - NEAR < len(some) <= length
    assert len(some) in _inputs()


def test_a_snapshot_is_after_a_complete_action() -> None:
    snapshots_at = [snapshot_at(_record(), length) for length in LENGTHS]
    assert set(snapshots_at) <= _inputs()


def test_the_number_of_events_after_a_snapshot_is_the_average() -> None:
    behind = [length - snapshot_at(_record(), length) for length in LENGTHS]
    assert behind[0] < NEAR
    long_ones = [
        events for length, events in zip(LENGTHS, behind, strict=True) if length >= 2 * EVERY
    ]
    assert all(BEHIND <= events < BEHIND + 2 * NEAR for events in long_ones)
