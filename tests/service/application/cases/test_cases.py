"""Cases on an instance: their streams and the record of their match are one transaction, also when
the store fails, and when several instances write at once."""

import asyncio
from uuid import UUID

import pytest
from eventsourcing.persistence import OperationalError

from domain.cases.match_events import (
    MatchCaseClosed,
    MatchCaseOpened,
    TournamentCaseClosed,
    any_open,
)
from domain.cases.state import MOST_OPEN, SEAT_BYTES, CaseStated, Speaker
from domain.match.events import Directed
from domain.people import Actor
from domain.rulings.commands import Rule
from domain.rulings.kinds import Note, Penalty
from domain.tournament.state import KeyedRequest
from projections.audience.disclosure import MODERATOR
from service.application.cases.cases import FirstStatement, Made
from service.application.matches.seat_limits import LimitReached
from service.event_store.errors import StoreUnavailable
from service.instance import Instance
from tests.support.instance.service_instance import on_record, recorded, started, watched
from tests.support.instance.tournament_play import CUP
from tests.support.tables.directing import DIRECTED
from tests.support.virtual_clock import VirtualClock

ANN = Speaker("seat", 0, None, None)
BEN = Speaker("seat", 1, None, None)
EVE = Actor("Eve", "e0e0e0e0e0e0e0e0")
FINN = Actor("Finn", "f0f0f0f0f0f0f0f0")
COIN = FirstStatement(None, "The coin had left the table.")
NOTE = Note("sealed", "It stands.", "uphold")
ONCE = KeyedRequest("once", b"1")


async def opened(instance: Instance, match_id: UUID, by: Speaker = ANN) -> UUID:
    return (await instance.cases.of_match(match_id).open(by, COIN, None)).id


async def ruled(instance: Instance, match_id: UUID, case: UUID, by: Actor = EVE) -> None:
    await instance.rulings.execute(match_id, Rule("", NOTE, "why", by, case=str(case)))


def of_cases(instance: Instance, match_id: UUID) -> list[object]:
    """What the record of the match says of its cases."""
    kinds = MatchCaseOpened | MatchCaseClosed | Directed
    events = [record.event for record in on_record(instance, match_id)]
    return [event for event in events if isinstance(event, kinds) and event != DIRECTED]


async def is_open(instance: Instance, match_id: UUID, case: UUID) -> tuple[bool, bool]:
    """Whether a case is open by its own stream, and by the record of the match."""
    stored = await instance.cases.of_match(match_id).readable(MODERATOR, case)
    return stored.case.is_open, any_open((await instance.sessions.current(match_id)).match.cases)


async def test_the_match_knows_while_a_case_is_open(instance: Instance) -> None:
    match_id = await started(instance)
    case = await opened(instance, match_id)
    assert await is_open(instance, match_id, case) == (True, True)
    await instance.cases.of_match(match_id).close(case, "It stands.", EVE)
    assert await is_open(instance, match_id, case) == (False, False)
    assert of_cases(instance, match_id) == [
        MatchCaseOpened(str(case), True),
        MatchCaseClosed(str(case), None),
        Directed("Eve", EVE.key_id),
    ]


async def test_times_of_a_case_never_decrease(instance: Instance, clock: VirtualClock) -> None:
    match_id = await started(instance)
    case, cases = await opened(instance, match_id), instance.cases.of_match(match_id)
    for passed in (-2_000_000, 5_000_000):
        clock.pass_time(passed)
        await cases.say(case, ANN, "So it is.", None, None)
    times = [one.at for one in (await cases.readable(MODERATOR, case)).read.records]
    assert times == sorted(times) and times[-1] > times[0]


@pytest.mark.parametrize("on_disk", [True, False])
async def test_a_case_is_opened_whole_or_not_at_all(instance: Instance, on_disk: bool) -> None:
    match_id = await started(instance)
    failing = watched(instance).after if on_disk else watched(instance).before
    failing.append(OperationalError("gone away"))
    with pytest.raises(StoreUnavailable):
        await instance.cases.of_match(match_id).open(ANN, COIN, ONCE)
    assert len(await instance.cases.of_match(match_id).list_ids(0)) == on_disk
    assert len(of_cases(instance, match_id)) == on_disk
    again = await instance.cases.of_match(match_id).open(ANN, COIN, ONCE)
    assert again.repeated == on_disk
    assert await instance.cases.of_match(match_id).list_ids(MODERATOR) == [again.id]
    assert of_cases(instance, match_id) == [MatchCaseOpened(str(again.id), True)]


@pytest.mark.parametrize("on_disk", [True, False])
async def test_a_ruling_closes_its_case_with_itself_or_not_at_all(
    instance: Instance, on_disk: bool
) -> None:
    match_id = await started(instance)
    case = await opened(instance, match_id)
    failing = watched(instance).after if on_disk else watched(instance).before
    failing.append(OperationalError("gone away"))
    with pytest.raises(StoreUnavailable):
        await ruled(instance, match_id, case)
    assert await is_open(instance, match_id, case) == (not on_disk, not on_disk)


async def test_instances_that_write_at_once_lose_nothing(
    instance: Instance, other: Instance
) -> None:
    match_id = await started(instance)
    made = await asyncio.gather(
        *(opened(one, match_id, by) for one in (instance, other) for by in (ANN, BEN, ANN))
    )
    for one in (instance, other):
        listed = await one.cases.of_match(match_id).list_ids(MODERATOR)
        assert set(listed) == set(made)
        assert len(await one.cases.of_match(match_id).list_ids(0)) == 4


async def test_a_statement_is_made_once_when_its_request_comes_to_two_instances(
    instance: Instance, other: Instance
) -> None:
    match_id = await started(instance)
    case = await opened(instance, match_id)
    for n in range(5):
        request = KeyedRequest(f"say {n}", b"1")
        both = (
            one.cases.of_match(match_id).say(case, ANN, f"So it is, {n}.", None, request)
            for one in (instance, other)
        )
        one, same = await asyncio.gather(*both)
        assert one.id == same.id
    stored = await instance.cases.of_match(match_id).readable(MODERATOR, case)
    said = [r.event.says for r in stored.read.records if isinstance(r.event, CaseStated)]
    assert said == [f"So it is, {n}." for n in range(5)]


async def test_of_two_that_close_a_case_one_does(instance: Instance, other: Instance) -> None:
    match_id = await started(instance)
    case = await opened(instance, match_id)
    results = await asyncio.gather(
        ruled(instance, match_id, case),
        other.cases.of_match(match_id).close(case, "It stands.", FINN),
        return_exceptions=True,
    )
    assert sorted(str(one) for one in results) == ["None", "case_closed"]
    assert sum(isinstance(event, MatchCaseClosed) for event in of_cases(instance, match_id)) == 1


async def test_a_seat_that_opens_many_at_once_opens_as_many_as_it_may(instance: Instance) -> None:
    match_id = await started(instance)
    tries = [instance.cases.of_match(match_id).open(ANN, COIN, None) for _ in range(MOST_OPEN + 3)]
    results = await asyncio.gather(*tries, return_exceptions=True)
    assert sum(isinstance(one, Made) for one in results) == MOST_OPEN
    refused = [one.code for one in results if isinstance(one, LimitReached)]
    assert refused == ["too_many_cases"] * 3


async def test_a_seat_says_no_more_than_it_may_in_all_cases_together(instance: Instance) -> None:
    match_id = await started(instance)
    cases = instance.cases.of_match(match_id)
    case, closed = await opened(instance, match_id), await opened(instance, match_id)
    await cases.close(closed, "It stands.", EVE)
    half = "x" * (SEAT_BYTES // 2)
    await cases.say(case, ANN, half, None, None)
    for say_more in (
        lambda: cases.say(case, ANN, half, None, None),
        lambda: cases.appeal(closed, ANN, half),
        lambda: cases.open(ANN, FirstStatement(None, half), None),
    ):
        with pytest.raises(LimitReached) as reached:
            await say_more()
        assert reached.value.code == "too_much_said"
    await cases.say(case, BEN, half, None, None)


DI = Speaker("player", 0, None, None)
GARNET = Penalty(0, garnets=1)


async def opened_in_cup(instance: Instance) -> tuple[UUID, UUID]:
    """A tournament, and an open case about it."""
    cup, _ = await instance.creation.tournament(CUP)
    return cup, (await instance.cases.of_tournament(cup).open(DI, COIN, ONCE)).id


async def test_of_two_that_close_a_case_about_a_tournament_one_does(
    instance: Instance, other: Instance
) -> None:
    cup, case = await opened_in_cup(instance)
    rule = Rule("", GARNET, "why", EVE, case=str(case))
    results = await asyncio.gather(
        instance.tournament_rulings.execute(cup, rule),
        other.cases.of_tournament(cup).close(case, "It stands.", FINN),
        return_exceptions=True,
    )
    assert sum(str(one) == "case_closed" for one in results) == 1
    assert len(recorded(instance, cup, TournamentCaseClosed)) == 1
    stored = await instance.cases.of_tournament(cup).readable(MODERATOR, case)
    assert not stored.case.is_open


@pytest.mark.parametrize("on_disk", [True, False])
async def test_a_ruling_on_a_tournament_closes_its_case_with_itself_or_not_at_all(
    instance: Instance, on_disk: bool
) -> None:
    cup, case = await opened_in_cup(instance)
    assert (await instance.cases.of_tournament(cup).open(DI, COIN, ONCE)).id == case
    failing = watched(instance).after if on_disk else watched(instance).before
    failing.append(OperationalError("gone away"))
    rule = Rule("", GARNET, "why", EVE, case=str(case))
    with pytest.raises(StoreUnavailable):
        await instance.tournament_rulings.execute(cup, rule)
    stored = await instance.cases.of_tournament(cup).readable(MODERATOR, case)
    on_record = any_open((await instance.tournaments.current(cup)).state.cases)
    assert (stored.case.is_open, on_record) == (not on_disk, not on_disk)
