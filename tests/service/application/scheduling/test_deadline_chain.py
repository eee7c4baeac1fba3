"""Many overdue deadlines: they pass in several transactions, with the same record as in one."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import UUID

import pytest
from eventsourcing.persistence import IntegrityError, OperationalError
from msgspec.structs import replace

from domain.events import Event, Record
from domain.games.dollar_prize.actions import ChooseSide
from domain.match.commands import Conflict
from domain.match.events import ActionReceived, DeadlinePassed
from service.application.matches import decision_queue
from service.application.matches.command_queue import (
    MOST_TRIES,
    CommandResponse,
    PreconditionFailed,
)
from service.application.matches.decision_queue import MOST_DEADLINES
from service.application.scheduling.scheduler import RETRY
from service.event_store.errors import StoreUnavailable
from service.instance import Instance
from service.settings import Limits
from tests.support.instance.match_growth import grown_until
from tests.support.instance.service_instance import (
    NOT_NOW,
    WatchedStore,
    on_record,
    sends,
    settings,
    started,
    watched,
)
from tests.support.instance.virtual_deadlines import ANY_DOWNTIME
from tests.support.instants import NOON, SECOND
from tests.support.tables.directing import START
from tests.support.virtual_clock import VirtualClock

OVERDUE = 50
"""Number of overdue deadlines; each one is armed by the one before it."""

AT_ONCE = 4
"""Maximum number of deadlines that pass in one transaction in these tests."""

HEADS = ChooseSide("heads")


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decision_queue, "MOST_DEADLINES", AT_ONCE)


async def timed(instance: Instance) -> UUID:
    """A match with one second between deadlines."""
    return await started(instance, "dollar-prize", {"turn_seconds": 1}, clock="rules")


async def overdue(instance: Instance, clock: VirtualClock) -> UUID:
    """A match with this many overdue deadlines that the scheduler has not reported yet."""
    match_id = await timed(instance)
    clock.pass_time(OVERDUE * SECOND)
    return match_id


def passed(records: list[Record[Event]]) -> list[int]:
    return [record.at for record in records if isinstance(record.event, DeadlinePassed)]


async def caught_up(instance: Instance, match_id: UUID, count: int = OVERDUE) -> None:
    """Returns when this many deadlines have passed."""
    await grown_until(
        instance, match_id, lambda: len(passed(on_record(instance, match_id))) >= count
    )


def check_times(instance: Instance, match_id: UUID) -> None:
    """Every deadline passed once, at its own instant."""
    times = passed(on_record(instance, match_id))
    assert times == [NOON + n * SECOND for n in range(1, len(times) + 1)]
    assert len(times) == OVERDUE


@asynccontextmanager
async def at(path: Path, instant: int, at_once: int) -> AsyncIterator[Instance]:
    """An instance started on this file at an instant, with a limit of deadlines per transaction."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decision_queue, "MOST_DEADLINES", at_once)
        patch.setattr("service.composition.storage.Store", WatchedStore)
        lasting = replace(settings(path), limits=Limits(grace=ANY_DOWNTIME))
        instance = Instance(lasting, VirtualClock(instant))
        async with instance.running():
            yield instance


def test_a_transaction_passes_as_many_deadlines_as_its_limit() -> None:
    assert MOST_DEADLINES <= 512


async def test_the_record_is_the_same_as_in_one_go(tmp_path: Path) -> None:
    """After downtime two instances on copies of the store go on with the same match."""
    path = tmp_path / "arbiter.db"
    async with at(path, NOON, 1) as instance:
        match_id = await timed(instance)
    found: list[list[Record[Event]]] = []
    for name, at_once in (("one", 10_000), ("many", AT_ONCE)):
        copy = tmp_path / f"{name}.db"
        copy.write_bytes(path.read_bytes())
        async with at(copy, NOON + OVERDUE * SECOND, at_once) as instance:
            sent = instance.matches.execute(match_id, sends(0, HEADS, "key"), 0)
            again = instance.matches.execute(match_id, sends(1, NOT_NOW), 1)
            await asyncio.gather(sent, again)
            await caught_up(instance, match_id)
            found.append(on_record(instance, match_id))
            check_times(instance, match_id)
            most = max(watched(instance).appended)
            assert most < len(found[0]) / 4 or at_once > OVERDUE
    assert found[0] == found[1]


async def test_other_matches_have_their_turn_in_between(
    instance: Instance, clock: VirtualClock
) -> None:
    other = await started(instance)
    chained = await overdue(instance, clock)
    order: list[str] = []

    async def acts(match_id: UUID, name: str) -> None:
        answer = await instance.matches.execute(match_id, sends(0, HEADS), 0)
        order.append(f"{name} {len(passed(on_record(instance, chained))) < OVERDUE}")
        assert answer.result.at == NOON + OVERDUE * SECOND

    await asyncio.gather(acts(chained, "chained"), acts(other, "other"))
    assert order == ["other True", "chained False"]


async def test_many_chains_share_the_limit_of_a_transaction(
    instance: Instance, clock: VirtualClock
) -> None:
    """The limit counts the deadlines of all matches in a transaction, and no match waits for
    another."""
    chained = [await timed(instance) for _ in range(5)]
    watched(instance).appended.clear()
    clock.pass_time(OVERDUE * SECOND)
    done = asyncio.gather(*(caught_up(instance, match_id) for match_id in chained))
    await caught_up(instance, chained[0], OVERDUE // 2)
    early = [len(passed(on_record(instance, match_id))) for match_id in chained]
    assert min(early) >= OVERDUE // 2 - 2 * AT_ONCE
    await done
    events = [len(on_record(instance, match_id)) for match_id in chained]
    assert max(watched(instance).appended) < 8 * AT_ONCE < min(events)
    for match_id in chained:
        check_times(instance, match_id)


# A command that waited for a chain.


async def test_a_command_that_waited_is_judged_by_its_time_of_receipt(
    instance: Instance, clock: VirtualClock
) -> None:
    match_id = await overdue(instance, clock)
    came = clock.now()
    store = watched(instance)
    store.block()
    sent = asyncio.create_task(instance.matches.execute(match_id, sends(0, HEADS), 0))
    await store.blocked()
    clock.pass_time(SECOND - 1)
    store.open.set()
    assert (await sent).result.at == came
    check_times(instance, match_id)


async def test_a_view_from_before_the_chain_is_stale(
    instance: Instance, clock: VirtualClock
) -> None:
    match_id = await timed(instance)
    seq, _ = await instance.sessions.view(match_id, 0, None)
    clock.pass_time(OVERDUE * SECOND)
    with pytest.raises(PreconditionFailed):
        await instance.matches.execute(match_id, sends(0, HEADS), 0, frozenset({seq}))
    check_times(instance, match_id)
    latest, _ = await instance.sessions.view(match_id, 0, None)
    answer = await instance.matches.execute(match_id, sends(0, HEADS), 0, frozenset({latest}))
    assert answer.seq == latest + 1


async def test_repeats_that_waited_are_the_same_request(
    instance: Instance, clock: VirtualClock
) -> None:
    match_id = await overdue(instance, clock)
    sent = [instance.matches.execute(match_id, sends(0, HEADS, "once"), 0) for _ in range(3)]
    answers = await asyncio.gather(*sent)
    assert [answer.result.replayed for answer in answers] == [False, True, True]
    assert len({answer.view for answer in answers}) == 1
    assert sum(isinstance(r.event, ActionReceived) for r in on_record(instance, match_id)) == 1


async def test_a_command_that_the_match_cannot_take_is_a_conflict(
    instance: Instance, clock: VirtualClock
) -> None:
    match_id = await overdue(instance, clock)
    with pytest.raises(Conflict, match="already_started"):
        await instance.matches.execute(match_id, START, "moderator")
    check_times(instance, match_id)


# Failures in between.


async def begun(
    instance: Instance, clock: VirtualClock
) -> tuple[UUID, asyncio.Task[CommandResponse]]:
    """A command waits for a chain whose first part is on record; the next transaction waits for the
    store."""
    match_id = await overdue(instance, clock)
    sent = asyncio.create_task(instance.matches.execute(match_id, sends(0, HEADS, "once"), 0))
    await caught_up(instance, match_id, AT_ONCE)
    watched(instance).block()
    await watched(instance).blocked()
    assert len(passed(on_record(instance, match_id))) < OVERDUE
    return match_id, sent


async def test_a_race_lost_in_between_changes_nothing(
    instance: Instance, clock: VirtualClock
) -> None:
    match_id, sent = await begun(instance, clock)
    watched(instance).before.append(IntegrityError("another was first"))
    watched(instance).open.set()
    assert (await sent).result.at == NOON + OVERDUE * SECOND
    check_times(instance, match_id)


async def test_other_matches_have_their_turn_after_a_lost_race(
    instance: Instance, clock: VirtualClock
) -> None:
    other = await started(instance)
    _, sent = await begun(instance, clock)
    watched(instance).before.append(IntegrityError("another was first"))
    acts = asyncio.create_task(instance.matches.execute(other, sends(0, HEADS), 0))
    watched(instance).open.set()
    await acts
    assert not sent.done()
    await sent


async def test_a_command_that_loses_every_race_in_between_gets_try_again(
    instance: Instance, clock: VirtualClock
) -> None:
    match_id, sent = await begun(instance, clock)
    watched(instance).before.extend(IntegrityError("always another") for _ in range(MOST_TRIES + 1))
    watched(instance).open.set()
    with pytest.raises(StoreUnavailable):
        await sent
    answer = await instance.matches.execute(match_id, sends(0, HEADS, "once"), 0)
    assert not answer.result.replayed
    check_times(instance, match_id)


async def test_a_chain_goes_on_after_the_store_failed(
    instance: Instance, clock: VirtualClock
) -> None:
    """The command is not on record and no one sends another one, so the scheduler reports again."""
    match_id, sent = await begun(instance, clock)
    watched(instance).before.append(OperationalError("disk full"))
    watched(instance).open.set()
    with pytest.raises(StoreUnavailable):
        await sent
    while len(passed(on_record(instance, match_id))) < OVERDUE:
        clock.pass_time(RETRY // 4)
        await asyncio.sleep(0.005)
    times = passed(on_record(instance, match_id))
    assert times == [NOON + n * SECOND for n in range(1, len(times) + 1)]
