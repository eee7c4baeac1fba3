"""How much a seat may put on the record: decided from the record itself, also after a restart and
beside another instance."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
import pytest
from msgspec.structs import replace

from domain.commands import ClosePhase, Command, GiveClientSeed, Start
from domain.deadlines import SECOND
from domain.games.dollar_prize.actions import ChooseSide
from domain.games.grouping_bw.actions import Group, NameStarter
from domain.games.together.actions import GiveTokenOfLife, Submit
from domain.match import decide
from domain.match_events import ActionReceived, SubmissionInvalid
from domain.recorded import Recorded, size
from service.application.command_queue import CommandResponse
from service.application.seat_limits import (
    ALWAYS_ACCEPTED,
    FULL_SECONDS,
    MOST_SUBMISSIONS,
    NO_DEADLINE_SECONDS,
    LimitReached,
    check_limits,
)
from service.clock import VirtualClock
from service.instance import Instance
from service.settings import MIB, Settings
from tests.support.instance.service_instance import NOT_NOW, on_record, sends, settings
from tests.support.instance.service_instance import started as two_started
from tests.support.instance.snapshotting import snapshotted
from tests.support.instants import NOON
from tests.support.tables.together_tables import a, b

Sent = Callable[[int], Command]

FOUR = ("Ann", "Ben", "Cy", "Dee")
INVALID = a(9)
OUT_OF_PLACE = GiveTokenOfLife(1)
NO_PARTITION = Group((1, 1), (2, 3, 4), (5, 6, 7, 8))


async def together(instance: Instance, clock: Any = "none", options: Any = None) -> UUID:
    """A match of four in its first round."""
    made = await instance.creation.match("together", FOUR, options or {}, "server", clock, "closed")
    await instance.matches.execute(made.id, Start(), "moderator")
    return made.id


async def act(
    instance: Instance, match_id: UUID, seat: int, action: Any, key: str | None = None
) -> CommandResponse:
    return await instance.matches.execute(match_id, sends(seat, action, key), seat)


async def limited(instance: Instance, match_id: UUID, seat: int, action: Any) -> LimitReached:
    """The seat's action is not accepted, and nothing is recorded."""
    before = len(on_record(instance, match_id))
    with pytest.raises(LimitReached) as reached:
        await act(instance, match_id, seat, action)
    assert len(on_record(instance, match_id)) == before
    return reached.value


async def many_but(instance: Instance, match_id: UUID, fewer: int) -> None:
    """Seat 0 makes so many submissions fewer than it may in a phase."""
    for _ in range(MOST_SUBMISSIONS - fewer):
        await act(instance, match_id, 0, INVALID)


async def many(instance: Instance, match_id: UUID, seat: int, action: Any = INVALID) -> None:
    """The seat makes as many submissions as it may in a phase."""
    for _ in range(MOST_SUBMISSIONS):
        await act(instance, match_id, seat, action)


@asynccontextmanager
async def opened(chosen: Settings, clock: VirtualClock) -> AsyncIterator[Instance]:
    instance = Instance(chosen, clock)
    async with instance.running():
        yield instance


# Submissions in a phase.


@pytest.mark.parametrize("action", [a(1), INVALID], ids=["valid", "invalid"])
async def test_after_200_submissions_in_a_phase_there_is_none(
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
    await instance.matches.execute(match_id, ClosePhase(), "moderator")
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
    """A turn that everybody sees must be able to end, however often its seat has acted."""
    match_id = await two_started(instance)
    loaded = await instance.sessions.current(match_id)
    many_before = Recorded((0, 0), (MOST_SUBMISSIONS, 0), "a turn")
    awaiting = replace(loaded.match.awaiting, phase="a turn")
    match = replace(loaded.match, awaiting=awaiting, recorded=many_before)
    command = sends(0, ChooseSide("heads"))
    events = decide(loaded.game, match, command, NOON)
    check_limits(match, command, events, NOON, MIB)


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
    instance.sessions.evict(match_id)
    assert (await limited(instance, match_id, 0, a(1))).code == "too_many_submissions"
    async with opened(settings(database), clock) as another:
        assert (await limited(another, match_id, 0, a(1))).code == "too_many_submissions"


async def test_a_snapshot_forgets_nothing(instance: Instance) -> None:
    match_id = await together(instance)
    await many(instance, match_id, 0)
    await snapshotted(instance, match_id)
    instance.sessions.evict(match_id)
    assert (await limited(instance, match_id, 0, a(1))).code == "too_many_submissions"


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


# Bytes in a match.


@asynccontextmanager
async def small(database: Path, clock: VirtualClock, size: int) -> AsyncIterator[Instance]:
    """An instance on which a seat may record this many bytes in a match."""
    async with opened(replace(settings(database), seat_bytes=size), clock) as instance:
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


async def test_what_the_match_waits_for_is_always_accepted(
    database: Path, clock: VirtualClock
) -> None:
    async with small(database, clock, 1_000) as instance:
        match_id = await two_started(instance)
        await filled(instance, match_id, 0)
        assert (await act(instance, match_id, 0, ChooseSide("heads"))).result.code is None
        assert await used(instance, match_id, 0) > 1_000 - 200


async def test_an_awaited_submission_that_does_not_count_is_not_accepted(
    database: Path, clock: VirtualClock
) -> None:
    async with small(database, clock, 1_000) as instance:
        match_id = await together(instance)
        await filled(instance, match_id, 0, INVALID)
        assert (await act(instance, match_id, 0, a(1))).result.code is None
        await limited(instance, match_id, 0, INVALID)


async def test_what_follows_from_an_accepted_action_counts(
    database: Path, clock: VirtualClock
) -> None:
    """The game's own events of a few votes leave no room for what does not count itself."""
    async with small(database, clock, 1_000) as instance:
        match_id = await together(instance)
        await act(instance, match_id, 0, INVALID)
        invalid = await used(instance, match_id, 0)
        while await used(instance, match_id, 0) + invalid <= 1_000:
            assert (await act(instance, match_id, 0, a(1))).result.code is None
        events = [record.event for record in on_record(instance, match_id)]
        sent = [event for event in events if isinstance(event, ActionReceived | SubmissionInvalid)]
        assert sum(map(size, sent)) + invalid <= 1_000
        assert (await limited(instance, match_id, 0, INVALID)).code == "too_much_recorded"
        assert (await act(instance, match_id, 0, a(1))).result.code is None


async def test_what_would_follow_decides_nothing(instance: Instance) -> None:
    """The seat does not know it yet: of an action for which nobody waits its own bytes decide."""
    loaded = await instance.sessions.current(await together(instance))
    command = sends(0, a(1))
    events = decide(loaded.game, loaded.match, command, NOON)
    awaiting = replace(loaded.match.awaiting, seats=())
    used_up = Recorded((MIB - size(events[0]), 0, 0, 0), (0,) * 4, awaiting.phase)
    match = replace(loaded.match, awaiting=awaiting, recorded=used_up)
    check_limits(match, command, events, NOON, MIB)
    with pytest.raises(LimitReached):
        check_limits(match, command, events, NOON, MIB - 1)


async def test_a_large_action_is_not_accepted_even_if_it_is_awaited(
    database: Path, clock: VirtualClock
) -> None:
    async with small(database, clock, 1_000) as instance:
        match_id = await together(instance)
        await filled(instance, match_id, 0, INVALID)
        sent = sends(0, a(1))
        room = ALWAYS_ACCEPTED - len(msgspec.msgpack.encode({**sent.sent, "note": ""}))
        large = replace(sent, sent={**sent.sent, "note": "x" * room})
        with pytest.raises(LimitReached) as reached:
            await instance.matches.execute(match_id, large, 0)
        assert reached.value.code == "too_much_recorded"
        most = replace(sent, sent={**sent.sent, "note": "x" * (room - 2)})
        assert (await instance.matches.execute(match_id, most, 0)).result.code is None


async def test_client_seeds_count(database: Path, clock: VirtualClock) -> None:
    async with small(database, clock, 1_000) as instance:
        match = await instance.creation.match(
            "dollar-prize", ("Ann", "Ben"), {}, "server", "none", "opened_at_end"
        )
        given = await until_full(
            instance, match.id, 0, lambda number: GiveClientSeed(0, f"{number:064}")
        )
        assert 5 < given < 12
        await instance.matches.execute(match.id, GiveClientSeed(1, "dice"), 1)


async def test_the_bytes_are_the_same_after_a_restart_and_from_a_snapshot(
    instance: Instance,
) -> None:
    match_id = await together(instance)
    for action in (a(1), INVALID, OUT_OF_PLACE, b(2, 3, 2)):
        await act(instance, match_id, 0, action)
    counted = [await used(instance, match_id, seat) for seat in range(4)]
    instance.sessions.evict(match_id)
    assert [await used(instance, match_id, seat) for seat in range(4)] == counted
    await snapshotted(instance, match_id)
    instance.sessions.evict(match_id)
    assert [await used(instance, match_id, seat) for seat in range(4)] == counted
