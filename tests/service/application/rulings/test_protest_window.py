"""A protest window ends by itself at its instant, also while the service is away; then everything
that waited for the final result happens, once (rulings, section 5)."""

from pathlib import Path
from uuid import UUID

import pytest
from eventsourcing.persistence import OperationalError

from domain.events import Event, Record
from domain.match.deadlines import HOUR
from domain.match.events import DeadlineSet, MatchEnded, SeedRevealed
from domain.proof.rejudging import rejudge
from domain.rulings.events import MatchConfirmed
from domain.rulings.kinds import Note
from domain.tournament.events import MatchSettled
from projections.audience.disclosure import MODERATOR
from service.application.matches.creation import NewMatch
from service.instance import Instance
from tests.support.instance.match_growth import grown_until
from tests.support.instance.service_instance import on_record, someone_acts, watched
from tests.support.instance.tournament_play import CHIPS, CUP, recorded, settled
from tests.support.instance.virtual_deadlines import rest, running_instance
from tests.support.instants import NOON
from tests.support.tables.directing import START
from tests.support.tables.ruling_tables import rule
from tests.support.virtual_clock import VirtualClock
from tests.support.waiting import until

HOURS = 3
END = NOON + HOURS * HOUR
GRACE = 10


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


def of(instance: Instance, match_id: UUID, kind: type[Event]) -> list[Record[Event]]:
    return [one for one in on_record(instance, match_id) if isinstance(one.event, kind)]


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
