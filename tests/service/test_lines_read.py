"""What an audience may not see costs it nothing: only its own records are read for it."""

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
from service.arbiter import Arbiter
from service.storage.store import ALONG, Store, stretches
from tests.service.instance import NOT_NOW, on_record, sends, started

FEW = 8
MANY = 2_000


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many records were decoded, look by look."""
    counts: list[int] = []

    def counted(*states: Any) -> list[Record[Event]]:
        records = decode_all(*states)
        counts.append(len(records))
        return records

    monkeypatch.setattr("service.storage.store.decode_all", counted)
    return counts


async def crowded(arbiter: Arbiter) -> UUID:
    """A match with thousands of refused actions, before and after what the public is told."""
    match_id = await started(arbiter)
    await refused(arbiter, match_id, MANY // 2)
    await arbiter.matches.enter(match_id, sends(0, ChooseSide("heads")), 0)
    await refused(arbiter, match_id, MANY // 2)
    return match_id


async def refused(arbiter: Arbiter, match_id: UUID, times: int) -> None:
    entering = (arbiter.matches.enter(match_id, sends(0, NOT_NOW), 0) for _ in range(times))
    await asyncio.gather(*entering)


async def test_lines_between_thousands_that_are_hidden_are_read_by_themselves(
    arbiter: Arbiter, decoded: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.door.open_match.KEPT", FEW)
    match_id = await crowded(arbiter)
    records = on_record(arbiter, match_id)
    told = [record for record in records if may_see(PUBLIC_VIEWER, record.event)]
    assert len(records) > 2 * MANY and len(told) < 20
    await arbiter.open_matches.read(match_id, PUBLIC_VIEWER)
    decoded.clear()

    lines, more = await arbiter.open_matches.lines(match_id, PUBLIC_VIEWER, 0, len(told))

    assert lines == list(enumerate(told, 1)) and not more
    assert sum(decoded) == len(told)


async def test_records_are_read_at_their_positions(arbiter: Arbiter) -> None:
    match_id = await started(arbiter)
    for _ in range(4):
        await arbiter.matches.enter(match_id, sends(0, NOT_NOW), 0)
    records = on_record(arbiter, match_id)
    for positions in ([], [1], [2, 3], [1, 3, 4, len(records)], range(1, len(records) + 1)):
        wanted = [records[position - 1] for position in positions]
        assert arbiter.store.read_at(match_id, positions) == wanted


async def test_what_two_seats_do_in_turn_is_read_at_once(
    arbiter: Arbiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = await started(arbiter)
    for _ in range(40):
        await arbiter.matches.enter(match_id, sends(0, NOT_NOW), 0)
    records = on_record(arbiter, match_id)
    positions = range(1, len(records) + 1, 2)
    asked: list[tuple[int, int | None]] = []
    honest = Store.states

    def states(store: Store, match: UUID, after: int = 0, upto: int | None = None) -> list[bytes]:
        asked.append((after, upto))
        return honest(store, match, after, upto)

    monkeypatch.setattr(Store, "states", states)
    assert arbiter.store.read_at(match_id, positions) == records[::2]
    assert asked == [(0, positions[-1])]


@given(st.sets(st.integers(1, 400)).map(sorted))
def test_stretches_are_the_numbers_again_and_far_from_one_another(numbers: list[int]) -> None:
    found = stretches(numbers)
    assert [n for some in found for n in some] == numbers
    assert all(after[0] - before[-1] > ALONG for before, after in pairwise(found))
    assert all(two - one <= ALONG for some in found for one, two in pairwise(some))
