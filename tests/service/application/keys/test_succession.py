"""Another person takes over a seat: the record, the keys of the seat, and what crashes between."""

from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from msgspec.structs import replace

from domain.game import Refused
from domain.match.commands import Act, Conflict, Start
from domain.match.key_events import ModeratorKeyIssued
from domain.people import Actor
from domain.rulings.events import SeatReplaced
from domain.rulings.kinds import ReplaceSeat, RulingPeople
from domain.tournament.state import KeyedRequest
from service.application.keys import match_keys
from service.application.keys.match_keys import MatchKeys
from service.application.matches.creation import NewMatch
from service.application.rulings.rulings import RulingAnswer
from service.auth.keyring import WantedKey
from service.event_store.errors import StoreUnavailable
from service.http.access.grants import viewer_of
from service.http.errors.problems import Failed
from service.instance import Instance
from tests.support.instance.seat_inputs import opened
from tests.support.instance.service_instance import NOT_NOW, on_record, settings
from tests.support.tables.ruling_tables import rule
from tests.support.virtual_clock import VirtualClock

EVE = Actor("Eve", "e0e0e0e0e0e0e0e0")
ZOE = rule("", ReplaceSeat(1, "Zoe"))
ONCE = KeyedRequest("zoe", b"the body")
SINGLE: RulingPeople = "single"


async def seated(instance: Instance) -> tuple[UUID, str]:
    """A match in which one person is enough for a ruling, and the key to its second seat."""
    made = await instance.creation.match(
        NewMatch("dollar-prize", ("Ann", "Ben"), {}, "server", "none", None, rulings=SINGLE)
    )
    return made.id, made.seat_keys[1]


async def replaced(instance: Instance, match_id: UUID, name: str = "Zoe") -> RulingAnswer:
    ruling = rule("", ReplaceSeat(1, name))
    return (await instance.rulings.execute(match_id, ruling, ONCE)).answer


async def opens(instance: Instance, match_id: UUID, key: object) -> bool:
    """Whether the key opens its seat."""
    grant = instance.keyring.load(str(key))
    if grant is None:
        return False
    with suppress(Failed):
        return await viewer_of(instance, grant, match_id) == grant.seat
    return False


async def test_after_a_crash_behind_the_record_the_old_key_opens_nothing_and_the_repeat_shows_one(
    database: Path, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def dies(keys: MatchKeys, match_id: UUID) -> None:
        raise StoreUnavailable

    async with (first := Instance(settings(database), clock)).running():
        match_id, old = await seated(first)
        with monkeypatch.context() as crash:
            crash.setattr(MatchKeys, "end_of_predecessors", dies)
            with pytest.raises(StoreUnavailable):
                await first.rulings.execute(match_id, ZOE, ONCE)
    async with (again := Instance(settings(database), clock)).running():
        assert again.keyring.load(old) is not None, "the ring does not know yet"
        issued = await again.match_keys.issued(match_id)
        valid = await again.match_keys.valid(match_id, issued)
        assert [listed.key.slot for listed in valid] == ["mod", "s0"]
        assert not await opens(again, match_id, old)
        assert again.keyring.load(old) is None, "it was ended when it was used"
        one, two = [await again.rulings.execute(match_id, ZOE, ONCE) for _ in "ab"]
        assert await opens(again, match_id, one.answer.key)
        assert (one.repeated, two.repeated, two.answer.key) == (True, True, None)
        records = on_record(again, match_id)
        assert sum(isinstance(each.event, SeatReplaced) for each in records) == 1


async def test_a_key_that_a_crash_left_off_the_record_is_given_anew(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def dies(keys: MatchKeys, *_: object) -> None:
        raise StoreUnavailable

    match_id, _ = await seated(instance)
    with monkeypatch.context() as crash:
        crash.setattr(MatchKeys, "_record", dies)
        with pytest.raises(StoreUnavailable):
            await replaced(instance, match_id)
    answer = await replaced(instance, match_id)
    assert await opens(instance, match_id, answer.key)
    listed = await instance.match_keys.valid(match_id, await instance.match_keys.issued(match_id))
    assert [each.key.name for each in listed] == ["", "Ann", "Zoe"]


async def test_who_was_replaced_meanwhile_is_shown_no_key_by_a_repeat(instance: Instance) -> None:
    match_id, _ = await seated(instance)
    await replaced(instance, match_id)
    await instance.rulings.execute(match_id, rule("", ReplaceSeat(1, "Yan")))
    assert (await replaced(instance, match_id)).key is None


async def test_a_key_for_who_was_replaced_meanwhile_is_ended_again(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id, _ = await seated(instance)
    await replaced(instance, match_id)
    with monkeypatch.context() as stale:
        stale.setattr(match_keys, "_tenure", lambda *_: 0)
        with pytest.raises(Conflict, match="seat_replaced"):
            await instance.match_keys.issue(match_id, "s1", "Ben", EVE)
    valid = instance.keyring.list_valid(match_id)
    assert [key.name for key in valid if key.slot == "s1"] == ["Zoe"]


async def test_who_is_replaced_while_their_key_is_recorded_is_shown_none(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ruling is on record, and has not ended the keys of the seat yet."""
    match_id, _ = await seated(instance)
    end = MatchKeys.end_of_predecessors

    async def dies(keys: MatchKeys, match_id: UUID) -> None:
        raise StoreUnavailable

    async def overtaken(keys: MatchKeys, match_id: UUID) -> object:
        ended = await end(keys, match_id)
        monkeypatch.setattr(MatchKeys, "end_of_predecessors", dies)
        with pytest.raises(StoreUnavailable):
            await replaced(instance, match_id)
        monkeypatch.setattr(MatchKeys, "end_of_predecessors", end)
        return ended

    monkeypatch.setattr(MatchKeys, "end_of_predecessors", overtaken)
    with pytest.raises(Conflict, match="seat_replaced"):
        await instance.match_keys.issue(match_id, "s1", "Ben", EVE)


async def test_a_moderators_key_in_the_name_of_a_successor_is_ended(instance: Instance) -> None:
    """It was issued next to the service."""
    match_id, _ = await seated(instance)
    await replaced(instance, match_id)
    key = instance.keyring.issue_later(match_id, WantedKey("mod", "ZOE", "0" * 16, EVE))
    await instance.complete_key_records()
    assert key is not None and instance.keyring.load(key) is None
    assert ModeratorKeyIssued not in [type(each.event) for each in on_record(instance, match_id)]


async def test_at_the_same_moment_nobody_gets_a_key_to_play_and_one_to_moderate(
    instance: Instance, rival: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another instance issues the other key between the check and the issue."""
    match_id, _ = await seated(instance)
    real, begun = instance.keyring._rows, list[str | None]()

    def between(streams: Any) -> object:
        if not begun:
            begun.append(rival.keyring.issue_later(match_id, WantedKey("s0", "Zoe", "0" * 16, EVE)))
        return real(streams)

    monkeypatch.setattr(instance.keyring, "_rows", between)
    with pytest.raises(Refused, match="moderator_plays"):
        await instance.match_keys.issue(match_id, "mod", "zoe", EVE)
    assert [key.name for key in instance.keyring.list_valid(match_id)] == ["", "Ann", "Ben", "Zoe"]


# Another instance, which has not read yet that another person has the seat.


async def test_another_instance_opens_the_new_key_and_takes_no_action_by_the_old_one(
    instance: Instance, database: Path, clock: VirtualClock
) -> None:
    match_id, old = await seated(instance)
    await instance.matches.execute(match_id, Start(EVE), 1)
    async with opened(replace(settings(database), shared=True), clock) as another:
        assert await opens(another, match_id, old), "it has the match in memory"
        key = (await replaced(instance, match_id)).key
        sent = Act(1, NOT_NOW, {"type": "end_turn"}, tenure=0)
        with pytest.raises(Conflict, match="seat_replaced"):
            await another.matches.execute(match_id, sent, 1)
        assert not await opens(another, match_id, old)
        assert await opens(another, match_id, key)
