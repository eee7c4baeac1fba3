"""Requests that create: each counts once, whatever is lost, and a refused one leaves its key."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from eventsourcing.persistence import OperationalError, StoredEvent
from hypothesis import given
from hypothesis import strategies as st

from domain.game import Refused
from domain.ledger import HOUSE, purse
from domain.match_events import MatchCreated
from domain.tournament import PostGarnets
from domain.tournament_events import MatchAdded
from domain.tournament_state import Request
from service.access.keys import ORGANISERS, REVOCATIONS
from service.arbiter import Arbiter
from service.clock import VirtualClock
from service.creation import Opened, uuid7
from service.door.requests import SCOPE, RequestInFlight, RequestKept, Requests, stream_of
from service.door.tournaments import UnknownTournament
from service.storage.reading import StoreUnavailable
from tests.clock import NOON
from tests.service.cups import CHIPS, CUP, balances, recorded
from tests.service.instance import on_record, settings, watched

ONCE, OTHER = Request("once", b"1"), Request("once", b"2")


async def create(
    arbiter: Arbiter,
    request: Request | None = ONCE,
    cup: UUID | None = None,
    seats: Sequence[str] = ("Ben", "Ann"),
    **options: Any,
) -> Opened:
    return await arbiter.creation.match(
        CHIPS, tuple(seats), options, "server", "none", None, cup, request
    )


async def count(arbiter: Arbiter) -> int:
    """How many matches there are."""
    page = await arbiter.lists.matches(
        after=None, limit=50, game=None, status=None, tournament=None
    )
    return len(page.matches)


def lying(arbiter: Arbiter, key: str = "once") -> list[str]:
    """What the store keeps of the request, by stored names."""
    stored = arbiter.store.keyrings.select_events(stream_of(SCOPE, key))
    return [event.topic for event in stored]


# The same request again.


async def test_a_repeat_creates_nothing_and_shows_no_keys(arbiter: Arbiter) -> None:
    first = await create(arbiter)
    again = await create(arbiter)
    assert (again.id, again.repeated) == (first.id, True)
    assert (again.seat_keys, again.moderator_key) == ([], "")
    assert await count(arbiter) == 1
    assert len(arbiter.keyring.issued(first.id)) == 3


async def test_without_a_key_or_with_another_it_is_another_match(arbiter: Arbiter) -> None:
    made = [await create(arbiter, r) for r in (None, None, ONCE, Request("twice", b"1"))]
    assert len({opened.id for opened in made}) == 4
    assert not any(opened.repeated for opened in made)


async def test_a_repeat_is_known_to_the_next_instance(
    database: Path, clock: VirtualClock, arbiter: Arbiter
) -> None:
    first = await create(arbiter)
    later = Arbiter(settings(database), clock)
    async with later.running():
        assert (await create(later)) == Opened(first.id, [], "", repeated=True)


async def test_a_request_whose_answer_was_lost_counts_once(arbiter: Arbiter) -> None:
    """It is on disk, but nobody was told; the sender asks again."""
    watched(arbiter).after.append(OperationalError("gone away"))
    with pytest.raises(StoreUnavailable):
        await create(arbiter)
    assert (await create(arbiter)).repeated
    assert await count(arbiter) == 1


@pytest.mark.usefixtures("garnets")
async def test_garnets_are_taken_once(arbiter: Arbiter, cup: UUID) -> None:
    """Ben has one, which is gone when the request is repeated."""
    first = await create(arbiter, ONCE, cup)
    again = await create(arbiter, ONCE, cup)
    assert (again.id, again.repeated) == (first.id, True)
    assert len(recorded(arbiter, cup, MatchAdded)) == 1
    assert (await balances(arbiter, cup)).get(purse(0)) == 3


async def test_another_body_under_the_same_key_is_refused(arbiter: Arbiter) -> None:
    await create(arbiter)
    with pytest.raises(Refused, match="idempotency_key_reused"):
        await create(arbiter, OTHER)
    with pytest.raises(Refused, match="idempotency_key_reused"):
        await arbiter.creation.tournament(CUP, OTHER)
    assert await count(arbiter) == 1


async def test_a_tournament_is_created_once(arbiter: Arbiter) -> None:
    made, first = await arbiter.creation.tournament(CUP, ONCE)
    again, done = await arbiter.creation.tournament(CUP, ONCE)
    assert (again, done.repeated, list(done.keys)) == (made, True, [])
    assert (len(first.keys), first.repeated) == (4, False)
    assert len((await arbiter.lists.tournaments(after=None, limit=5)).tournaments) == 1
    assert await balances(arbiter, made) == {HOUSE: -6, purse(0): 5, purse(1): 1}


# While it is under way.


async def test_the_same_request_is_not_answered_twice_at_once(arbiter: Arbiter) -> None:
    store = watched(arbiter)
    store.hold()
    first = asyncio.create_task(create(arbiter))
    await store.held()
    with pytest.raises(RequestInFlight):
        await create(arbiter)
    with pytest.raises(Refused, match="idempotency_key_reused"):
        await create(arbiter, OTHER)
    store.open.set()
    assert not (await first).repeated
    assert (await create(arbiter)).repeated


async def test_of_many_at_once_one_creates(arbiter: Arbiter) -> None:
    told = await asyncio.gather(*(create(arbiter) for _ in range(10)), return_exceptions=True)
    assert [type(answer) for answer in told].count(Opened) == 1
    assert [type(answer) for answer in told].count(RequestInFlight) == 9
    assert await count(arbiter) == 1


async def test_two_instances_create_one_match(arbiter: Arbiter, rival: Arbiter) -> None:
    told = await asyncio.gather(create(arbiter), create(rival), return_exceptions=True)
    made = {answer.id for answer in told if isinstance(answer, Opened)}
    others = [answer for answer in told if not isinstance(answer, Opened)]
    assert len(made) == 1
    assert all(isinstance(answer, StoreUnavailable) for answer in others)
    assert {(await create(one)).id for one in (arbiter, rival)} == made
    assert await count(arbiter) == 1


async def test_a_sender_who_goes_away_has_created_one_match(arbiter: Arbiter) -> None:
    """The request is let go in the middle; its repeat comes while the match is being recorded."""
    store = watched(arbiter)
    store.hold()
    first = asyncio.create_task(create(arbiter))
    await store.held()
    first.cancel()
    again = asyncio.create_task(create(arbiter))
    await asyncio.sleep(0.05)
    store.open.set()
    made = await again
    assert await count(arbiter) == 1
    created = [r for r in on_record(arbiter, made.id) if isinstance(r.event, MatchCreated)]
    assert len(created) == 1


# A crash in between.


async def kept(arbiter: Arbiter, request: Request = ONCE) -> UUID:
    """The request is in the store, and nothing of what it creates: the id that was chosen."""
    chosen = uuid7(NOON // 1000)
    requests = Requests(arbiter.store.keyrings, arbiter.clock.now)
    event = RequestKept(NOON, request.fingerprint, chosen)
    requests._append(stream_of(SCOPE, request.key), 1, event)
    return chosen


@pytest.mark.parametrize("prepared", [False, True], ids=["kept", "with keys and seed"])
async def test_what_was_broken_off_goes_on_under_the_same_id(
    arbiter: Arbiter, prepared: bool
) -> None:
    chosen = await kept(arbiter)
    if prepared:
        arbiter.keyring.issue(chosen, ["mod", "s0", "s1"])
        arbiter.dealer.keep(chosen, 2, "server")
    opened = await create(arbiter)
    assert (opened.id, opened.repeated) == (chosen, False)
    grant = arbiter.keyring.learn(opened.seat_keys[1])
    assert grant is not None and (grant.match, grant.seat) == (chosen, 1)
    assert (await create(arbiter)).repeated
    assert len(arbiter.store.secrets.select_events(chosen)) == 2


async def test_a_tournament_that_was_broken_off_goes_on(arbiter: Arbiter) -> None:
    chosen = await kept(arbiter)
    made, done = await arbiter.creation.tournament(CUP, ONCE)
    assert (made, done.repeated, len(done.keys)) == (chosen, False, 4)


async def test_another_body_does_not_take_over_what_was_broken_off(arbiter: Arbiter) -> None:
    await kept(arbiter)
    with pytest.raises(Refused, match="idempotency_key_reused"):
        await create(arbiter, OTHER)


async def test_the_request_is_on_disk_before_anything_else(
    arbiter: Arbiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_first: list[list[str]] = []
    issue = arbiter.keyring.issue

    def watching(ring: UUID, *rest: Any) -> list[str]:
        at_first.append(lying(arbiter))
        return issue(ring, *rest)

    monkeypatch.setattr(arbiter.keyring, "issue", watching)
    await create(arbiter)
    assert at_first == [["request.kept.1"]]


async def test_nothing_is_created_that_cannot_be_kept(
    arbiter: Arbiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(events: Sequence[StoredEvent]) -> None:
        raise OperationalError("disk full")

    with monkeypatch.context() as failing:
        failing.setattr(arbiter.store.keyrings, "insert_events", fails)
        with pytest.raises(StoreUnavailable):
            await create(arbiter)
    assert await count(arbiter) == 0
    assert not (await create(arbiter)).repeated


# What is refused.


async def test_a_refused_request_leaves_its_key_for_another(arbiter: Arbiter) -> None:
    for _ in range(2):
        with pytest.raises(Refused, match="options_not_allowed"):
            await create(arbiter, ONCE, tokens_to_win=0)
    with pytest.raises(UnknownTournament):
        await create(arbiter, ONCE, UUID(int=7))
    assert lying(arbiter) == []
    assert not (await create(arbiter, OTHER)).repeated


@pytest.mark.usefixtures("garnets")
async def test_garnets_lost_to_another_match_meanwhile_leave_the_key_free(
    arbiter: Arbiter, cup: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The purse was full enough when it was looked at, and is empty when the match is created."""
    check = arbiter.tournaments.check

    async def emptied(tournament: UUID, command: Any) -> None:
        await check(tournament, command)
        await arbiter.tournaments.enter(cup, PostGarnets(1, -1, "a fine"))

    with monkeypatch.context() as racing:
        racing.setattr(arbiter.tournaments, "check", emptied)
        with pytest.raises(Refused, match="not_enough_garnets"):
            await create(arbiter, ONCE, cup)
    assert lying(arbiter) == ["request.kept.1", "request.withdrawn.1"]
    with pytest.raises(Refused, match="not_enough_garnets"):
        await create(arbiter, ONCE, cup)
    await arbiter.tournaments.enter(cup, PostGarnets(1, 1, "given back"))
    made = await create(arbiter, OTHER, cup)
    assert (await create(arbiter, OTHER, cup)) == Opened(made.id, [], "", repeated=True)
    with pytest.raises(Refused, match="idempotency_key_reused"):
        await create(arbiter, ONCE, cup)


@pytest.mark.usefixtures("garnets")
async def test_what_was_broken_off_and_is_now_refused_leaves_the_key_free(
    arbiter: Arbiter, cup: UUID
) -> None:
    await kept(arbiter)
    with pytest.raises(Refused, match="not_on_roster"):
        await create(arbiter, ONCE, cup, ("Ann", "Zoe"))
    assert not (await create(arbiter, OTHER, cup)).repeated


@pytest.mark.usefixtures("garnets")
async def test_who_is_refused_because_another_instance_was_first_is_told_of_the_match(
    arbiter: Arbiter, rival: Arbiter, cup: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both go on with what was broken off; one of them has taken Ben's only garnet."""
    chosen = await kept(arbiter)
    check = rival.tournaments.check
    made: list[Opened] = []

    async def overtaken(tournament: UUID, command: Any) -> None:
        await check(tournament, command)
        if not made:
            made.append(await create(arbiter, ONCE, cup))

    monkeypatch.setattr(rival.tournaments, "check", overtaken)
    assert await create(rival, ONCE, cup) == Opened(chosen, [], "", repeated=True)
    assert [opened.id for opened in made] == [chosen]
    assert lying(arbiter) == ["request.kept.1"]


# Where requests lie.


@given(st.text(), st.text())
def test_a_request_meets_no_ring(scope: str, key: str) -> None:
    stream = stream_of(scope, key)
    assert stream.version == 8
    assert stream not in (ORGANISERS, REVOCATIONS)
    assert uuid7(NOON // 1000).version == 7
    assert stream.int & 1 == 1 and not (ORGANISERS.int | REVOCATIONS.int) & 1


def test_the_stream_of_a_request_stays_where_it_is() -> None:
    assert stream_of(SCOPE, "once") == UUID("21a9044c-08bd-83b3-8209-85aba96d3d1f")
    assert stream_of(SCOPE, "twice") != stream_of("others", "twice")


async def test_no_key_is_found_among_requests(arbiter: Arbiter) -> None:
    await create(arbiter)
    ring = stream_of(SCOPE, "once")
    for slot in ("mod", "s0", "p0"):
        assert arbiter.keyring.learn(f"arb_{slot}_{ring.hex}_{'0' * 64}") is None
