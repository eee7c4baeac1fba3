"""Keys issued to a match and ended: in its ring and on its record, whatever crashes in between."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from eventsourcing.persistence import OperationalError

from domain.events import Event
from domain.game import Refused
from domain.match.events import Directed
from domain.match.key_events import ModeratorKeyIssued, SeatKeyEnded, SeatKeyIssued
from domain.people import Actor
from domain.tournament.staff import GiveMatch
from domain.tournament.state import KeyedRequest
from service.application.idempotency import StoredAnswer
from service.application.keys import tournament_keys
from service.application.keys.match_keys import CHANGES_ON_RECORD, MatchKeys, NewKey
from service.application.matches.creation import NewMatch
from service.auth.keyring import WantedKey, hash_key
from service.event_store.errors import StoreUnavailable
from service.event_store.store_threads import in_store_thread
from service.instance import Instance
from tests.support.instance.service_instance import (
    on_record,
    settings,
    someone_acts,
    started,
    watched,
)
from tests.support.tables.directing import DIRECTED
from tests.support.virtual_clock import VirtualClock

EVE = Actor("Eve", "e0e0e0e0e0e0e0e0")
BY_EVE = Directed("Eve", "e0e0e0e0e0e0e0e0")
ONCE = KeyedRequest("once", b"1")


def events(instance: Instance, match_id: UUID) -> list[Event]:
    """What is on record of keys, and by whom."""
    kinds = (SeatKeyIssued, SeatKeyEnded, ModeratorKeyIssued, Directed)
    found = [one.event for one in on_record(instance, match_id)]
    return [event for event in found if isinstance(event, kinds) and event != DIRECTED]


async def issue(
    instance: Instance, match_id: UUID, slot: str = "s0", request: KeyedRequest | None = ONCE
) -> NewKey:
    return await instance.match_keys.issue(match_id, slot, "Zoe", EVE, request)


async def issue_in_vain(instance: Instance, match_id: UUID) -> None:
    """The ring has the key, and then the store fails: no one is shown the key."""
    watched(instance).before.append(OperationalError("gone away"))
    with pytest.raises(StoreUnavailable):
        await issue(instance, match_id)


async def play_out(instance: Instance, match_id: UUID) -> None:
    while await someone_acts(instance, match_id):
        pass


# A crash in between.


async def test_a_repeat_after_a_crash_shows_another_key_with_the_same_id(
    instance: Instance,
) -> None:
    match_id = await started(instance)
    await issue_in_vain(instance, match_id)
    (lost,) = [key for key in instance.keyring.list_valid(match_id) if key.name == "Zoe"]
    made = await issue(instance, match_id)
    assert (made.id, made.key is None) == (lost.id, False)
    assert [key.id for key in instance.keyring.list_valid(match_id)].count(made.id) == 1
    assert events(instance, match_id) == [SeatKeyIssued(0, made.id), BY_EVE]


@pytest.mark.parametrize("ends", [False, True], ids=["valid", "ended"])
async def test_a_request_that_comes_to_two_instances_is_shown_one_key(
    instance: Instance, other: Instance, monkeypatch: pytest.MonkeyPatch, *, ends: bool
) -> None:
    """The second has found the request and no key, and goes on when the first has answered, and its
    key may have ended by then."""
    match_id = await started(instance)
    await issue_in_vain(instance, match_id)
    check, first = MatchKeys.check_person, list[NewKey]()

    async def overtaken(keys: MatchKeys, match: UUID, slot: str, name: str) -> None:
        monkeypatch.setattr(MatchKeys, "check_person", check)
        first.append(await issue(instance, match_id))
        if ends:
            await instance.match_keys.end(match_id, first[0].id, EVE)
        await check(keys, match, slot, name)

    monkeypatch.setattr(MatchKeys, "check_person", overtaken)
    assert await issue(other, match_id) == NewKey(first[0].id, None)
    valid = [key.id for key in instance.keyring.list_valid(match_id)]
    assert valid.count(first[0].id) == (0 if ends else 1)
    assert (instance.keyring.load(first[0].key or "") is None) == ends


async def test_the_leader_completes_the_record_after_a_crash(instance: Instance) -> None:
    match_id = await started(instance)
    await issue_in_vain(instance, match_id)
    (lost,) = [key for key in instance.keyring.list_valid(match_id) if key.name == "Zoe"]
    for _ in "ab":
        await instance.complete_key_records()
    assert events(instance, match_id) == [SeatKeyIssued(0, lost.id or ""), BY_EVE]
    assert await issue(instance, match_id) == NewKey(lost.id or "", None)


async def test_a_restart_completes_what_a_crash_left(
    database: Path, clock: VirtualClock, instance: Instance
) -> None:
    match_id = await started(instance)
    made = await issue(instance, match_id)
    watched(instance).before.append(OperationalError("gone away"))
    with pytest.raises(StoreUnavailable):
        await instance.match_keys.end(match_id, made.id, EVE)
    later = Instance(settings(database), clock)
    async with later.running():
        await later.complete_key_records()
        assert events(later, match_id)[2:] == [SeatKeyEnded(0, made.id), BY_EVE]


async def test_an_end_that_crashed_is_completed_by_its_repeat(instance: Instance) -> None:
    match_id = await started(instance)
    made = await issue(instance, match_id)
    watched(instance).before.append(OperationalError("gone away"))
    with pytest.raises(StoreUnavailable):
        await instance.match_keys.end(match_id, made.id, EVE)
    assert instance.keyring.load(made.key or "") is None, "it has ended all the same"
    await instance.match_keys.end(match_id, made.id, Actor(None, "another"))
    assert events(instance, match_id)[2:] == [SeatKeyEnded(0, made.id), BY_EVE]


@pytest.mark.parametrize("once", [False, True], ids=["anew", "under the same idempotency key"])
async def test_a_key_that_ended_elsewhere_has_ended_where_that_is_asked_for_again(
    instance: Instance, other: Instance, *, once: bool
) -> None:
    """Before the second passes in which other instances hear of it by themselves."""
    match_id = await started(instance)
    made = await issue(instance, match_id)
    assert other.keyring.load(made.key or "") is not None

    async def length() -> int:
        return 0

    for asked in (instance, other):

        async def end(_: int | None, asked: Instance = asked) -> StoredAnswer:
            await asked.match_keys.end(match_id, made.id, EVE)
            return StoredAnswer(204, {}, b"")

        if once:
            await asked.idempotency.remember(KeyedRequest("end", b"1"), end, (), length)
        else:
            await end(None)
    assert other.keyring.find_cached(made.key or "") is None


async def test_how_far_the_records_are_is_read_anew(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store may have gone back meanwhile, to a backup."""
    match_id, completed = await started(instance), list[UUID]()

    async def complete(match: UUID) -> None:
        completed.append(match)

    instance.keyring.issue_later(match_id, WantedKey("s1", "", "0" * 16, Actor(None, "operator")))
    monkeypatch.setattr(instance.match_keys, "complete", complete)
    for wanted in (1, 2):
        instance.properties.set(CHANGES_ON_RECORD, b"0")
        await instance.complete_key_records()
        assert completed.count(match_id) == wanted


async def test_two_who_complete_a_record_at_once_record_it_once(instance: Instance) -> None:
    match_id = await started(instance)
    await issue_in_vain(instance, match_id)
    await asyncio.gather(*(instance.match_keys.complete(match_id) for _ in range(5)))
    assert len(events(instance, match_id)) == 2


# After the end.


async def test_nobody_is_told_anything_after_the_end(instance: Instance) -> None:
    match_id = await started(instance, "twelve-chips", {"tokens_to_win": 1})
    await play_out(instance, match_id)
    before = on_record(instance, match_id)
    made = await issue(instance, match_id)
    assert made.key is not None and instance.keyring.load(made.key) is not None
    assert await issue(instance, match_id) == NewKey(made.id, None)
    await instance.match_keys.end(match_id, made.id, EVE)
    await instance.complete_key_records()
    assert instance.keyring.load(made.key) is None
    assert on_record(instance, match_id) == before


# No one plays and moderates.


async def test_nobody_who_moderates_gets_a_seats_key_and_the_other_way_round(
    instance: Instance,
) -> None:
    match_id = await started(instance)
    moderator = await instance.match_keys.issue(match_id, "mod", "Mo", EVE)
    await instance.match_keys.issue(match_id, "s1", "Zoe", EVE)
    for slot, name in (("s0", "MO"), ("mod", "zoe")):
        with pytest.raises(Refused, match="moderator_plays"):
            await instance.match_keys.issue(match_id, slot, name, EVE)
    await instance.match_keys.end(match_id, moderator.id, EVE)
    await instance.match_keys.issue(match_id, "s0", "Mo", EVE)


async def test_a_moderator_to_whom_a_tournament_gave_the_match_gets_no_seat(
    instance: Instance, cup: UUID
) -> None:
    made = await instance.creation.match(
        NewMatch("dollar-prize", ("Ann", "Ben"), tournament=str(cup))
    )
    await instance.tournaments.execute(cup, GiveMatch(str(made.id), 0))
    name = (await instance.tournaments.current(cup)).state.moderators[0]
    with pytest.raises(Refused, match="moderator_plays"):
        await instance.match_keys.issue(made.id, "s0", name, EVE)


# Of a tournament.


CUP = UUID(int=1)


async def reissue(instance: Instance) -> NewKey:
    return await instance.tournament_keys.reissue(CUP, "p0", "Zoe", EVE, ONCE)


async def test_a_request_for_a_key_of_a_tournament_is_shown_one_key(
    instance: Instance, other: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second has found the request and no key, and goes on when the first has answered."""
    first = list[NewKey]()

    async def overtaken(do: Callable[..., Any], *arguments: Any) -> Any:
        if do == other.keyring.reissue:
            monkeypatch.setattr(tournament_keys, "in_store_thread", in_store_thread)
            first.append(await reissue(instance))
        return await in_store_thread(do, *arguments)

    monkeypatch.setattr(tournament_keys, "in_store_thread", overtaken)
    assert await reissue(other) == NewKey(first[0].id, None)
    (valid,) = instance.keyring.list_valid(CUP)
    assert valid.hash == hash_key(first[0].key or "")
