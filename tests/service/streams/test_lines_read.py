"""Events hidden from an audience cost it nothing: only its own records are read."""

import asyncio
from itertools import pairwise
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.encoding import decode_all
from domain.events import Event, Record
from domain.games.dollar_prize.actions import ChooseSide
from projections.disclosure import PUBLIC_VIEWER, may_see
from service.event_store.store import MAX_GAP, Store, nearby_runs
from service.instance import Instance
from tests.support.instance.service_instance import NOT_NOW, on_record, sends, started

FEW = 8
MANY = 2_000


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of records decoded by each read."""
    counts: list[int] = []

    def counted(*states: Any) -> list[Record[Event]]:
        records = decode_all(*states)
        counts.append(len(records))
        return records

    monkeypatch.setattr("service.event_store.store.decode_all", counted)
    return counts


async def crowded(instance: Instance) -> UUID:
    """A match with thousands of refused actions before and after the public events."""
    match_id = await started(instance)
    await refused(instance, match_id, MANY // 2)
    await instance.matches.execute(match_id, sends(0, ChooseSide("heads")), 0)
    await refused(instance, match_id, MANY // 2)
    return match_id


async def refused(instance: Instance, match_id: UUID, times: int) -> None:
    entering = (instance.matches.execute(match_id, sends(0, NOT_NOW), 0) for _ in range(times))
    await asyncio.gather(*entering)


async def test_lines_between_thousands_of_hidden_ones_are_read_by_themselves(
    instance: Instance, decoded: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.application.loaded_match.RECENT_RECORDS", FEW)
    match_id = await crowded(instance)
    records = on_record(instance, match_id)
    visible = [record for record in records if may_see(PUBLIC_VIEWER, record.event)]
    assert len(records) > 2 * MANY and len(visible) < 20
    await instance.sessions.projection(match_id, PUBLIC_VIEWER)
    decoded.clear()

    lines, more = await instance.sessions.lines(match_id, PUBLIC_VIEWER, 0, len(visible))

    assert lines == list(enumerate(visible, 1)) and not more
    assert sum(decoded) == len(visible)


async def test_records_are_read_at_their_positions(instance: Instance) -> None:
    match_id = await started(instance)
    for _ in range(4):
        await instance.matches.execute(match_id, sends(0, NOT_NOW), 0)
    records = on_record(instance, match_id)
    for positions in ([], [1], [2, 3], [1, 3, 4, len(records)], range(1, len(records) + 1)):
        wanted = [records[position - 1] for position in positions]
        assert instance.store.read_at(match_id, positions) == wanted


async def test_the_alternating_actions_of_two_seats_are_read_at_once(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = await started(instance)
    for _ in range(40):
        await instance.matches.execute(match_id, sends(0, NOT_NOW), 0)
    records = on_record(instance, match_id)
    positions = range(1, len(records) + 1, 2)
    asked: list[tuple[int, int | None]] = []
    honest = Store.states

    def states(store: Store, match: UUID, after: int = 0, upto: int | None = None) -> list[bytes]:
        asked.append((after, upto))
        return honest(store, match, after, upto)

    monkeypatch.setattr(Store, "states", states)
    assert instance.store.read_at(match_id, positions) == records[::2]
    assert asked == [(0, positions[-1])]


@given(st.sets(st.integers(1, 400)).map(sorted))
def test_stretches_cover_the_numbers_and_are_far_from_one_another(numbers: list[int]) -> None:
    found = nearby_runs(numbers)
    assert [n for some in found for n in some] == numbers
    assert all(after[0] - before[-1] > MAX_GAP for before, after in pairwise(found))
    assert all(two - one <= MAX_GAP for some in found for one, two in pairwise(some))
