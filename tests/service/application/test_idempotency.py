"""Requests that create count once, whatever is lost; a refused request leaves its key free."""

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from eventsourcing.persistence import OperationalError, StoredEvent

from domain.game import Refused
from domain.tournament.commands import PostGarnets
from domain.tournament.events import MatchAdded
from domain.tournament.ledger import purse
from domain.tournament.state import KeyedRequest
from service.application.idempotency import (
    SCOPE,
    IdempotencyStore,
    RequestInFlight,
    RequestRecorded,
    StoredAnswer,
)
from service.application.matches.creation import MatchWithKeys, NewMatch
from service.event_store.errors import StoreUnavailable
from service.event_store.integrity.digests import RecordAltered
from service.event_store.stream_ids import stream_of, time_ordered
from service.instance import Instance
from tests.support.instance.service_instance import recorded, settings, watched
from tests.support.instance.tournament_play import CHIPS, CUP, balances
from tests.support.instants import NOON
from tests.support.virtual_clock import VirtualClock

ONCE, OTHER = KeyedRequest("once", b"1"), KeyedRequest("once", b"2")


async def create(
    instance: Instance,
    request: KeyedRequest | None = ONCE,
    cup: UUID | None = None,
    seats: Sequence[str] = ("Ben", "Ann"),
    **options: Any,
) -> MatchWithKeys:
    tournament = None if cup is None else str(cup)
    return await instance.creation.match(
        NewMatch(CHIPS, tuple(seats), options, tournament=tournament), request
    )


def repeat_of(first: MatchWithKeys) -> MatchWithKeys:
    """The answer to the same request again."""
    return MatchWithKeys(first.id, [], "", first.beginning, repeated=True)


async def count(instance: Instance) -> int:
    """The number of matches."""
    page = await instance.lists.read(lambda index: index.page(limit=50))
    return len(page.matches)


def recorded_topics(instance: Instance, key: str = "once") -> list[str]:
    """What the store has of the request, by stored names."""
    stored = instance.store.keyrings.select_events(stream_of(SCOPE, key))
    return [event.topic for event in stored]


# The same request again.


async def test_a_repeat_is_recognised_by_the_next_instance(
    database: Path, clock: VirtualClock, instance: Instance
) -> None:
    first = await create(instance)
    later = Instance(settings(database), clock)
    async with later.running():
        assert (await create(later)) == repeat_of(first)


@pytest.mark.usefixtures("garnets")
async def test_garnets_are_spent_once(instance: Instance, cup: UUID) -> None:
    """Ben has one garnet, which is spent when the request is repeated."""
    first = await create(instance, ONCE, cup)
    again = await create(instance, ONCE, cup)
    assert (again.id, again.repeated) == (first.id, True)
    assert len(recorded(instance, cup, MatchAdded)) == 1
    assert (await balances(instance, cup)).get(purse(0)) == 3


# While it is in flight.


async def test_the_same_request_is_not_answered_twice_at_once(instance: Instance) -> None:
    store = watched(instance)
    store.block()
    first = asyncio.create_task(create(instance))
    await store.blocked()
    with pytest.raises(RequestInFlight):
        await create(instance)
    with pytest.raises(Refused, match="idempotency_key_reused"):
        await create(instance, OTHER)
    store.open.set()
    assert not (await first).repeated
    assert (await create(instance)).repeated


# A crash in between.


async def interrupted_request(instance: Instance, request: KeyedRequest = ONCE) -> UUID:
    """The request is in the store with the id chosen, and nothing of what it creates."""
    chosen = time_ordered(NOON // 1000)
    catch_up = instance.keyring.refresh
    requests = IdempotencyStore(instance.store.keyrings, instance.clock.now, catch_up)
    event = RequestRecorded(NOON, request.fingerprint, chosen)
    requests._append(request, 1, event)
    return chosen


@pytest.mark.parametrize("prepared", [False, True], ids=["kept", "with keys and seed"])
async def test_an_interrupted_request_continues_under_the_same_id(
    instance: Instance, prepared: bool
) -> None:
    chosen = await interrupted_request(instance)
    if prepared:
        instance.keyring.issue(chosen, ["mod", "s0", "s1"])
        instance.secret_store.create(chosen, 2, "server")
    opened = await create(instance)
    assert (opened.id, opened.repeated) == (chosen, False)
    grant = instance.keyring.load(opened.seat_keys[1])
    assert grant is not None and (grant.match, grant.seat) == (chosen, 1)
    assert (await create(instance)).repeated
    assert len(instance.store.secrets.select_events(chosen)) == 2


async def test_an_interrupted_tournament_continues(instance: Instance) -> None:
    chosen = await interrupted_request(instance)
    made, done = await instance.creation.tournament(CUP, ONCE)
    assert (made, done.repeated, len(done.keys)) == (chosen, False, 4)


async def test_the_request_is_on_disk_before_anything_else(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_first: list[list[str]] = []
    issue = instance.keyring.issue_named

    def watching(ring: UUID, *rest: Any) -> list[str]:
        at_first.append(recorded_topics(instance))
        return issue(ring, *rest)

    monkeypatch.setattr(instance.keyring, "issue_named", watching)
    await create(instance)
    assert at_first == [["request.kept.1"]]


async def test_nothing_is_created_that_cannot_be_stored(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(events: Sequence[StoredEvent]) -> None:
        raise OperationalError("disk full")

    with monkeypatch.context() as failing:
        failing.setattr(instance.store.keyrings, "insert_events", fails)
        with pytest.raises(StoreUnavailable):
            await create(instance)
    assert await count(instance) == 0
    assert not (await create(instance)).repeated


# Rows that were changed behind the service's back.


def changed(instance: Instance, change: Callable[[bytes], bytes]) -> None:
    """Changes the last row of the request."""
    with closing(sqlite3.connect(instance.settings.store["SQLITE_DBNAME"])) as database, database:
        of_request = "originator_id = ? ORDER BY originator_version DESC LIMIT 1"
        ((version, state),) = database.execute(
            f"SELECT originator_version, state FROM stored_keys WHERE {of_request}",  # noqa: S608
            (REQUESTED,),
        ).fetchall()
        database.execute(
            "UPDATE stored_keys SET state = ? WHERE originator_id = ? AND originator_version = ?",
            (change(state), REQUESTED, version),
        )


REQUESTED = stream_of(SCOPE, ONCE.key).hex


SPOILT: dict[str, Callable[[bytes, bytes, bytes, bytes], bytes]] = {
    "nothing": lambda *_: b"",
    "no event": lambda *_: b"\xc1",
    "one bit": lambda state, *_: state[:-1] + b"\x01",
    "the id of another match": lambda state, own, other, _: state.replace(own, other),
    "the row of another request": lambda *given: given[-1],
}


@pytest.mark.parametrize("spoilt", SPOILT)
async def test_a_changed_request_creates_nothing(
    instance: Instance, spoilt: str, logged: StringIO
) -> None:
    """A row is of its request and its place."""
    first, other = await create(instance), await create(instance, KeyedRequest("twice", b"1"))
    own, its = (str(made.id).encode() for made in (first, other))
    row = instance.store.keyrings.select_events(stream_of(SCOPE, "twice"))[0].state
    before = list[bytes]()

    def spoil(state: bytes) -> bytes:
        before.append(state)
        return SPOILT[spoilt](state, own, its, row)

    changed(instance, spoil)
    with pytest.raises(RecordAltered):
        await create(instance)
    assert "record_altered" in logged.getvalue()
    assert await count(instance) == 2
    assert (await create(instance, KeyedRequest("twice", b"1"))).id == other.id
    changed(instance, lambda _: before[0])
    assert (await create(instance)).id == first.id


async def test_a_changed_answer_is_not_given_again(instance: Instance) -> None:
    async def execute(_: int | None) -> StoredAnswer:
        return StoredAnswer(201, {}, b"the body")

    async def length() -> int:
        return 0

    requests = instance.idempotency
    again = partial(requests.remember, ONCE, execute, (), length)
    assert await again() == await again()
    changed(instance, lambda state: state.replace(b"the body", b"another."))
    with pytest.raises(RecordAltered):
        await again()
    earlier = instance.store.keyrings.select_events(stream_of(SCOPE, ONCE.key))[0].state
    changed(instance, lambda _: earlier)
    with pytest.raises(RecordAltered):
        await again()


# Refused requests.


@pytest.mark.usefixtures("garnets")
async def test_garnets_lost_to_another_match_meanwhile_leave_the_key_free(
    instance: Instance, cup: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The player had enough garnets at the check, and has none when the match is created."""
    check = instance.tournaments.check

    async def emptied(tournament: UUID, command: Any) -> None:
        await check(tournament, command)
        await instance.tournaments.execute(cup, PostGarnets(1, -1, "a fine"))

    with monkeypatch.context() as racing:
        racing.setattr(instance.tournaments, "check", emptied)
        with pytest.raises(Refused, match="not_enough_garnets"):
            await create(instance, ONCE, cup)
    assert recorded_topics(instance) == ["request.kept.1", "request.withdrawn.1"]
    with pytest.raises(Refused, match="not_enough_garnets"):
        await create(instance, ONCE, cup)
    await instance.tournaments.execute(cup, PostGarnets(1, 1, "given back"))
    made = await create(instance, OTHER, cup)
    assert (await create(instance, OTHER, cup)) == repeat_of(made)
    with pytest.raises(Refused, match="idempotency_key_reused"):
        await create(instance, ONCE, cup)


@pytest.mark.usefixtures("garnets")
async def test_an_interrupted_request_that_is_now_refused_leaves_the_key_free(
    instance: Instance, cup: UUID
) -> None:
    await interrupted_request(instance)
    with pytest.raises(Refused, match="not_on_roster"):
        await create(instance, ONCE, cup, ("Ann", "Zoe"))
    assert not (await create(instance, OTHER, cup)).repeated


@pytest.mark.usefixtures("garnets")
async def test_a_request_refused_because_another_instance_was_first_gets_the_match(
    instance: Instance, rival: Instance, cup: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both repeats go on with the interrupted request; one of them has spent Ben's only garnet."""
    chosen = await interrupted_request(instance)
    check = rival.tournaments.check
    made: list[MatchWithKeys] = []

    async def conflicting(tournament: UUID, command: Any) -> None:
        await check(tournament, command)
        if not made:
            made.append(await create(instance, ONCE, cup))

    monkeypatch.setattr(rival.tournaments, "check", conflicting)
    repeated = await create(rival, ONCE, cup)
    (first,) = made
    assert repeated == repeat_of(first) and first.id == chosen
    assert recorded_topics(instance) == ["request.kept.1"]


# The streams of requests.


def test_the_stream_of_a_request_never_moves() -> None:
    assert stream_of(SCOPE, "once") == UUID("61f6b31e-033f-f6f3-b344-a5c8a5f40453")
    assert stream_of(SCOPE, "twice") != stream_of("others", "twice")
