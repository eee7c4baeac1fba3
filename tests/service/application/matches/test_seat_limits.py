"""How much a seat may put on the record: decided from the record itself, also after a restart and
next to another instance."""

import asyncio
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from msgspec.structs import replace

from domain.games.dollar_prize.actions import ChooseSide
from domain.games.grouping_bw.actions import Group, NameStarter
from domain.games.together.actions import GiveTokenOfLife, Submit
from domain.match.deadlines import SECOND
from domain.match.decide import decide
from domain.match.events import ActionReceived
from domain.match.recorded import Recorded
from service.application.matches import seat_limits
from service.application.matches.seat_limits import (
    NO_DEADLINE_SECONDS,
    LimitReached,
    check_limits,
)
from service.event_store.sqlite.disk_room import MIB
from service.instance import Instance
from tests.support.instance.seat_inputs import act, limited, opened, together
from tests.support.instance.service_instance import NOT_NOW, on_record, sends, settings
from tests.support.instance.service_instance import started as two_started
from tests.support.instants import NOON
from tests.support.tables.directing import close_phase
from tests.support.tables.together_tables import a, b
from tests.support.virtual_clock import VirtualClock

MOST_SUBMISSIONS = 20
INVALID = a(9)
OUT_OF_PLACE = GiveTokenOfLife(1)
NO_PARTITION = Group((1, 1), (2, 3, 4), (5, 6, 7, 8))


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit is low, so that it is soon reached."""
    monkeypatch.setattr(seat_limits, "MOST_SUBMISSIONS", MOST_SUBMISSIONS)


async def many_but(instance: Instance, match_id: UUID, fewer: int) -> None:
    """Seat 0 makes so many submissions fewer than it may in a phase."""
    for _ in range(MOST_SUBMISSIONS - fewer):
        await act(instance, match_id, 0, INVALID)


async def many(instance: Instance, match_id: UUID, seat: int, action: Any = INVALID) -> None:
    """The seat makes as many submissions as it may in a phase."""
    for _ in range(MOST_SUBMISSIONS):
        await act(instance, match_id, seat, action)


# Submissions in a phase.


@pytest.mark.parametrize("action", [a(1), INVALID], ids=["valid", "invalid"])
async def test_after_so_many_submissions_in_a_phase_there_is_none(
    instance: Instance, action: Submit
) -> None:
    match_id = await together(instance)
    await many(instance, match_id, 0, action)
    for other in (a(1), INVALID, b(2, 3, 2)):
        reached = await limited(instance, match_id, 0, other)
        assert (reached.code, reached.wait) == ("too_many_submissions", NO_DEADLINE_SECONDS)


async def test_other_seats_do_not_notice(instance: Instance) -> None:
    match_id = await together(instance)
    await many(instance, match_id, 0)
    assert (await act(instance, match_id, 1, a(1))).result.code is None


async def test_the_wait_is_until_the_phase_ends(instance: Instance, clock: VirtualClock) -> None:
    match_id = await together(instance, "rules")
    await many(instance, match_id, 0)
    loaded = await instance.sessions.current(match_id)
    due = loaded.match.awaiting.deadline
    assert due is not None
    reached = await limited(instance, match_id, 0, a(1))
    left = (due - clock.now()) / SECOND
    assert 0 <= reached.wait - left < 2


async def test_the_next_phase_begins_anew(instance: Instance) -> None:
    match_id = await together(instance, options={"all_tied": "none_out"})
    await many(instance, match_id, 0)
    await instance.matches.execute(match_id, close_phase(), "moderator")
    assert (await act(instance, match_id, 0, a(1))).result.code == "late"
    assert (await act(instance, match_id, 0, a(1, at=2))).result.code is None


async def test_what_does_not_belong_to_the_phase_is_no_submission(instance: Instance) -> None:
    match_id = await together(instance)
    for _ in range(MOST_SUBMISSIONS + 1):
        assert (await act(instance, match_id, 0, OUT_OF_PLACE)).result.refusal == "wrong_phase"
    assert (await act(instance, match_id, 0, a(1))).result.code is None


async def test_a_repeated_request_is_answered_as_before(instance: Instance) -> None:
    match_id = await together(instance)
    first = await act(instance, match_id, 0, a(1), "once")
    for _ in range(MOST_SUBMISSIONS - 1):
        await act(instance, match_id, 0, INVALID)
    again = await act(instance, match_id, 0, a(1), "once")
    assert again.result.replayed and again.view == first.view
    with pytest.raises(LimitReached):
        await act(instance, match_id, 0, a(1), "twice")


async def test_submissions_sent_at_once_are_counted_one_by_one(instance: Instance) -> None:
    match_id = await together(instance)
    sent = (act(instance, match_id, 0, INVALID) for _ in range(MOST_SUBMISSIONS + 20))
    answers = await asyncio.gather(*sent, return_exceptions=True)
    assert sum(isinstance(answer, LimitReached) for answer in answers) == 20
    received = [r for r in on_record(instance, match_id) if isinstance(r.event, ActionReceived)]
    assert len(received) == MOST_SUBMISSIONS


async def test_a_grouping_has_the_same_limit(instance: Instance) -> None:
    """As every phase of any game in which seats submit."""
    match_id = await two_started(instance, "grouping-bw")
    await act(instance, match_id, 1, NameStarter(0))
    await many(instance, match_id, 0, NO_PARTITION)
    reached = await limited(instance, match_id, 0, NO_PARTITION)
    assert reached.code == "too_many_submissions"
    assert (await act(instance, match_id, 1, NO_PARTITION)).result.code == "not_a_partition"


async def test_an_open_turn_of_many_actions_has_no_such_limit(instance: Instance) -> None:
    """A turn that everyone sees must be able to end, however often its seat has acted."""
    match_id = await two_started(instance)
    loaded = await instance.sessions.current(match_id)
    many_before = Recorded((0, 0), (MOST_SUBMISSIONS, 0), "a turn")
    awaiting = replace(loaded.match.awaiting, phase="a turn")
    match = replace(loaded.match, awaiting=awaiting, recorded=many_before)
    command = sends(0, ChooseSide("heads"))
    events = decide(loaded.game, match, command, NOON)
    check_limits(loaded.game, match, command, events, NOON, MIB)


async def test_refusals_out_of_turn_cost_nobody_a_turn(instance: Instance) -> None:
    match_id = await two_started(instance)
    for _ in range(MOST_SUBMISSIONS + 1):
        await act(instance, match_id, 0, NOT_NOW)
    assert (await act(instance, match_id, 0, ChooseSide("heads"))).result.code is None


# On every instance, and after a restart.


async def test_a_restart_forgets_nothing(
    instance: Instance, database: Path, clock: VirtualClock
) -> None:
    match_id = await together(instance)
    await many(instance, match_id, 0)
    instance.sessions.invalidate(match_id)
    assert (await limited(instance, match_id, 0, a(1))).code == "too_many_submissions"
    async with opened(settings(database), clock) as another:
        assert (await limited(another, match_id, 0, a(1))).code == "too_many_submissions"


async def test_what_another_instance_has_recorded_counts(
    instance: Instance, database: Path, clock: VirtualClock
) -> None:
    """Also while both have the match in memory."""
    match_id = await together(instance)
    async with opened(replace(settings(database), shared=True), clock) as another:
        await act(another, match_id, 0, INVALID)
        await many_but(instance, match_id, 1)
        assert (await limited(another, match_id, 0, a(1))).code == "too_many_submissions"
        assert (await act(another, match_id, 1, a(1))).result.code is None
