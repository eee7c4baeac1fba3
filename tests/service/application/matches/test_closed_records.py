"""A damaged record is closed: nothing is read from it or added to it, and all others go on."""

import asyncio
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from domain.events import Record
from domain.match.events import MatchPaused
from service.event_store.integrity.checked_records import read_checked
from service.event_store.integrity.digests import (
    DIFFERS,
    DOES_NOT_FOLLOW,
    MISSING,
    NEWER,
    ROW_CHANGED,
    UNDIGESTED,
    UNREADABLE,
    RecordAltered,
    StoredRow,
    begun,
    extended,
)
from service.event_store.store import digest_row
from service.event_store.store import rows as rows_after
from service.instance import Instance
from service.streams.forms import EVENT_STREAM, NDJSON
from service.streams.live_stream import Reader
from tests.support.captured_logs import logged
from tests.support.instance import damage
from tests.support.instance.damage import Rows, flipped, rows_of
from tests.support.instance.damageable_match import INPUTS, Played, change, played
from tests.support.instance.damaged_store import digest_anew
from tests.support.instance.service_instance import settings as settings_of
from tests.support.instance.service_instance import (
    someone_acts,
    started,
)
from tests.support.instants import NOON
from tests.support.virtual_clock import VirtualClock
from tests.support.waiting import until

__all__ = ["logged", "played"]


@pytest.mark.parametrize("position", [0, 5, -1])
async def test_a_flipped_bit_closes_the_record(played: Played, position: int) -> None:
    played.damage(change(position, lambda row: flipped(row, 100)))
    assert await played.is_closed() == DIFFERS


@pytest.mark.parametrize("position", [0, 5, -1])
async def test_a_changed_content_that_decodes_closes_the_record(
    played: Played, position: int
) -> None:
    played.damage(change(position, damage.a_microsecond_later))
    assert await played.is_closed() == DIFFERS


DAMAGE: dict[str, tuple[Callable[[Rows], object], str]] = {
    "another name": (change(3, lambda row: row._replace(topic=row.topic + "x")), DIFFERS),
    "the last is missing": (lambda rows: rows.delete(len(rows.all())), MISSING),
    "the first is missing": (lambda rows: rows.delete(1), MISSING),
    "one between is missing": (lambda rows: rows.delete(4), MISSING),
    "all are missing": (Rows.delete_all, MISSING),
    "no bytes": (change(3, lambda row: row._replace(state=b"")), DIFFERS),
}


@pytest.mark.parametrize("name", DAMAGE)
async def test_every_other_damage_does_too(played: Played, name: str) -> None:
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
    after = extended(begun(played.match), [*store.rows(played.match).rows, newer])
    row = digest_row(played.match, after)
    added = row._replace(topic=newer.topic.decode(), state=newer.state)
    store.append([added], (), [row])
    played.instance.sessions.invalidate(played.match)
    assert NEWER in await played.is_closed()
    assert NEWER in logged.getvalue()


async def test_a_record_without_a_digest_is_closed(played: Played) -> None:
    played.damage(Rows.forget_digest)
    assert await played.is_closed() == UNDIGESTED


async def test_a_row_behind_the_digest_is_found(played: Played) -> None:
    store = played.instance.store
    head = store.digest_head(played.match)
    assert head is not None
    store.append(rows_after(played.match, head.length, [Record(NOON, 0, MatchPaused())]))
    played.instance.sessions.invalidate(played.match)
    assert await played.is_closed() == DIFFERS


async def test_an_event_that_cannot_be_decoded_is_found_behind_a_right_digest(
    played: Played,
) -> None:
    played.damage(change(4, lambda row: row._replace(state=b"\xc1")))
    digest_anew(played.database, played.match)
    assert await played.is_closed() == UNREADABLE


async def test_a_record_whose_events_do_not_follow_is_found_behind_a_right_digest(
    played: Played,
) -> None:
    def swap(rows: Rows) -> None:
        found = rows.all()
        rows.put(found[0]._replace(version=2))
        rows.put(found[1]._replace(version=1))

    played.damage(swap)
    digest_anew(played.database, played.match)
    assert await played.is_closed() == DOES_NOT_FOLLOW


# While the match is in memory.


async def test_an_old_event_is_compared_with_what_was_read_before(
    played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The match is in memory, and only its old lines are read from the file."""
    monkeypatch.setattr("projections.audience.projection.RECENT_LINES", 1)
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
