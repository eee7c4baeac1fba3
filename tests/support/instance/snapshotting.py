"""Instances whose matches have snapshots, and the expected results of reading such a match."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
import pytest_asyncio

from domain.games.twelve_chips.actions import Play
from projections.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer, may_see
from service.application.loaded_match import from_record
from service.clock import VirtualClock
from service.event_store.checked_records import read_checked
from service.event_store.digests import StoredRows
from service.event_store.store import Store
from service.instance import Instance
from service.snapshots import snapshotter
from tests.support.instance.service_instance import (
    NOT_NOW,
    lines_of,
    on_record,
    seen,
    sends,
    someone_acts,
    started,
)
from tests.support.servers.instance_settings import settings_in

VIEWERS: tuple[Viewer, ...] = (0, 1, PUBLIC_VIEWER, MODERATOR)
FEW = 8


@pytest_asyncio.fixture
async def instance(
    tmp_path: Path, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Instance]:
    """An instance that makes snapshots only on demand, even of a few new events."""
    monkeypatch.setattr(snapshotter, "EVERY", FEW)
    monkeypatch.setattr(snapshotter, "LOOK_SECONDS", 3_600)
    running = Instance(settings_in(tmp_path), clock)
    async with running.running():
        yield running


async def played(instance: Instance, game: str = "twelve-chips", inputs: int = 3 * FEW) -> UUID:
    """A running match with some keys used, refusals among them."""
    match_id = await started(instance, game)
    for n in range(inputs):
        await someone_acts(instance, match_id)
        opened = await instance.sessions.current(match_id)
        assert opened.match is not None
        seat = 1 - opened.match.awaiting.seats[0]
        await instance.matches.execute(match_id, sends(seat, stolen(game), f"key {n}"), seat)
    return match_id


def stolen(game: str) -> Any:
    """An action of a seat whose turn it is not."""
    return Play(1) if game == "twelve-chips" else NOT_NOW


async def snapshotted(instance: Instance, match_id: UUID) -> int:
    """Makes a snapshot of everything on record; returns its position."""
    length = len(on_record(instance, match_id))
    return await asyncio.to_thread(instance.snapshotter.make, match_id, length)


def forget(instance: Instance, match_id: UUID) -> None:
    instance.sessions.evict(match_id)


async def check(instance: Instance, match_id: UUID) -> None:
    """The instance's state of the match equals a fold of the record, for commands and for every
    audience."""
    records = on_record(instance, match_id)
    opened = await instance.sessions.current(match_id)
    whole = from_record(str(match_id), read_checked(instance.store, match_id), opened.secrets)
    assert opened.digest == whole.digest
    assert (opened.match, opened.drawn, opened.length) == (whole.match, whole.drawn, len(records))
    assert (opened.game, opened.secrets, opened.at) == (
        whole.game,
        whole.secrets,
        records[-1].at,
    )
    for (seat, key), answer in whole.answers.items():
        assert opened.answered(seat, key) == answer
    for viewer in VIEWERS:
        visible = [n for n, record in enumerate(records) if may_see(viewer, record.event)]
        lines, _ = await instance.sessions.lines(match_id, viewer, 0, len(visible))
        assert lines == lines_of([records[n] for n in visible])
        projection = opened.projections.find(viewer)
        assert projection is not None and projection.end == len(records)
        assert list(projection.positions) == [n + 1 for n in visible]
        for seq in range(len(visible) + 1):
            upto = visible[seq - 1] + 1 if seq else 0
            view = await instance.sessions.view(match_id, viewer, seq)
            assert view == (seq, seen(records[:upto], match_id, opened.game.id, viewer))


def reads_of(instance: Instance, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The positions from which the store has been read, read after read."""
    found: list[int] = []
    rows = instance.store.rows

    def counted(match: UUID, after: int = 0, upto: int | None = None) -> StoredRows:
        found.append(after)
        return rows(match, after, upto)

    monkeypatch.setattr(instance.store, "rows", counted)
    return found


def positions_read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The positions of the records that stores return from now on, in order."""
    found: list[int] = []
    rows, states_at = Store.rows, Store.states_at

    def read(store: Store, match: UUID, after: int = 0, upto: int | None = None) -> StoredRows:
        returned = rows(store, match, after, upto)
        found.extend(range(after + 1, after + len(returned.rows) + 1))
        return returned

    def read_at(store: Store, match: UUID, positions: Sequence[int]) -> list[bytes]:
        found.extend(positions)
        return states_at(store, match, positions)

    monkeypatch.setattr(Store, "rows", read)
    monkeypatch.setattr(Store, "states_at", read_at)
    return found
