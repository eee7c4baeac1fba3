"""Invitations: one acceptance each, in time, whatever crashes or happens at the same moment."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from uuid import UUID

import pytest
from eventsourcing.persistence import OperationalError

from domain.events import Event
from domain.match.commands import Conflict
from domain.match.deadlines import SECOND
from domain.match.events import Directed
from domain.match.key_events import SeatKeyIssued
from domain.people import Actor
from domain.tournament.state import KeyedRequest
from service.application.keys.invitations import GivenKey
from service.auth.keyring import REPEAT_SECONDS
from service.event_store.errors import StoreUnavailable
from service.instance import Instance
from tests.support.http.invitations import MINE, OTHERS
from tests.support.instance.service_instance import created, on_record, settings, started, watched
from tests.support.tables.directing import DIRECTED
from tests.support.virtual_clock import VirtualClock

EVE = Actor("Eve", "e0e0e0e0e0e0e0e0")
HOUR = 3_600


async def invite(instance: Instance, match_id: UUID, seat: int = 0) -> str:
    """The token of a new invitation, good for an hour."""
    made = await instance.invitations.make(match_id, seat, HOUR, EVE)
    assert made.token is not None
    return made.token


async def accept(instance: Instance, match_id: UUID, token: str, key: str = MINE) -> GivenKey:
    return await instance.invitations.accept(match_id, token, key)


def issued(instance: Instance, match_id: UUID) -> list[Event]:
    """What is on record of keys, and by whom."""
    found = [one.event for one in on_record(instance, match_id)]
    kinds = SeatKeyIssued | Directed
    return [event for event in found if isinstance(event, kinds) and event != DIRECTED]


def succeeded(answers: Sequence[GivenKey | BaseException]) -> list[GivenKey]:
    """The keys that were given; everyone else was told that they came too late."""
    given = [answer for answer in answers if isinstance(answer, GivenKey)]
    others = [str(answer) for answer in answers if not isinstance(answer, GivenKey)]
    assert others == ["invitation_accepted"] * len(others)
    return given


async def test_the_key_opens_the_seat_of_its_holder_and_is_on_record(instance: Instance) -> None:
    match_id = await created(instance)
    given = await accept(instance, match_id, await invite(instance, match_id, 1))
    grant = instance.keyring.load(given.key)
    assert grant is not None and grant.holder is not None
    assert (grant.seat, grant.holder.by) == (1, "Ben")
    assert issued(instance, match_id) == [
        SeatKeyIssued(1, grant.holder.key_id),
        Directed("Eve", EVE.key_id),
    ]


async def test_neither_tokens_nor_keys_are_stored(instance: Instance, database: Path) -> None:
    match_id = await created(instance)
    token = await invite(instance, match_id)
    given = await accept(instance, match_id, token)
    secrets = [token, MINE, given.key, given.key.rpartition("_")[2]]
    files = b"".join(file.read_bytes() for file in database.parent.glob(f"{database.name}*"))
    assert b"Ann" in files
    for secret in secrets:
        assert secret.encode() not in files
    assert bytes.fromhex(secrets[-1]) not in files


async def test_an_invitation_is_good_until_it_expires(
    instance: Instance, clock: VirtualClock
) -> None:
    match_id = await created(instance)
    in_time, late = await invite(instance, match_id), await invite(instance, match_id)
    clock.pass_time(HOUR * SECOND - 1)
    assert not (await accept(instance, match_id, in_time)).repeated
    clock.pass_time(1)
    with pytest.raises(Conflict, match="invitation_expired"):
        await accept(instance, match_id, late)
    _, expired = await instance.invitations.list_all(match_id)
    await instance.invitations.revoke(match_id, expired.made.id, EVE)
    assert [one.state(clock.now()) for one in await instance.invitations.list_all(match_id)] == [
        "accepted",
        "expired",
    ], "what has expired is not revoked"


async def test_the_key_is_shown_again_for_ten_minutes(
    instance: Instance, clock: VirtualClock
) -> None:
    match_id = await created(instance)
    token = await invite(instance, match_id)
    first = await accept(instance, match_id, token)
    clock.pass_time(REPEAT_SECONDS * SECOND - 1)
    assert await accept(instance, match_id, token) == first._replace(repeated=True)
    clock.pass_time(1)
    with pytest.raises(Conflict, match="invitation_accepted"):
        await accept(instance, match_id, token)
    assert instance.keyring.load(first.key) is not None, "it stays valid"


# At the same moment, here and on another instance.


async def test_of_two_people_who_accept_at_once_one_gets_the_seat(
    instance: Instance, rival: Instance
) -> None:
    match_id = await created(instance)
    token = await invite(instance, match_id)
    answers = await asyncio.gather(
        *(
            accept(at, match_id, token, f"{key}-{number}")
            for number in range(3)
            for at, key in ((instance, MINE), (rival, OTHERS))
        ),
        return_exceptions=True,
    )
    (given,) = succeeded(answers)
    assert [key.name for key in instance.keyring.list_valid(match_id)] == ["", "Ann", "Ben", "Ann"]
    assert instance.keyring.load(given.key) == rival.keyring.load(given.key)
    assert len(issued(instance, match_id)) == 2


async def test_one_request_sent_twice_at_once_gets_one_key(
    instance: Instance, rival: Instance
) -> None:
    match_id = await created(instance)
    token = await invite(instance, match_id)
    given = await asyncio.gather(*(accept(at, match_id, token) for at in (instance, rival) * 2))
    assert len({one.key for one in given}) == 1
    assert sorted(one.repeated for one in given) == [False, True, True, True]
    assert len(issued(instance, match_id)) == 2


async def test_a_request_for_an_invitation_sent_twice_at_once_is_shown_one_token(
    instance: Instance, rival: Instance
) -> None:
    """A second one would open nothing."""
    match_id = await created(instance)
    for number in range(5):
        request = KeyedRequest(f"invite {number}", b"1")
        made = await asyncio.gather(
            *(at.invitations.make(match_id, 0, HOUR, EVE, request) for at in (instance, rival))
        )
        assert len({one.made for one in made}) == 1
        (token,) = (one.token for one in made if one.token is not None)
        assert (await accept(rival, match_id, token, f"{MINE}-{number}")).made == made[0].made


async def test_nobody_gets_a_key_by_what_is_revoked_at_the_same_moment(
    instance: Instance, rival: Instance
) -> None:
    match_id = await created(instance)
    token = await invite(instance, match_id)
    (invitation,) = await instance.invitations.list_all(match_id)
    accepted, revoked = await asyncio.gather(
        accept(instance, match_id, token),
        rival.invitations.revoke(match_id, invitation.made.id, EVE),
        return_exceptions=True,
    )
    assert isinstance(accepted, GivenKey) == isinstance(revoked, Conflict)
    assert len(instance.keyring.list_valid(match_id)) == (4 if revoked else 3)


# A crash in between.


async def test_a_repeat_after_a_crash_gets_the_key_that_nobody_was_shown(
    database: Path, clock: VirtualClock, instance: Instance
) -> None:
    match_id = await created(instance)
    token = await invite(instance, match_id)
    watched(instance).before.append(OperationalError("gone away"))
    with pytest.raises(StoreUnavailable):
        await accept(instance, match_id, token)
    assert issued(instance, match_id) == []
    later = Instance(settings(database), clock)
    async with later.running():
        with pytest.raises(Conflict, match="invitation_accepted"):
            await accept(later, match_id, token, OTHERS)
        given = await accept(later, match_id, token)
        assert later.keyring.load(given.key) is not None
        assert len(issued(later, match_id)) == 2


async def test_the_leader_completes_the_record_of_a_key_that_was_given(instance: Instance) -> None:
    match_id = await started(instance)
    token = await invite(instance, match_id)
    watched(instance).before.append(OperationalError("gone away"))
    with pytest.raises(StoreUnavailable):
        await accept(instance, match_id, token)
    for _ in "ab":
        await instance.complete_key_records()
    assert len(issued(instance, match_id)) == 2
