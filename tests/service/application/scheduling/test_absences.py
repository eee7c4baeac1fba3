"""After an absence of the service every deadline in force is moved by it, once, before anything
else is judged (rulings, section 8)."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from uuid import UUID

import pytest
from eventsourcing.persistence import OperationalError

from domain.match.events import DeadlineSet
from domain.proof.rejudging import rejudge
from domain.tournament.stage_commands import AddStage, PublishRound
from domain.tournament.stage_events import EndsMoved
from domain.tournament.stages import RoundRule, Stage, StageMatch
from service.event_store.errors import StoreUnavailable
from service.instance import Instance
from tests.support.instance.match_growth import grown_until
from tests.support.instance.service_instance import NOT_NOW, on_record, recorded, sends
from tests.support.instance.tournament_play import CUP
from tests.support.instance.virtual_deadlines import (
    DUE,
    HEADS,
    has_passed,
    passed,
    rest,
    running_instance,
    timed,
)
from tests.support.instants import NOON, SECOND
from tests.support.virtual_clock import VirtualClock

GRACE = 10
HOUR = 3600 * SECOND


def moves(instance: Instance, match_id: UUID) -> list[DeadlineSet]:
    """How the deadlines of a match were moved."""
    return recorded(instance, match_id, DeadlineSet)


async def has_moved(instance: Instance, match_id: UUID, times: int = 1) -> None:
    await grown_until(instance, match_id, lambda: len(moves(instance, match_id)) >= times)


async def due(instance: Instance, match_id: UUID) -> int | None:
    """The deadline in force."""
    return (await instance.sessions.current(match_id)).match.awaiting.deadline


async def test_rule_8_a_deadline_that_passed_during_an_absence_is_moved_by_it(
    database: Path, clock: VirtualClock
) -> None:
    """The turn has been in service for 20 of its 60 seconds."""
    async with running_instance(database, clock, GRACE) as before:
        match_id = await timed(before)
        clock.pass_time(20 * SECOND)
    clock.pass_time(HOUR)
    async with running_instance(database, clock, GRACE) as after:
        await has_moved(after, match_id)
        begun, ended = NOON + 20 * SECOND, NOON + 20 * SECOND + HOUR
        assert moves(after, match_id) == [
            DeadlineSet("setup/side", DUE + HOUR, "absence", begun, ended)
        ]
        clock.move_to(DUE + HOUR - 1)
        await rest(after, match_id)
        assert passed(after, match_id) == []
        clock.move_to(DUE + HOUR)
        await has_passed(after, match_id, 1)
        assert [record.at for record in passed(after, match_id)] == [DUE + HOUR]
        assert rejudge(str(match_id), on_record(after, match_id))


@pytest.mark.parametrize("beyond", [0, 1])
async def test_rule_8_an_absence_is_a_moment_longer_than_the_grace(
    database: Path, clock: VirtualClock, beyond: int
) -> None:
    away = GRACE * SECOND + beyond
    async with running_instance(database, clock, GRACE) as before:
        match_id = await timed(before)
    clock.pass_time(away)
    async with running_instance(database, clock, GRACE) as after:
        await (has_moved(after, match_id) if beyond else rest(after, match_id))
        assert len(moves(after, match_id)) == beyond
        assert await due(after, match_id) == DUE + away * beyond


async def test_rule_8_a_match_that_is_read_only_after_several_absences_has_them_all(
    database: Path, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No instance moved its deadline meanwhile, and each absence is moved for itself."""
    async with running_instance(database, clock, GRACE) as before:
        match_id = await timed(before)
    with monkeypatch.context() as nobody_leads:
        nobody_leads.setattr("service.composition.leading.Leader.run", asyncio.Event().wait)
        for _ in range(3):
            clock.pass_time(HOUR)
            async with running_instance(database, clock, GRACE) as between:
                assert moves(between, match_id) == []
                clock.pass_time(5 * SECOND)
    clock.pass_time(HOUR)
    async with running_instance(database, clock, GRACE) as after:
        await has_moved(after, match_id, 4)
        assert await due(after, match_id) == DUE + 4 * HOUR
        spans = [(one.begun, one.ended) for one in moves(after, match_id)]
        assert spans == [
            (NOON + n * (HOUR + 5 * SECOND), NOON + n * (HOUR + 5 * SECOND) + HOUR)
            for n in range(4)
        ]
        assert rejudge(str(match_id), on_record(after, match_id))


@pytest.mark.parametrize("submissions", [0, 1, 3])
async def test_rule_8_an_absence_shows_nothing_of_what_was_recorded_before_it(
    database: Path, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch, submissions: int
) -> None:
    """The service is killed some seconds after its last heartbeat, so it writes none at its end.
    What a seat has submitted since is hidden, and so is when."""
    monkeypatch.setattr("service.application.scheduling.heartbeat.Presence.leave", lambda _: None)
    async with running_instance(database, clock, GRACE) as before:
        match_id = await timed(before)
        for _ in range(submissions):
            clock.pass_time(SECOND)
            await before.matches.execute(match_id, sends(1, NOT_NOW), 1)
    clock.move_to(NOON + HOUR)
    async with running_instance(database, clock, GRACE) as after:
        await has_moved(after, match_id)
        (moved,) = moves(after, match_id)
        assert (moved.begun, moved.ended) == (NOON, NOON + HOUR)
        assert rejudge(str(match_id), on_record(after, match_id))


async def test_rule_8_matches_that_are_moved_are_not_read_again_by_the_next_leader(
    database: Path, clock: VirtualClock
) -> None:
    async with running_instance(database, clock, GRACE) as before:
        match_id = await timed(before)
    clock.pass_time(HOUR)
    async with running_instance(database, clock, GRACE) as after:
        await has_moved(after, match_id)
        while after.presence.unmoved is not None:  # noqa: ASYNC110  it must be polled
            await asyncio.sleep(0.02)
    async with running_instance(database, clock, GRACE) as again:
        assert again.presence.unmoved is None
        assert again.presence.absences != ()


class Uptime:
    """The steady clock of a machine, in nanoseconds."""

    def __init__(self) -> None:
        self.reading = 0

    def now(self) -> int:
        return self.reading


@pytest.fixture
def uptime(monkeypatch: pytest.MonkeyPatch) -> Uptime:
    found = Uptime()
    monkeypatch.setattr("service.composition.storage.SteadyClock", lambda: found)
    return found


async def test_rule_8_a_suspended_machine_was_away(
    database: Path, clock: VirtualClock, uptime: Uptime
) -> None:
    """Nothing was stopped and nothing is started: the first action finds it out."""
    async with running_instance(database, clock, GRACE) as instance:
        match_id = await timed(instance)
        uptime.reading += 3600 * 10**9
        clock.pass_time(HOUR)
        answer = await instance.matches.execute(match_id, sends(0, HEADS), 0)
        assert answer.result.code is None
        (moved,) = moves(instance, match_id)
        assert (moved.begun, moved.ended) == (NOON, NOON + HOUR)


async def test_rule_8_a_clock_set_forward_makes_the_heartbeat_old(
    database: Path, clock: VirtualClock, uptime: Uptime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By seconds, which it follows: what is judged then bears a time after the next heartbeat."""
    forward = 0
    monkeypatch.setattr(clock, "set_forward", lambda: forward)
    async with running_instance(database, clock, GRACE) as instance:
        uptime.reading += 9 * 10**9
        assert instance.presence.confirmed
        forward = 1_000_001
        assert not instance.presence.confirmed


async def test_rule_8_while_the_database_was_away_nobody_could_be_served(
    database: Path, clock: VirtualClock, uptime: Uptime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is judged before a heartbeat is written again."""
    async with running_instance(database, clock, GRACE) as instance:
        match_id = await timed(instance)
        with monkeypatch.context() as down:

            def fails(*_: object) -> bytes:
                raise OperationalError("no connection")

            down.setattr(instance.properties, "change", fails)
            uptime.reading += 3600 * 10**9
            clock.pass_time(HOUR)
            with pytest.raises(StoreUnavailable):
                await instance.matches.execute(match_id, sends(0, HEADS), 0)
            assert passed(instance, match_id) == []
        answer = await instance.matches.execute(match_id, sends(0, HEADS), 0)
        assert answer.result.code is None
        assert [one.ended - one.begun for one in moves(instance, match_id)] == [HOUR]


async def test_a_store_that_has_no_heartbeat_yet_was_not_away(
    database: Path, clock: VirtualClock
) -> None:
    """It was restored from a backup, which has none."""
    async with running_instance(database, clock, GRACE) as before:
        match_id = await timed(before)
    with closing(sqlite3.connect(database)) as store, store:
        store.execute("DELETE FROM arbiter_properties")
    clock.pass_time(50 * SECOND)
    async with running_instance(database, clock, GRACE) as after:
        await rest(after, match_id)
        assert await due(after, match_id) == DUE


async def test_a_round_that_had_not_ended_is_moved_by_an_absence_and_forfeited_after_it(
    database: Path, clock: VirtualClock
) -> None:
    """An hour, of which the service was there for one half before its absence."""
    rule = RoundRule("at_once", ends=1.0)
    stage = Stage("S", "swiss", StageMatch("dollar-prize"), rounds=1, round=rule, absent="forfeit")
    async with running_instance(database, clock, GRACE) as before:
        cup, _ = await before.creation.tournament(CUP)
        await before.tournaments.execute(cup, AddStage(stage))
        draft, inputs = await before.rounds.draft(cup, 1, None)
        await before.tournaments.execute(cup, PublishRound(1, draft, inputs, clock.now()))
        await before.rounds.advance(cup)
        clock.pass_time(HOUR // 2)
    clock.pass_time(HOUR)
    async with running_instance(database, clock, GRACE) as after:
        await after.deadlines.move()
        moved = EndsMoved(NOON + HOUR // 2, NOON + HOUR // 2 + HOUR)
        assert recorded(after, cup, EndsMoved) == [moved]
        (match,) = (await after.tournaments.now(cup)).matches
        clock.move_to(NOON + 2 * HOUR - 1)
        await after.rounds.advance(cup)
        assert (await after.sessions.current(UUID(match))).match.status == "running"
        clock.move_to(NOON + 2 * HOUR)
        await after.rounds.advance(cup)
        assert (await after.sessions.current(UUID(match))).match.status == "ended"
