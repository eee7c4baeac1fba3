"""Where the long matches that are laid down are cut, and where their snapshots stand."""

from functools import cache

import pytest

from domain.match_events import is_input
from service.snapshots.snapshotter import EVERY
from tests.benchmarks.charts.laid import Records, kept_at, upto
from tests.benchmarks.charts.plan import BEHIND
from tests.benchmarks.played import long_record

NEAR = 25
"""More events than an action of 12 Chips leaves, a new deal with it."""

LENGTHS = range(EVERY, 3 * EVERY, 7)


@cache
def _record() -> Records:
    return long_record(LENGTHS[-1] + 1)


@pytest.mark.parametrize("length", [20, 100, 1_000, 2_000])
def test_a_record_is_cut_where_an_action_has_been_dealt_with(length: int) -> None:
    some = upto(_record(), length)
    assert length - NEAR < len(some) <= length
    assert is_input(_record()[len(some)].event)


def test_a_snapshot_stands_where_an_action_has_been_dealt_with() -> None:
    kept = [kept_at(_record(), length) for length in LENGTHS]
    assert all(is_input(_record()[position].event) for position in kept)


def test_as_much_stands_behind_a_snapshot_as_on_average() -> None:
    behind = [length - kept_at(_record(), length) for length in LENGTHS]
    assert behind[0] < NEAR
    long_ones = [
        events for length, events in zip(LENGTHS, behind, strict=True) if length >= 2 * EVERY
    ]
    assert all(BEHIND <= events < BEHIND + 2 * NEAR for events in long_ones)
