"""How much a seat may put on the record: decided from the record itself, also after a restart and
next to another instance."""

from typing import Any
from uuid import UUID

import pytest
from msgspec.structs import replace

from domain.games.dollar_prize.actions import ChooseSide
from domain.games.together.actions import GiveTokenOfLife, Submit
from domain.match.deadlines import SECOND
from domain.match.decide import decide
from domain.match.recorded import Recorded
from service.application.matches import seat_limits
from service.application.matches.seat_limits import (
    NO_DEADLINE_SECONDS,
    check_limits,
)
from service.event_store.sqlite.disk_room import MIB
from service.instance import Instance
from tests.support.instance.seat_inputs import act, limited, together
from tests.support.instance.service_instance import sends
from tests.support.instance.service_instance import started as two_started
from tests.support.instants import NOON
from tests.support.tables.directing import close_phase
from tests.support.tables.together_tables import a, b
from tests.support.virtual_clock import VirtualClock

MOST_SUBMISSIONS = 20
INVALID = a(9)
OUT_OF_PLACE = GiveTokenOfLife(1)


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit is low, so that it is soon reached."""
    monkeypatch.setattr(seat_limits, "MOST_SUBMISSIONS", MOST_SUBMISSIONS)


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


# On every instance, and after a restart.
