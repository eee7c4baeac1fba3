"""Many deadlines that are overdue at once: they pass in several transactions, and the record is
the same as in one."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import UUID

import pytest
from eventsourcing.persistence import IntegrityError, OperationalError

from domain.commands import Conflict, Start
from domain.events import Event, Record
from domain.games.dollar_prize.actions import ChooseSide
from domain.match_events import ActionReceived, DeadlinePassed
from service.arbiter import Arbiter
from service.clock import VirtualClock
from service.door import matches
from service.door.matches import MOST_DEADLINES, MOST_TRIES
from service.door.pending import Answer, Stale
from service.door.scheduler import RETRY
from service.storage.reading import StoreUnavailable
from tests.clock import NOON, SECOND
from tests.service.instance import (
    NOT_NOW,
    PATIENCE,
    WatchedStore,
    on_record,
    sends,
    settings,
    started,
    watched,
)

OVERDUE = 50
"""How many deadlines are due when somebody looks; each in turn is armed by the one before it."""

AT_ONCE = 4
"""How many may pass in one transaction in these tests."""

HEADS = ChooseSide("heads")


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matches, "MOST_DEADLINES", AT_ONCE)


async def timed(arbiter: Arbiter) -> UUID:
    """A match in which a second passes from one deadline to the next."""
    return await started(arbiter, "dollar-prize", {"turn_seconds": 1}, clock="rules")


async def overdue(arbiter: Arbiter, clock: VirtualClock) -> UUID:
    """A match with so many deadlines overdue, of which the scheduler has not told yet."""
    match_id = await timed(arbiter)
    clock.pass_time(OVERDUE * SECOND)
    return match_id


def passed(records: list[Record[Event]]) -> list[int]:
    return [record.at for record in records if isinstance(record.event, DeadlinePassed)]


async def caught_up(arbiter: Arbiter, match_id: UUID, count: int = OVERDUE) -> None:
    """Returns when so many deadlines have passed."""
    with arbiter.hub.listening(match_id) as heard:
        async with asyncio.timeout(PATIENCE):
            while len(passed(on_record(arbiter, match_id))) < count:
                heard.clear()
                await heard.wait()


def check_times(arbiter: Arbiter, match_id: UUID) -> None:
    """Every deadline passed once, at its own instant."""
    times = passed(on_record(arbiter, match_id))
    assert times == [NOON + n * SECOND for n in range(1, len(times) + 1)]
    assert len(times) == OVERDUE


@asynccontextmanager
async def at(path: Path, instant: int, at_once: int) -> AsyncIterator[Arbiter]:
    """An instance started on this file at an instant, so many deadlines a transaction."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matches, "MOST_DEADLINES", at_once)
        patch.setattr("service.arbiter.Store", WatchedStore)
        arbiter = Arbiter(settings(path), VirtualClock(instant))
        async with arbiter.running():
            yield arbiter


def test_as_many_pass_at_once_as_are_soon_done() -> None:
    assert MOST_DEADLINES <= 512


async def test_the_record_is_the_same_as_in_one_go(tmp_path: Path) -> None:
    """The same match, down for a while, is taken up by two instances on copies of the store."""
    path = tmp_path / "arbiter.db"
    async with at(path, NOON, 1) as arbiter:
        match_id = await timed(arbiter)
    found: list[list[Record[Event]]] = []
    for name, at_once in (("one", 10_000), ("many", AT_ONCE)):
        copy = tmp_path / f"{name}.db"
        copy.write_bytes(path.read_bytes())
        async with at(copy, NOON + OVERDUE * SECOND, at_once) as arbiter:
            sent = arbiter.matches.enter(match_id, sends(0, HEADS, "key"), 0)
            again = arbiter.matches.enter(match_id, sends(1, NOT_NOW), 1)
            await asyncio.gather(sent, again)
            await caught_up(arbiter, match_id)
            found.append(on_record(arbiter, match_id))
            check_times(arbiter, match_id)
            most = max(watched(arbiter).appended)
            assert most < len(found[0]) / 4 or at_once > OVERDUE
    assert found[0] == found[1]


async def test_other_matches_have_their_turn_in_between(
    arbiter: Arbiter, clock: VirtualClock
) -> None:
    other = await started(arbiter)
    chained = await overdue(arbiter, clock)
    order: list[str] = []

    async def acts(match_id: UUID, name: str) -> None:
        answer = await arbiter.matches.enter(match_id, sends(0, HEADS), 0)
        order.append(f"{name} {len(passed(on_record(arbiter, chained))) < OVERDUE}")
        assert answer.verdict.at == NOON + OVERDUE * SECOND

    await asyncio.gather(acts(chained, "chained"), acts(other, "other"))
    assert order == ["other True", "chained False"]


async def test_many_chains_share_what_may_pass_at_once(
    arbiter: Arbiter, clock: VirtualClock
) -> None:
    """Neither do all of them pass so many in one transaction, nor does one wait for another."""
    chained = [await timed(arbiter) for _ in range(5)]
    watched(arbiter).appended.clear()
    clock.pass_time(OVERDUE * SECOND)
    done = asyncio.gather(*(caught_up(arbiter, match_id) for match_id in chained))
    await caught_up(arbiter, chained[0], OVERDUE // 2)
    early = [len(passed(on_record(arbiter, match_id))) for match_id in chained]
    assert min(early) >= OVERDUE // 2 - 2 * AT_ONCE
    await done
    events = [len(on_record(arbiter, match_id)) for match_id in chained]
    assert max(watched(arbiter).appended) < 8 * AT_ONCE < min(events)
    for match_id in chained:
        check_times(arbiter, match_id)


# A command that waited for a chain.


async def test_a_command_that_waited_is_judged_by_when_it_came(
    arbiter: Arbiter, clock: VirtualClock
) -> None:
    match_id = await overdue(arbiter, clock)
    came = clock.now()
    store = watched(arbiter)
    store.hold()
    sent = asyncio.create_task(arbiter.matches.enter(match_id, sends(0, HEADS), 0))
    await store.held()
    clock.pass_time(SECOND - 1)
    store.open.set()
    assert (await sent).verdict.at == came
    check_times(arbiter, match_id)


async def test_a_view_from_before_the_chain_is_stale(arbiter: Arbiter, clock: VirtualClock) -> None:
    match_id = await timed(arbiter)
    seq, _ = await arbiter.open_matches.view(match_id, 0, None)
    clock.pass_time(OVERDUE * SECOND)
    with pytest.raises(Stale):
        await arbiter.matches.enter(match_id, sends(0, HEADS), 0, frozenset({seq}))
    check_times(arbiter, match_id)
    latest, _ = await arbiter.open_matches.view(match_id, 0, None)
    answer = await arbiter.matches.enter(match_id, sends(0, HEADS), 0, frozenset({latest}))
    assert answer.seq == latest + 1


async def test_repeats_that_waited_are_the_same_request(
    arbiter: Arbiter, clock: VirtualClock
) -> None:
    match_id = await overdue(arbiter, clock)
    sent = [arbiter.matches.enter(match_id, sends(0, HEADS, "once"), 0) for _ in range(3)]
    answers = await asyncio.gather(*sent)
    assert [answer.verdict.replayed for answer in answers] == [False, True, True]
    assert len({answer.view for answer in answers}) == 1
    assert sum(isinstance(r.event, ActionReceived) for r in on_record(arbiter, match_id)) == 1


async def test_what_the_match_is_in_no_position_for_is_a_conflict(
    arbiter: Arbiter, clock: VirtualClock
) -> None:
    match_id = await overdue(arbiter, clock)
    with pytest.raises(Conflict, match="already_started"):
        await arbiter.matches.enter(match_id, Start(), "moderator")
    check_times(arbiter, match_id)


# What goes wrong on the way.


async def begun(arbiter: Arbiter, clock: VirtualClock) -> tuple[UUID, asyncio.Task[Answer]]:
    """A command that waits for a chain of which the first part is on record; what comes next
    waits for the store."""
    match_id = await overdue(arbiter, clock)
    sent = asyncio.create_task(arbiter.matches.enter(match_id, sends(0, HEADS, "once"), 0))
    await caught_up(arbiter, match_id, AT_ONCE)
    watched(arbiter).hold()
    await watched(arbiter).held()
    assert len(passed(on_record(arbiter, match_id))) < OVERDUE
    return match_id, sent


async def test_a_race_lost_on_the_way_changes_nothing(
    arbiter: Arbiter, clock: VirtualClock
) -> None:
    match_id, sent = await begun(arbiter, clock)
    watched(arbiter).before.append(IntegrityError("another was first"))
    watched(arbiter).open.set()
    assert (await sent).verdict.at == NOON + OVERDUE * SECOND
    check_times(arbiter, match_id)


async def test_others_have_their_turn_though_a_race_was_lost(
    arbiter: Arbiter, clock: VirtualClock
) -> None:
    other = await started(arbiter)
    _, sent = await begun(arbiter, clock)
    watched(arbiter).before.append(IntegrityError("another was first"))
    acts = asyncio.create_task(arbiter.matches.enter(other, sends(0, HEADS), 0))
    watched(arbiter).open.set()
    await acts
    assert not sent.done()
    await sent


async def test_who_loses_every_race_on_the_way_is_told_to_come_back(
    arbiter: Arbiter, clock: VirtualClock
) -> None:
    match_id, sent = await begun(arbiter, clock)
    watched(arbiter).before.extend(IntegrityError("always another") for _ in range(MOST_TRIES + 1))
    watched(arbiter).open.set()
    with pytest.raises(StoreUnavailable):
        await sent
    answer = await arbiter.matches.enter(match_id, sends(0, HEADS, "once"), 0)
    assert not answer.verdict.replayed
    check_times(arbiter, match_id)


async def test_a_chain_goes_on_after_the_store_failed(
    arbiter: Arbiter, clock: VirtualClock
) -> None:
    """The command is not on record, and nobody sends another: the scheduler reports again."""
    match_id, sent = await begun(arbiter, clock)
    watched(arbiter).before.append(OperationalError("disk full"))
    watched(arbiter).open.set()
    with pytest.raises(StoreUnavailable):
        await sent
    while len(passed(on_record(arbiter, match_id))) < OVERDUE:
        clock.pass_time(RETRY // 4)
        await asyncio.sleep(0.005)
    times = passed(on_record(arbiter, match_id))
    assert times == [NOON + n * SECOND for n in range(1, len(times) + 1)]
