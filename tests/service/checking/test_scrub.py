"""The scrub judges everything in a store without being asked, goes on where it was, and closes what
is damaged."""

import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from uuid import UUID

import msgspec
import pytest

from service.checking.scrub import IDLE_SECONDS, NAME, SHARE, Scrub, ScrubRound, decode_round
from service.event_store.integrity.checked_records import ClosedRecords
from service.event_store.integrity.digests import RecordAltered
from service.event_store.properties import Properties, open_properties
from service.event_store.reading import DAMAGED, StoreReader, StreamHead, reading
from service.event_store.store import Store
from service.instance import Instance
from service.server.health import gauges
from service.settings import Settings
from tests.support.instance.damage import flipped, rows_of
from tests.support.instance.service_instance import settings, started
from tests.support.instants import NOON
from tests.support.virtual_clock import VirtualClock
from tests.support.waiting import until

HOUR = 3_600_000_000


class Bench:
    """A scrub of a store, and what it has closed."""

    def __init__(self, chosen: Settings, properties: Properties, now: int = NOON) -> None:
        self.clock = VirtualClock(now)
        self.closed = list[UUID]()
        self.end = threading.Event()
        self.properties = properties
        self.records = ClosedRecords(self.closed.append)
        self.scrub = Scrub(chosen.store, properties, self.records, self.clock)

    @property
    def round(self) -> ScrubRound:
        """The round as it is stored."""
        return decode_round(self.properties.get(NAME), self.clock.now())

    def judge(self, reader: StoreReader) -> None:
        """Judges what is due."""
        self.scrub.judge_due(reader, self.round, self.end)


@contextmanager
def bench(chosen: Settings, now: int = NOON) -> Iterator[tuple[Bench, StoreReader]]:
    with (
        closing(Store(chosen.store)) as store,
        closing(open_properties(store)) as properties,
        reading(chosen.store) as reader,
    ):
        made = Bench(chosen, properties, now)
        yield made, reader
        made.scrub.close()


@pytest.fixture
async def played(tmp_path: Path) -> tuple[Settings, list[UUID]]:
    """A store with more matches than are judged before it is remembered."""
    chosen = settings(tmp_path / "arbiter.db")
    instance = Instance(chosen, VirtualClock(NOON))
    async with instance.running():
        matches = [await started(instance) for _ in range(20)]
        instance.index.follow()
    return chosen, sorted(matches)


def damage(chosen: Settings, match: UUID) -> None:
    with rows_of(chosen.database, match) as rows:
        rows.put(flipped(rows.all()[2], 9))


def test_what_is_damaged_is_closed_and_all_else_is_not(played: tuple[Settings, list[UUID]]) -> None:
    chosen, matches = played
    for match in (matches[3], matches[-1]):
        damage(chosen, match)
    with bench(chosen) as (made, reader):
        made.judge(reader)
        assert made.closed == [matches[3], matches[-1]]
        with pytest.raises(RecordAltered, match=str(matches[3])):
            made.records.check(matches[3])
        made.records.check(matches[4])


def test_it_goes_on_where_it_was_before_a_restart(
    played: tuple[Settings, list[UUID]], monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen, matches = played
    judged, heads = list[UUID](), StoreReader.head
    fails_at = [13]

    def head(reader: StoreReader, stream: UUID) -> StreamHead:
        if len(judged) in fails_at:
            fails_at.clear()
            raise InterruptedError
        judged.append(stream)
        return heads(reader, stream)

    monkeypatch.setattr(StoreReader, "head", head)
    with bench(chosen) as (made, reader), pytest.raises(InterruptedError):
        made.judge(reader)
    assert judged == matches[:13]
    del judged[8:]
    with bench(chosen, NOON + HOUR) as (made, reader):
        made.judge(reader)
        assert judged[:20] == matches
        assert made.round.complete
        assert made.scrub.oldest() == 3_600


def test_everything_is_judged_twice_a_day(played: tuple[Settings, list[UUID]]) -> None:
    chosen, matches = played
    with bench(chosen) as (made, reader):
        made.judge(reader)
        damage(chosen, matches[7])
        made.clock.move_to(NOON + 11 * HOUR)
        made.judge(reader)
        assert made.closed == []
        made.clock.move_to(NOON + 12 * HOUR)
        made.judge(reader)
        assert made.closed == [matches[7]]


async def test_an_instance_scrubs_by_itself_and_shows_how_far(
    played: tuple[Settings, list[UUID]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.checking.scrub.START_SECONDS", 0.0)
    chosen, matches = played
    damage(chosen, matches[5])
    instance = Instance(chosen, VirtualClock(NOON + 24 * HOUR))
    assert instance.scrub is not None
    async with instance.running():
        await until(lambda: instance.properties.get(NAME) is not None)
        await until(lambda: len(instance.closed) == 1)
        with pytest.raises(RecordAltered):
            await instance.sessions.cached(matches[5])
        figures = gauges(instance)
        assert figures["unchecked_seconds"]() == 0
        assert figures["records_closed"]() == 1


def test_a_database_that_cannot_be_read_is_not_clean(
    played: tuple[Settings, list[UUID]], monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen, matches = played

    def unreadable(*_: object) -> None:
        raise DAMAGED[0]("database disk image is malformed")

    monkeypatch.setattr(StoreReader, "rows", unreadable)
    with bench(chosen) as (made, reader):
        made.judge(reader)
        assert made.closed == matches


def test_it_pauses_in_proportion_to_its_work(
    played: tuple[Settings, list[UUID]], monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen, _ = played
    worked, rested = [0.0], list[float]()

    def now() -> float:
        worked[0] += 0.000_5
        return worked[0]

    monkeypatch.setattr("service.checking.scrub.perf_counter", now)
    with bench(chosen) as (made, reader):
        monkeypatch.setattr(made.end, "wait", rested.append)
        made.judge(reader)
    assert len(rested) > 20 and sum(rested) > worked[0] / 2 * SHARE * 49
    assert all(seconds >= 0.001 * 49 for seconds in rested) and IDLE_SECONDS > 1


# The rounds of the scrub, and the age of what was not judged for longest.


def test_a_round_begins_after_half_a_day() -> None:
    one, begun = ScrubRound(NOON, NOON), list[int]()
    for hour in range(48):
        if one.due(NOON + hour * HOUR):
            begun.append(hour)
            one.complete = True
    assert begun == [0, 12, 24, 36]


def test_the_age_counts_from_the_beginning_of_the_last_complete_round() -> None:
    one = ScrubRound(NOON, NOON)
    assert one.oldest(NOON + HOUR) == HOUR, "nothing was judged yet"
    one.complete = True
    assert one.due(NOON + 12 * HOUR)
    assert one.oldest(NOON + 13 * HOUR) == 13 * HOUR, "the end of the store waits since then"
    one.complete = True
    assert one.oldest(NOON + 14 * HOUR) == 2 * HOUR


def test_a_round_is_stored_and_what_cannot_be_read_begins_anew() -> None:
    one = ScrubRound(1, 2, "ab", complete=True)
    assert decode_round(msgspec.json.encode(one), NOON) == one
    assert decode_round(None, NOON) == decode_round(b"nothing", NOON) == ScrubRound(NOON, NOON)
