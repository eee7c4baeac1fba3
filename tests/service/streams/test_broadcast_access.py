"""Who reads by a key, a ticket or a role is asked again when that ends, and no one else is."""

import asyncio
from collections.abc import Hashable
from functools import partial
from uuid import UUID, uuid4

import pytest

from domain.tournament.staff import GiveMatch
from projections.audience.disclosure import PUBLIC_VIEWER
from service.instance import Instance
from service.streams.channels import Member
from tests.support.instance.followers import Follower, caught_up, turns
from tests.support.instance.service_instance import started
from tests.support.instance.tournament_play import added

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
