"""What is said of a closed record, and how it opens again."""

import asyncio
from io import StringIO
from uuid import UUID

import pytest

from domain.match.commands import PassDeadline
from projections.audience.disclosure import PUBLIC_VIEWER
from service.event_store.integrity import closed_records
from service.event_store.integrity.closed_records import LOOK_AGAIN_SECONDS, ClosedRecords
from service.event_store.integrity.digests import (
    DIFFERS,
    RecordAltered,
)
from tests.support.captured_logs import logged
from tests.support.instance import damage
from tests.support.instance.damage import flipped, rows_of
from tests.support.instance.damageable_match import Played, change, played

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


async def test_it_is_not_signed(played: Played) -> None:
    played.damage(change(5, damage.a_microsecond_later))
    with pytest.raises(RecordAltered):
        await played.instance.notary.checkpoint(played.match)
    assert played.instance.notary.last(played.match) is None


async def test_the_lists_go_on_without_an_event_that_cannot_be_read(played: Played) -> None:
    played.damage(change(0, lambda row: row._replace(state=b"\xc1")))
    await asyncio.to_thread(played.instance.index.rebuild)
    listed = {match.id for match in played.instance.index.page(limit=10).matches}
    assert listed == {str(played.other)} and len(played.instance.closed) == 1


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
        now += closed_records.LOOK_AGAIN_SECONDS
    assert told == [match] and logged.getvalue().count("record_altered") == 1
