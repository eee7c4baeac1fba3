"""Broadcast: every member gets every line of its audience once and in order, while it may read."""

import asyncio
from collections.abc import Hashable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import pairwise
from typing import Any
from uuid import UUID, uuid4

import pytest

from domain.games.dollar_prize.actions import ChooseSide
from domain.tournament.staff import GiveMatch
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from service.application.matches.decision import Decision
from service.instance import Instance
from service.streams.broadcast import SMALL_CHANNEL, WIDE_SLICE
from service.streams.channels import NDJSON, ChunkWriter, Member
from tests.support.instance.followers import (
    Connection,
    Follower,
    caught_up,
    following,
    has_ended,
    turns,
)
from tests.support.instance.service_instance import NOT_NOW, sends, someone_acts, started
from tests.support.instance.tournament_play import added

HEADS, TAILS = ChooseSide("heads"), ChooseSide("tails")
SHORT = {"tokens_to_win": 1}
MANY = 1_000
VIEWERS: tuple[Viewer, ...] = (PUBLIC_VIEWER, MODERATOR, 0, 1)


@contextmanager
def joined(
    instance: Instance, match_id: UUID, viewer: Viewer, writers: list[ChunkWriter]
) -> Iterator[list[Member]]:
    """A member that has caught up for each of the writers. The match is in memory."""
    loaded = instance.sessions.loaded(match_id)
    projection = None if loaded is None else loaded.projections.find(viewer)
    assert projection is not None
    with ExitStack() as stack:
        members = [Member(projection.seq, NDJSON, writer) for writer in writers]
        for member in members:
            assert stack.enter_context(instance.broadcast.joined(match_id, viewer, member))
        yield members


# Who gets what.


@pytest.mark.parametrize("count", [1, SMALL_CHANNEL + 5])
async def test_lines_go_to_every_member_once_and_in_order(instance: Instance, count: int) -> None:
    match_id = await started(instance, "twelve-chips")
    async with following(instance, match_id, *VIEWERS, count=count) as followers:
        for n in range(20):
            await someone_acts(instance, match_id)
            if n % 4 == 0:
                await caught_up(instance, match_id, followers)
        await caught_up(instance, match_id, followers)
        assert any(len(one.chunks) > len(one.yielded) for one in followers)


@pytest.mark.parametrize("count", [1, SMALL_CHANNEL + 5])
async def test_a_member_that_cannot_take_bytes_leaves_and_gets_the_rest_by_catching_up(
    instance: Instance, count: int
) -> None:
    match_id = await started(instance)
    async with following(instance, match_id, 0, count=count) as followers:
        await turns()
        slow = followers[-1]
        slow.full, before = True, len(slow.yielded)
        await instance.matches.execute(match_id, sends(0, HEADS), 0)
        await caught_up(instance, match_id, followers)
        assert len(slow.yielded) == before + 1
        slow.full = False
        await turns()
        await instance.matches.execute(match_id, sends(0, NOT_NOW), 0)
        await caught_up(instance, match_id, followers)
        assert len(slow.yielded) == before + 1, "it is a member again"


async def test_a_hidden_event_wakes_no_member(instance: Instance) -> None:
    """Neither at an action of another seat that is refused, nor at many of them."""
    match_id = await started(instance)
    await instance.sessions.projection(match_id, MODERATOR)
    silent: list[Viewer] = [PUBLIC_VIEWER, 1]
    with ExitStack() as stack:
        writers = [Connection() for _ in silent]
        members = [
            *(
                stack.enter_context(joined(instance, match_id, viewer, [writer]))[0]
                for viewer, writer in zip(silent, writers, strict=True)
            ),
            *(_passive(instance, match_id, viewer, stack) for viewer in silent),
        ]
        own = _passive(instance, match_id, 0, stack)
        sees_all = _passive(instance, match_id, MODERATOR, stack)
        followers = [Follower(instance, match_id, viewer) for viewer in silent]
        await caught_up(instance, match_id, followers)
        await turns()
        asked = [one.asked for one in followers]
        for _ in range(3):
            answer = await instance.matches.execute(match_id, sends(0, NOT_NOW), 0)
            assert answer.result.refused
        await turns()
        assert own.left.is_set() and sees_all.left.is_set()
        assert not any(member.left.is_set() for member in members)
        assert not any(writer.chunks for writer in writers)
        assert [one.asked for one in followers] == asked
        for one in followers:
            one.reading.cancel()


def _passive(instance: Instance, match_id: UUID, viewer: Viewer, stack: ExitStack) -> Member:
    loaded = instance.sessions.loaded(match_id)
    projection = None if loaded is None else loaded.projections.find(viewer)
    assert projection is not None
    member = Member(projection.seq)
    assert stack.enter_context(instance.broadcast.joined(match_id, viewer, member))
    return member


# Slices.


async def test_many_members_are_served_over_several_turns_and_commands_are_decided_between_them(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id, other = await started(instance), await started(instance)
    writers = [Connection() for _ in range(MANY)]
    served_at_decision: list[int] = []

    class Noted(Decision):
        def __init__(self, *how: Any) -> None:
            served_at_decision.append(sum(bool(writer.chunks) for writer in writers))
            super().__init__(*how)

    tasks: list[asyncio.Task[Any]] = []

    class First(Connection):
        def write(self, chunk: bytes) -> bool:
            monkeypatch.setattr("service.application.matches.decision_queue.Decision", Noted)
            acting = instance.matches.execute(other, sends(0, HEADS), 0)
            tasks.append(asyncio.create_task(acting))
            return super().write(chunk)

    # The latest members are served first.
    with joined(instance, match_id, PUBLIC_VIEWER, [*writers, First()]) as members:
        await instance.matches.execute(match_id, sends(0, HEADS), 0)
        served = [0]
        async with asyncio.timeout(10):
            while any(not writer.chunks for writer in writers):
                await asyncio.sleep(0)
                served.append(sum(bool(writer.chunks) for writer in writers))
        await asyncio.gather(*tasks)
        seqs = {member.seq for member in members}
    assert max(after - before for before, after in pairwise(served)) <= WIDE_SLICE
    assert served_at_decision and served_at_decision[0] < MANY
    (chunks,) = {tuple(writer.chunks) for writer in writers}
    assert len(chunks) == 1 and len(seqs) == 1


# The end.


@pytest.mark.parametrize("count", [1, SMALL_CHANNEL + 5])
async def test_at_the_end_of_a_match_everybody_gets_the_last_lines_and_then_leaves(
    instance: Instance, count: int
) -> None:
    match_id = await started(instance, "twelve-chips", SHORT)
    async with following(instance, match_id, *VIEWERS, count=count) as followers:
        followers[0].full = True
        while await someone_acts(instance, match_id):
            pass
        for one in followers:
            await has_ended(instance, match_id, one)
    assert not instance.broadcast.followed


KEY, OTHER_KEY = b"k" * 32, b"o" * 32


async def readers(instance: Instance, match_id: UUID, *watched: Hashable) -> list[Follower]:
    """A reader by each of these, and one by none; they are members."""
    followers = [
        Follower(instance, match_id, PUBLIC_VIEWER, watches)
        for watches in (*((one,) for one in watched), ())
    ]
    await caught_up(instance, match_id, followers)
    await turns()
    return followers


async def end(followers: list[Follower]) -> None:
    for one in followers:
        one.reading.cancel()
    await asyncio.gather(*(one.reading for one in followers), return_exceptions=True)


async def test_a_match_given_to_another_moderator_asks_those_who_read_by_the_tournament(
    instance: Instance, cup: UUID
) -> None:
    match_id = await added(instance, cup)
    followers = await readers(instance, match_id, cup, uuid4())
    asked = [one.asked for one in followers]
    followers[0].allowed = False
    await instance.tournaments.execute(cup, GiveMatch(str(match_id), 0))
    await turns()
    assert [one.asked for one in followers] == [asked[0] + 1, *asked[1:]]
    assert followers[0].reading.done()
    assert not any(one.reading.done() for one in followers[1:])
    await end(followers)


async def test_a_ticket_has_one_holder(instance: Instance) -> None:
    ticket = uuid4()
    broadcast = instance.broadcast
    superseded: list[str] = []
    first, second = (partial(superseded.append, one) for one in ("first", "second"))
    broadcast.hold(ticket, first)
    assert broadcast.holds(ticket, first)
    broadcast.hold(ticket, second)
    assert superseded == ["first"]
    assert not broadcast.holds(ticket, first) and broadcast.holds(ticket, second)
    broadcast.release(ticket, first)
    assert broadcast.holds(ticket, second), "the first does not end the hold of the second"
    broadcast.release(ticket, second)
    assert not broadcast.holds(ticket, second)


@pytest.mark.parametrize("watches", [(), (KEY,), (KEY, OTHER_KEY)])
async def test_nothing_of_a_member_that_has_left_stays_in_memory(
    instance: Instance, watches: tuple[Hashable, ...]
) -> None:
    match_id = await started(instance)
    _, projection = await instance.sessions.projection(match_id, 0)
    broadcast = instance.broadcast
    with (
        broadcast.following(match_id),
        broadcast.joined(match_id, 0, Member(projection.seq, watches=watches)) as has_joined,
    ):
        assert has_joined
    assert not broadcast._channels and not broadcast._watching and not broadcast.followed
