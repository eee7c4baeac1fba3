"""Pending rulings lapse by themselves at their instant, also while the service is away (rulings,
section 3)."""

from pathlib import Path
from uuid import UUID

from domain.events import Event, Record
from domain.match.deadlines import DAY, HOUR
from domain.match.events import DeadlineSet
from domain.proof.rejudging import judged
from domain.rulings.events import RulingLapsed, RulingProposed
from domain.rulings.kinds import PauseMatch, VoidMatch
from projections.audience.disclosure import MODERATOR
from service.instance import Instance
from tests.support.instance.match_growth import grown_until
from tests.support.instance.service_instance import on_record, started
from tests.support.instance.virtual_deadlines import rest, running_instance
from tests.support.tables.ruling_tables import rule
from tests.support.virtual_clock import VirtualClock

LONG_TURN = {"turn_seconds": 10 * 24 * 3600}
GRACE = 10


def of(instance: Instance, match_id: UUID, kind: type[Event]) -> list[Record[Event]]:
    return [one for one in on_record(instance, match_id) if isinstance(one.event, kind)]


async def proposed(instance: Instance) -> UUID:
    """A match whose first turn lasts for days, and a ruling that waits for another person."""
    match_id = await started(instance, "dollar-prize", LONG_TURN, clock="rules")
    await instance.matches.execute(match_id, rule("r", VoidMatch()), MODERATOR)
    return match_id


async def has_lapsed(instance: Instance, match_id: UUID) -> None:
    await grown_until(instance, match_id, lambda: bool(of(instance, match_id, RulingLapsed)))


def lapsed_at_its_instant(instance: Instance, match_id: UUID) -> None:
    (pending,) = of(instance, match_id, RulingProposed)
    (lapsed,) = of(instance, match_id, RulingLapsed)
    assert lapsed.at == pending.at + DAY
    judged(str(match_id), on_record(instance, match_id))


async def test_rule_3_the_scheduler_lets_a_ruling_lapse(
    database: Path, clock: VirtualClock
) -> None:
    async with running_instance(database, clock) as instance:
        match_id = await proposed(instance)
        clock.pass_time(DAY - 1)
        await rest(instance, match_id)
        assert not of(instance, match_id, RulingLapsed)
        clock.pass_time(1)
        await has_lapsed(instance, match_id)
        lapsed_at_its_instant(instance, match_id)


async def test_rule_3_after_a_restart_the_clock_lets_it_lapse_as_well(
    database: Path, clock: VirtualClock
) -> None:
    async with running_instance(database, clock) as before:
        match_id = await proposed(before)
    clock.pass_time(HOUR)
    async with running_instance(database, clock) as after:
        await after.sessions.current(match_id)
        clock.pass_time(DAY)
        await has_lapsed(after, match_id)
        lapsed_at_its_instant(after, match_id)


async def test_rule_3_whatever_comes_later_finds_it_lapsed(
    database: Path, clock: VirtualClock
) -> None:
    async with running_instance(database, clock) as before:
        match_id = await proposed(before)
    clock.pass_time(DAY + HOUR)
    async with running_instance(database, clock) as after:
        await after.matches.execute(match_id, rule("s", PauseMatch()), MODERATOR)
        lapsed_at_its_instant(after, match_id)


async def test_rule_8_an_absence_moves_the_deadline_and_not_the_lapse(
    database: Path, clock: VirtualClock
) -> None:
    async with running_instance(database, clock, GRACE) as before:
        match_id = await proposed(before)
    clock.pass_time(2 * DAY)
    async with running_instance(database, clock, GRACE) as after:
        await after.matches.execute(match_id, rule("s", PauseMatch()), MODERATOR)
        lapsed_at_its_instant(after, match_id)
        (moved,) = of(after, match_id, DeadlineSet)
        assert isinstance(moved.event, DeadlineSet)
        assert moved.event.ended - moved.event.begun >= 2 * DAY - GRACE * 1_000_000
