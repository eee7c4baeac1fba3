"""Pending rulings lapse by themselves at their instant, also while the service is away (rulings,
section 3)."""

from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from eventsourcing.persistence import OperationalError

from domain.events import Event, Record
from domain.match.deadlines import DAY, HOUR
from domain.match.events import DeadlineSet, MatchEnded, SeedRevealed
from domain.proof.rejudging import rejudge
from domain.rulings.events import MatchConfirmed, RulingLapsed, RulingProposed
from domain.rulings.kinds import Note, PauseMatch, VoidMatch
from domain.tournament.events import MatchSettled
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from projections.rulings.match_rulings import RulingShown
from service.application.matches.creation import NewMatch
from service.application.rulings import ruling_lists
from service.application.rulings.ruling_lists import RulingLists
from service.instance import Instance
from tests.support.instance.match_growth import grown_until
from tests.support.instance.service_instance import (
    on_record,
    recorded,
    someone_acts,
    started,
    watched,
)
from tests.support.instance.tournament_play import CHIPS, CUP, settled
from tests.support.instance.virtual_deadlines import rest, running_instance
from tests.support.instance.work_counter import WorkCounter
from tests.support.instants import NOON
from tests.support.tables.directing import START
from tests.support.tables.ruling_tables import rule
from tests.support.virtual_clock import VirtualClock
from tests.support.waiting import until

LONG_TURN = {"turn_seconds": 10 * 24 * 3600}
GRACE = 10


def of(instance: Instance, match_id: UUID, kind: type[Event]) -> list[Record[Event]]:
    return [one for one in on_record(instance, match_id) if isinstance(one.event, kind)]


async def proposed(instance: Instance, turn: dict[str, Any] = LONG_TURN) -> UUID:
    """A match whose first turn lasts for days, and a ruling that waits for another person."""
    match_id = await started(instance, "dollar-prize", turn, clock="rules")
    await instance.matches.execute(match_id, rule("r", VoidMatch()), MODERATOR)
    return match_id


async def has_lapsed(instance: Instance, match_id: UUID) -> None:
    await grown_until(instance, match_id, lambda: bool(of(instance, match_id, RulingLapsed)))


def lapsed_at_its_instant(instance: Instance, match_id: UUID) -> None:
    (pending,) = of(instance, match_id, RulingProposed)
    (lapsed,) = of(instance, match_id, RulingLapsed)
    assert lapsed.at == pending.at + DAY
    rejudge(str(match_id), on_record(instance, match_id))


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


@pytest.mark.parametrize("turn", [LONG_TURN, {"turn_seconds": 3600}])
async def test_rule_8_an_absence_moves_the_deadline_and_not_the_lapse(
    database: Path, clock: VirtualClock, turn: dict[str, Any]
) -> None:
    """Whichever of them comes first in the absence."""
    async with running_instance(database, clock, GRACE) as before:
        match_id = await proposed(before, turn)
    clock.pass_time(2 * DAY)
    async with running_instance(database, clock, GRACE) as after:
        await after.matches.execute(match_id, rule("s", PauseMatch()), MODERATOR)
        lapsed_at_its_instant(after, match_id)
        (moved,) = of(after, match_id, DeadlineSet)
        assert isinstance(moved.event, DeadlineSet)
        assert moved.event.ended - moved.event.begun >= 2 * DAY - GRACE * 1_000_000


# One more ruling costs what one costs, however many are on record; and what is in memory of them
# decides nothing.

ALL: tuple[Viewer, ...] = (PUBLIC_VIEWER, MODERATOR, 0)


async def ruled(instance: Instance, match_id: UUID, count: int, to: str = "public") -> None:
    for _ in range(count):
        await instance.rulings.execute(match_id, rule("", Note(to, "as it lies", "clarification")))


async def read_anew(instance: Instance, match_id: UUID, viewer: Viewer) -> list[RulingShown]:
    lists = RulingLists(instance.sessions)
    return await lists.list_rulings(match_id, viewer)


async def test_one_more_ruling_reads_itself(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = await started(instance)
    await ruled(instance, match_id, 2)
    counter = WorkCounter(monkeypatch)
    await ruled(instance, match_id, 1)
    few = counter.take()
    await ruled(instance, match_id, 60)
    counter.take()
    await ruled(instance, match_id, 1)
    assert counter.take() == few


async def test_what_is_folded_in_steps_is_what_is_folded_at_once(instance: Instance) -> None:
    match_id = await started(instance)
    for to in ("public", "seat:0", "sealed", "public"):
        await ruled(instance, match_id, 1, to)
        for viewer in ALL:
            listed = await instance.ruling_lists.list_rulings(match_id, viewer)
            assert listed == await read_anew(instance, match_id, viewer)
    assert len(listed) == 3


async def test_a_list_of_another_record_is_read_anew(instance: Instance) -> None:
    """As after the operator has gone back to a backup."""
    match_id, other = await started(instance), await started(instance)
    await ruled(instance, match_id, 1)
    await ruled(instance, other, 3)
    lists = instance.ruling_lists
    for viewer in ALL:
        await lists.list_rulings(other, viewer)
        lists._lists[match_id, viewer] = lists._lists.pop((other, viewer))
        listed = await lists.list_rulings(match_id, viewer)
        assert listed == await read_anew(instance, match_id, viewer)
        assert len(listed) == 1


async def test_the_lists_in_memory_are_bounded(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ruling_lists, "MOST_RULINGS", 4)
    monkeypatch.setattr(ruling_lists, "MOST_LISTS", 3)
    for _ in range(5):
        match_id = await started(instance)
        await ruled(instance, match_id, 2)
        for viewer in ALL:
            assert len(await instance.ruling_lists.list_rulings(match_id, viewer)) == 2
    kept = instance.ruling_lists._lists
    assert sum(len(one.rulings.rulings) for one in kept.values()) <= 6
    assert len(kept) <= 3


# A protest window ends by itself at its instant, also while the service is away; then everything
# that waited for the final result happens, once (rulings, section 5).


HOURS = 3
END = NOON + HOURS * HOUR


async def played(instance: Instance, cup: UUID | None = None) -> UUID:
    """A match that was played to its end at noon, where its result is provisional."""
    made = await instance.creation.match(
        NewMatch(
            CHIPS,
            ("Ben", "Ann"),
            {"tokens_to_win": 1},
            tournament=None if cup is None else str(cup),
            protest_hours=HOURS,
        )
    )
    await instance.matches.execute(made.id, START, "moderator")
    while await someone_acts(instance, made.id):
        pass
    return made.id


async def confirmed(instance: Instance, match_id: UUID) -> None:
    await grown_until(instance, match_id, lambda: bool(of(instance, match_id, MatchConfirmed)))


def confirmed_once_at_the_end(instance: Instance, match_id: UUID) -> None:
    """The result became final where the window ended, and the seed was revealed with it."""
    (end,) = of(instance, match_id, MatchEnded)
    assert end.event == MatchEnded(end.event.result, END)  # type: ignore[attr-defined]
    *_, final, revealed = on_record(instance, match_id)
    assert final == Record(END, 0, MatchConfirmed())
    assert revealed.at == END and isinstance(revealed.event, SeedRevealed)
    for kind in (MatchConfirmed, SeedRevealed):
        assert len(of(instance, match_id, kind)) == 1
    assert rejudge(str(match_id), on_record(instance, match_id)).over


async def test_rule_5_the_scheduler_ends_the_window_at_its_instant(
    database: Path, clock: VirtualClock
) -> None:
    async with running_instance(database, clock) as instance:
        match_id = await played(instance)
        clock.pass_time(HOURS * HOUR - 1)
        await rest(instance, match_id)
        assert not of(instance, match_id, MatchConfirmed)
        clock.pass_time(1)
        await confirmed(instance, match_id)
        confirmed_once_at_the_end(instance, match_id)


@pytest.mark.usefixtures("garnets")
@pytest.mark.parametrize("away", [HOUR, HOURS * HOUR, 30 * HOUR])
async def test_rule_5_a_restart_before_at_or_behind_the_end_changes_nothing(
    database: Path, clock: VirtualClock, away: int
) -> None:
    """An absence moves deadlines, and not the window."""
    async with running_instance(database, clock, GRACE) as before:
        cup, _ = await before.creation.tournament(CUP)
        match_id = await played(before, cup)
    clock.pass_time(away)
    for _ in range(2):
        async with running_instance(database, clock, GRACE) as after:
            clock.pass_time(max(0, END - clock.now()))
            await confirmed(after, match_id)
            await settled(after, cup)
            confirmed_once_at_the_end(after, match_id)
            assert not of(after, match_id, DeadlineSet)
            assert len(recorded(after, cup, MatchSettled)) == 1


async def test_rule_5_whatever_comes_later_finds_the_result_final(
    database: Path, clock: VirtualClock
) -> None:
    async with running_instance(database, clock) as before:
        match_id = await played(before)
        note = rule("n", Note("sealed", "They protest.", "clarification"))
        await before.matches.execute(match_id, note, MODERATOR)
    clock.pass_time(HOURS * HOUR)
    async with running_instance(database, clock) as after:
        await rest(after, match_id)
        confirmed_once_at_the_end(after, match_id)


@pytest.mark.parametrize("when", ["before", "after"])
async def test_rule_5_a_confirmation_whose_commit_fails_is_recorded_once(
    instance: Instance, clock: VirtualClock, when: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether or not the failed write is on disk."""
    monkeypatch.setattr("service.application.scheduling.scheduler.RETRY", 1)
    match_id = await played(instance)
    await rest(instance, match_id)
    faults = watched(instance).before if when == "before" else watched(instance).after
    faults.append(OperationalError("disk full"))
    clock.pass_time(HOURS * HOUR)
    await until(lambda: not faults)
    clock.pass_time(1)
    await confirmed(instance, match_id)
    await rest(instance, match_id)
    confirmed_once_at_the_end(instance, match_id)
