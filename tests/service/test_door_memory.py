"""Memory is only a cache: closing a match or dropping its old records hides nothing."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from threading import Event as ThreadEvent
from typing import Any
from uuid import UUID

import pytest
import pytest_asyncio
from msgspec.structs import replace

from domain.commands import Start
from domain.events import Event, Record
from projections.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer, may_see
from service.arbiter import Arbiter
from service.clock import VirtualClock
from service.door.open_matches import UnknownPosition
from tests.service.instance import (
    NOT_NOW,
    PATIENCE,
    created,
    on_record,
    seen,
    sends,
    settings,
    someone_acts,
    started,
)

VIEWERS: tuple[Viewer, ...] = (0, 1, PUBLIC_VIEWER, MODERATOR)
FEW = 8


@pytest_asyncio.fixture
async def forgetful(
    database: Path, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Arbiter]:
    """An instance that keeps one match open and few of its records."""
    monkeypatch.setattr("service.door.open_match.KEPT", FEW)
    running = Arbiter(replace(settings(database), room=1), clock)
    async with running.running():
        yield running


async def check(arbiter: Arbiter, match_id: UUID, game: str) -> None:
    """Every audience's lines and its views at every number are those of the whole record."""
    records = on_record(arbiter, match_id)
    for viewer in VIEWERS:
        told = [n for n, record in enumerate(records) if may_see(viewer, record.event)]
        lines, more = await arbiter.open_matches.lines(match_id, viewer, 0, len(told))
        assert lines == list(enumerate([records[n] for n in told], 1)) and not more
        for seq in range(len(told) + 1):
            upto = told[seq - 1] + 1 if seq else 0
            view = await arbiter.open_matches.view(match_id, viewer, seq)
            assert view == (seq, seen(records[:upto], match_id, game, viewer))
        with pytest.raises(UnknownPosition):
            await arbiter.open_matches.view(match_id, viewer, len(told) + 1)


@pytest.mark.parametrize("game", ["dollar-prize", "twelve-chips"])
async def test_a_match_that_was_dropped_bit_by_bit_reads_as_it_was(
    forgetful: Arbiter, game: str
) -> None:
    match_id = await started(forgetful, game)
    for _ in range(5 * FEW):
        await someone_acts(forgetful, match_id)
    await check(forgetful, match_id, game)


async def test_matches_that_push_each_other_out_stay_right(forgetful: Arbiter) -> None:
    matches = [await started(forgetful, "twelve-chips") for _ in range(4)]
    for _ in range(2 * FEW):
        await asyncio.gather(*(someone_acts(forgetful, match_id) for match_id in matches))
        assert len(forgetful.open_matches) <= len(matches)
    await forgetful.open_matches.read(matches[0], PUBLIC_VIEWER)
    assert len(forgetful.open_matches) == 1
    for match_id in matches:
        await check(forgetful, match_id, "twelve-chips")


async def test_a_reader_that_lags_behind_what_is_kept_catches_up(forgetful: Arbiter) -> None:
    """Every audience looked once, before most of what happened."""
    match_id = await started(forgetful)
    for viewer in VIEWERS:
        await forgetful.open_matches.view(match_id, viewer, None)
    for _ in range(4 * FEW):
        await forgetful.matches.enter(match_id, sends(0, NOT_NOW), 0)
    records = on_record(forgetful, match_id)
    for viewer in VIEWERS:
        _, view = await forgetful.open_matches.view(match_id, viewer, None)
        assert view == seen(records, match_id, "dollar-prize", viewer)
    await check(forgetful, match_id, "dollar-prize")


async def test_one_transaction_longer_than_what_is_kept_is_answered_right(
    forgetful: Arbiter,
) -> None:
    match_id = await started(forgetful)
    answers = await asyncio.gather(
        *(forgetful.matches.enter(match_id, sends(n % 2, NOT_NOW), n % 2) for n in range(6 * FEW))
    )
    records = on_record(forgetful, match_id)
    for n, answer in enumerate(answers):
        assert answer.view == seen(records[: answer.verdict.end], match_id, "dollar-prize", n % 2)
        assert answer.view_seq == answer.seq + 1


async def test_many_who_open_a_match_at_once_read_the_same(
    forgetful: Arbiter,
) -> None:
    match_id, other = await started(forgetful), await started(forgetful)
    for _ in range(3 * FEW):
        await someone_acts(forgetful, match_id)
    await forgetful.open_matches.read(other, PUBLIC_VIEWER)

    told = await asyncio.gather(
        *(forgetful.open_matches.view(match_id, viewer, None) for viewer in VIEWERS * 5)
    )

    records = on_record(forgetful, match_id)
    for viewer, (_, view) in zip(VIEWERS * 5, told, strict=True):
        assert view == seen(records, match_id, "dollar-prize", viewer)


async def test_what_is_dropped_while_an_audience_first_reads_is_read_again(
    forgetful: Arbiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The record grows past what is kept while a new reader is still on its way to the end."""
    match_id = await created(forgetful)
    await forgetful.matches.enter(match_id, Start(), PUBLIC_VIEWER)
    for _ in range(2 * FEW):
        await forgetful.matches.enter(match_id, sends(0, NOT_NOW), 0)
    reached, go_on, read = ThreadEvent(), ThreadEvent(), forgetful.store.read

    def held_up(*where: Any) -> list[Record[Event]]:
        records = read(*where)
        reached.set()
        assert go_on.wait(PATIENCE)
        return records

    monkeypatch.setattr(forgetful.store, "read", held_up)
    looking = asyncio.create_task(forgetful.open_matches.view(match_id, MODERATOR, None))
    assert await asyncio.to_thread(reached.wait, PATIENCE)
    for _ in range(2 * FEW):
        await forgetful.matches.enter(match_id, sends(0, NOT_NOW), 0)
    go_on.set()

    _, view = await looking
    assert view == seen(read(match_id), match_id, "dollar-prize", MODERATOR)
