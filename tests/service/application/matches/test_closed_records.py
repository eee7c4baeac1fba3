"""A damaged record is closed: nothing is read from it or added to it, and all others go on."""

import asyncio
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from domain.match.commands import PassDeadline
from projections.audience.disclosure import PUBLIC_VIEWER
from service.event_store.integrity import checked_records
from service.event_store.integrity.checked_records import (
    LOOK_AGAIN_SECONDS,
    ClosedRecords,
    read_checked,
)
from service.event_store.integrity.digests import (
    DIFFERS,
    MISSING,
    NEWER,
    ROW_CHANGED,
    RecordAltered,
    StoredRow,
    begin_digest,
    extend_digest,
)
from service.event_store.store import digest_row
from service.instance import Instance
from service.streams.channels import EVENT_STREAM, NDJSON
from service.streams.live_stream import Reader
from tests.support.captured_logs import logged
from tests.support.instance import damage
from tests.support.instance.damage import INPUTS, Played, Rows, change, flipped, played, rows_of
from tests.support.instance.service_instance import settings as settings_of
from tests.support.instance.service_instance import someone_acts, started
from tests.support.instants import NOON
from tests.support.virtual_clock import VirtualClock
from tests.support.waiting import until

__all__ = ["played"]


DAMAGE: dict[str, tuple[Callable[[Rows], object], str]] = {
    "another name": (change(3, lambda row: row._replace(topic=row.topic + "x")), DIFFERS),
    "the last is missing": (lambda rows: rows.delete(len(rows.all())), MISSING),
    "the first is missing": (lambda rows: rows.delete(1), MISSING),
    "one between is missing": (lambda rows: rows.delete(4), MISSING),
    "all are missing": (Rows.delete_all, MISSING),
    "a bit in the first": (change(0, lambda row: flipped(row, 100)), DIFFERS),
    "a bit in the last": (change(-1, lambda row: flipped(row, 100)), DIFFERS),
    "another time": (change(5, damage.a_microsecond_later), DIFFERS),
    "no bytes": (change(3, lambda row: row._replace(state=b"")), DIFFERS),
}


@pytest.mark.parametrize("name", DAMAGE)
async def test_damage_closes_the_record(played: Played, name: str) -> None:
    damaging, what = DAMAGE[name]
    played.damage(damaging)
    assert await played.is_closed() == what


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_whatever_bit_of_whatever_row_is_flipped_it_is_found(
    recorded: tuple[Path, Instance, UUID], data: st.DataObject
) -> None:
    database, instance, match = recorded
    with rows_of(database, match) as rows:
        row = data.draw(st.sampled_from(rows.all()))
        rows.put(flipped(row, data.draw(st.integers(0, 8 * len(row.state) - 1))))
        with pytest.raises(RecordAltered) as found:
            read_checked(instance.store, match)
        rows.put(row)
    assert found.value.match == match
    assert len(read_checked(instance.store, match).records) > INPUTS


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Instance, UUID]:
    """A match that no one serves any more, and an instance that reads its store."""
    database = tmp_path_factory.mktemp("recorded") / "arbiter.db"

    async def play() -> UUID:
        instance = Instance(settings_of(database), VirtualClock(NOON))
        async with instance.running():
            match = await started(instance)
            for _ in range(INPUTS):
                await someone_acts(instance, match)
        return match

    match = asyncio.run(play())
    return database, Instance(settings_of(database), VirtualClock(NOON)), match


# With another digest, or none.


async def test_an_event_of_a_newer_release_is_said_to_be_one(
    played: Played, logged: StringIO
) -> None:
    """The digest is right; only this release cannot read the event."""
    newer = StoredRow(b"dollar-prize.side-chosen.9", b"\x93\x01\x00\x81\xa4type\xa1x")
    store = played.instance.store
    after = extend_digest(begin_digest(played.match), [*store.rows(played.match).rows, newer])
    row = digest_row(played.match, after)
    added = row._replace(topic=newer.topic.decode(), state=newer.state)
    store.append([added], (), [row])
    played.instance.sessions.invalidate(played.match)
    assert NEWER in await played.is_closed()
    assert NEWER in logged.getvalue()


# While the match is in memory.


async def test_an_old_event_is_compared_with_what_was_read_before(
    played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The match is in memory, and only its old lines are read from the file."""
    monkeypatch.setattr("projections.audience.own_lines.RECENT_LINES", 1)
    played.instance.sessions.invalidate(played.match)
    await played.view()
    with rows_of(played.database, played.match) as rows:
        rows.put(damage.a_microsecond_later(rows.all()[0]))
    with pytest.raises(RecordAltered):
        await played.events()
    await until(lambda: played.instance.sessions.loaded(played.match) is None)
    assert await played.is_closed() in (ROW_CHANGED, DIFFERS)


@pytest.mark.parametrize("form", [EVENT_STREAM, NDJSON])
async def test_open_streams_end_with_their_farewell(played: Played, form: type[object]) -> None:
    async def allowed() -> bool:
        return True

    async def follow() -> list[bytes]:
        _, projection = await played.instance.sessions.projection(played.match, 0)
        reader = Reader(0, form, allowed)  # type: ignore[arg-type]
        follows = played.instance.streams.follow(played.match, reader, projection.seq)
        return [chunk async for chunk in follows]

    following = asyncio.create_task(follow())
    channels = played.instance.broadcast._channels
    await until(lambda: played.match in channels)
    played.instance.closed.close(RecordAltered(played.match, DIFFERS))
    async with asyncio.timeout(10):
        chunks = await following
    assert chunks[-1] == b"\n" or chunks[-1].startswith(b"retry: ")


# What is said of a closed record, and how it opens again.

__all__ = ["logged", "played"]


async def test_the_operator_is_told_once(played: Played, logged: StringIO) -> None:
    played.damage(change(5, lambda row: flipped(row, 77)))
    for _ in range(3):
        await played.is_closed()
    alarms = [line for line in logged.getvalue().splitlines() if '"record_altered"' in line]
    assert len(alarms) == 1 and str(played.match) in alarms[0]


async def test_a_deadline_of_a_closed_record_is_not_reported_again_and_again(
    played: Played, logged: StringIO
) -> None:
    played.damage(change(5, lambda row: flipped(row, 77)))
    for _ in range(3):
        await played.instance.matches.pass_deadline(played.match)
    with pytest.raises(RecordAltered):
        await played.instance.matches.execute(played.match, PassDeadline(), PUBLIC_VIEWER)
    assert '"deadline_not_reported"' not in logged.getvalue()


# Another look.


async def test_a_repaired_record_opens_by_itself(
    played: Played, monkeypatch: pytest.MonkeyPatch, logged: StringIO
) -> None:
    now = 1_000.0
    monkeypatch.setattr(played.instance.closed, "_now", lambda: now)
    with rows_of(played.database, played.match) as rows:
        intact = rows.all()[5]
    played.damage(change(5, lambda row: flipped(row, 77)))
    await played.is_closed()
    played.damage(lambda rows: rows.put(intact))
    await played.is_closed()
    now += LOOK_AGAIN_SECONDS
    await played.act()
    await played.view()
    assert len(played.instance.closed) == 0 and "record_intact_again" in logged.getvalue()


def test_a_record_that_is_still_damaged_is_not_reported_again(logged: StringIO) -> None:
    now, told = 0.0, list[UUID]()
    closed = ClosedRecords(told.append, lambda: now)
    match = UUID(int=1)
    for _ in range(3):
        closed.check(match)
        closed.close(RecordAltered(match, DIFFERS, 3))
        with pytest.raises(RecordAltered):
            closed.check(match)
        now += checked_records.LOOK_AGAIN_SECONDS
    assert told == [match] and logged.getvalue().count("record_altered") == 1
