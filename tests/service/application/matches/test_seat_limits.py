"""How much a seat may put on the record of a match, which stays short enough to be read."""

import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
import pytest
from msgspec.structs import replace

from domain.games.dollar_prize.actions import ChooseSide
from domain.games.together.actions import GiveTokenOfLife, Submit
from domain.match.commands import Command
from domain.match.deadlines import SECOND
from domain.match.decide import decide
from domain.match.recorded import Recorded, size
from projections.audience import projection as audience_projection
from projections.audience import view as audience
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER
from projections.audience.projection import MAX_UNFOLDED
from service.application.matches import seat_limits
from service.application.matches.seat_limits import (
    ALWAYS_ACCEPTED,
    FULL_SECONDS,
    NO_DEADLINE_SECONDS,
    LimitReached,
    check_limits,
)
from service.event_store.sqlite.disk_room import MIB
from service.instance import Instance
from service.settings import Limits
from tests.support.instance.longest_match import filled_match
from tests.support.instance.seat_inputs import act, limited, opened, together
from tests.support.instance.service_instance import NOT_NOW, sends, settings
from tests.support.instance.service_instance import started as two_started
from tests.support.instants import NOON
from tests.support.tables.directing import PAUSE, RESUME, close_phase
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


Sent = Callable[[int], Command]


@asynccontextmanager
async def small(
    database: Path, clock: VirtualClock, size: int, seats: int = 2
) -> AsyncIterator[Instance]:
    """An instance on which a seat may record this many bytes in a match of so many."""
    chosen = replace(settings(database), limits=Limits(seat_bytes=size * seats // 2))
    async with opened(chosen, clock) as instance:
        yield instance


async def used(instance: Instance, match_id: UUID, seat: int) -> int:
    loaded = await instance.sessions.current(match_id)
    size: int = loaded.match.recorded.sizes[seat]
    return size


async def until_full(instance: Instance, match_id: UUID, seat: int, sent: Sent) -> int:
    """How often the seat can send something, of which the number is given, before no more is
    recorded."""
    for number in range(10_000):
        try:
            await instance.matches.execute(match_id, sent(number), seat)
        except LimitReached as reached:
            said = reached.code, reached.wait
            break
    else:
        raise AssertionError("there is no limit")
    assert said == ("too_much_recorded", FULL_SECONDS)
    return number


async def filled(instance: Instance, match_id: UUID, seat: int, action: Any = NOT_NOW) -> int:
    """The same for an action that does not count."""
    return await until_full(instance, match_id, seat, lambda _: sends(seat, action))


@asynccontextmanager
async def used_up(database: Path, clock: VirtualClock) -> AsyncIterator[tuple[Instance, UUID]]:
    """A match of Together in which seat 0 may record no more of what does not count."""
    async with small(database, clock, 1_000, 4) as instance:
        match_id = await together(instance, options={"all_tied": "none_out"})
        await filled(instance, match_id, 0, INVALID)
        yield instance, match_id


async def test_a_seat_s_bytes_are_never_exceeded_by_refusals(
    database: Path, clock: VirtualClock
) -> None:
    async with small(database, clock, 5_000) as instance:
        match_id = await two_started(instance)
        number = await filled(instance, match_id, 0)
        size = await used(instance, match_id, 0)
        assert number > 10
        assert 5_000 - size / number < size <= 5_000
        assert await filled(instance, match_id, 1) == number


async def test_what_would_follow_decides_nothing(instance: Instance) -> None:
    """The seat does not know it yet: of an action for which no one waits its own bytes decide."""
    loaded = await instance.sessions.current(await together(instance))
    command = sends(0, a(1))
    events = decide(loaded.game, loaded.match, command, NOON)
    awaiting = replace(loaded.match.awaiting, seats=())
    used_up = Recorded((MIB - size(events[0]), 0, 0, 0), (0,) * 4, awaiting.phase)
    match = replace(loaded.match, awaiting=awaiting, recorded=used_up)
    check_limits(loaded.game, match, command, events, NOON, 2 * MIB)
    with pytest.raises(LimitReached):
        check_limits(loaded.game, match, command, events, NOON, 2 * MIB - 2)


async def test_a_large_action_is_not_accepted_even_if_it_is_awaited(
    database: Path, clock: VirtualClock
) -> None:
    async with used_up(database, clock) as (instance, match_id):
        sent = sends(0, a(1))
        room = ALWAYS_ACCEPTED - len(msgspec.msgpack.encode({**sent.sent_fields, "note": ""}))
        large = replace(sent, sent_fields={**sent.sent_fields, "note": "x" * room})
        with pytest.raises(LimitReached) as reached:
            await instance.matches.execute(match_id, large, 0)
        assert reached.value.code == "too_much_recorded"
        most = replace(sent, sent_fields={**sent.sent_fields, "note": "x" * (room - 2)})
        assert (await instance.matches.execute(match_id, most, 0)).result.code is None


SMALL = 32 * 1024


@pytest.fixture
def in_the_loop(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many events of an audience are folded by the thread of the event loop, each time."""
    folded: list[int] = []
    loop, honest = threading.get_ident(), audience.see

    def see(state: Any, records: Any) -> Any:
        each = list(records)
        if threading.get_ident() == loop:
            folded.append(len(each))
        return honest(state, each)

    for module in (audience, audience_projection):
        monkeypatch.setattr(module, "see", see)
    return folded


@pytest.mark.parametrize("game", ["dollar-prize", "together"])
async def test_what_a_long_match_is_read_for_is_folded_outside_the_event_loop(
    tmp_path: Path, clock: VirtualClock, in_the_loop: list[int], game: str
) -> None:
    async with opened(
        replace(settings(tmp_path / "a.db"), limits=Limits(seat_bytes=SMALL)), clock
    ) as instance:
        match = await filled_match(instance, game)
        in_the_loop.clear()
        await _read_by_all(instance, match)
        instance.sessions.invalidate(match)
        await _read_by_all(instance, match)
        instance.sessions.invalidate(match)
        for command in (PAUSE, RESUME):
            await instance.matches.execute(match, command, MODERATOR)
        await _read_by_all(instance, match)
    assert max(in_the_loop, default=0) <= MAX_UNFOLDED


async def _read_by_all(instance: Instance, match: UUID) -> None:
    """Every kind of audience reads: lines, the latest view, and an earlier one."""
    for viewer in (0, MODERATOR, PUBLIC_VIEWER):
        await instance.sessions.lines(match, viewer, 0, 1)
        seq, _ = await instance.sessions.view(match, viewer, None)
        for earlier in (0, seq // 2, seq - 1):
            assert (await instance.sessions.view(match, viewer, earlier))[0] == earlier
