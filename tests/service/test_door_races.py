"""Two instances on one store: whoever is second reads again, judges again, and doubles nothing."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from uuid import UUID

import pytest
import pytest_asyncio
from eventsourcing.persistence import IntegrityError

from domain.commands import Conflict, Start
from domain.games.dollar_prize.actions import ChooseSide
from domain.games.dollar_prize.events import SideChosen
from domain.match_events import ActionReceived, MatchEnded, MatchStarted
from service.arbiter import Arbiter
from service.clock import VirtualClock
from service.door.matches import MOST_TRIES
from service.door.pending import Stale
from service.storage.reading import StoreUnavailable
from tests.service.instance import (
    NOT_NOW,
    created,
    on_record,
    seen,
    sends,
    settings,
    started,
    tried,
    watched,
)

HEADS, TAILS = ChooseSide("heads"), ChooseSide("tails")


@pytest_asyncio.fixture
async def rival(arbiter: Arbiter, database: Path, clock: VirtualClock) -> AsyncIterator[Arbiter]:
    """A second instance on the same file."""
    running = Arbiter(settings(database), clock)
    async with running.running():
        yield running


@pytest_asyncio.fixture
async def match_id(arbiter: Arbiter, rival: Arbiter) -> UUID:
    """A running match that both instances have in memory."""
    match_id = await started(arbiter)
    for viewer in (0, 1):
        await rival.open_matches.read(match_id, viewer)
    return match_id


def keys(arbiter: Arbiter, match_id: UUID) -> list[str | None]:
    events = [record.event for record in on_record(arbiter, match_id)]
    return [event.key for event in events if isinstance(event, ActionReceived)]


async def test_who_is_second_is_judged_on_what_the_first_did(
    arbiter: Arbiter, rival: Arbiter, match_id: UUID
) -> None:
    first = await rival.matches.enter(match_id, sends(0, HEADS), 0)
    second = await arbiter.matches.enter(match_id, sends(0, TAILS), 0)

    assert first.verdict.code is None
    assert second.verdict.code == "wrong_phase"
    records = on_record(arbiter, match_id)
    assert [r.event.side for r in records if isinstance(r.event, SideChosen)] == ["heads"]
    assert second.view == seen(records, match_id, "dollar-prize", 0)


async def test_two_instances_start_a_match_once(arbiter: Arbiter, rival: Arbiter) -> None:
    match_id = await created(arbiter)
    await rival.open_matches.read(match_id, "moderator")

    told = await asyncio.gather(
        *(a.matches.enter(match_id, Start(), "moderator") for a in (arbiter, rival)),
        return_exceptions=True,
    )

    assert [type(error) for error in told].count(Conflict) == 1
    kinds = [type(record.event) for record in on_record(arbiter, match_id)]
    assert kinds.count(MatchStarted) == 1


async def test_of_many_sent_to_both_each_is_recorded_once(
    arbiter: Arbiter, rival: Arbiter, match_id: UUID
) -> None:
    sent = [f"request {n}" for n in range(40)]
    told = await asyncio.gather(
        *(
            (arbiter, rival)[n % 2].matches.enter(match_id, sends(0, NOT_NOW, key), 0)
            for n, key in enumerate(sent)
        ),
        return_exceptions=True,
    )

    acknowledged = [
        key
        for key, answer in zip(sent, told, strict=True)
        if not isinstance(answer, StoreUnavailable)
    ]
    assert sorted(map(str, keys(arbiter, match_id))) == sorted(acknowledged)
    assert len(acknowledged) >= 20


async def test_a_request_answered_elsewhere_is_not_recorded_again(
    arbiter: Arbiter, rival: Arbiter, match_id: UUID
) -> None:
    first = await rival.matches.enter(match_id, sends(0, HEADS, "one"), 0)
    again = await arbiter.matches.enter(match_id, sends(0, HEADS, "one"), 0)

    assert again.verdict.replayed
    assert (again.seq, again.view, again.view_seq) == (first.seq, first.view, first.view_seq)
    assert keys(arbiter, match_id) == ["one"]


async def test_a_view_that_is_stale_by_a_lost_race_is_told_so(
    arbiter: Arbiter, rival: Arbiter, match_id: UUID
) -> None:
    seq, _ = await arbiter.open_matches.view(match_id, 0, None)
    await rival.matches.enter(match_id, sends(0, HEADS), 0)
    with pytest.raises(Stale):
        await arbiter.matches.enter(match_id, sends(0, TAILS), 0, frozenset({seq}))
    assert keys(arbiter, match_id) == [None]


async def test_a_match_played_on_both_in_turns_ends_once_and_whole(
    arbiter: Arbiter, rival: Arbiter
) -> None:
    """Each instance acts on what it last read; where that was too old, it is refused."""
    match_id = await started(arbiter, "twelve-chips", {"tokens_to_win": 1})
    playing = 2
    while playing:
        with suppress(Conflict):  # It is over, which only the other instance knew.
            told = [await tried(instance, match_id) for instance in (arbiter, rival)]
            playing = sum(answer is not None for answer in told)

    records = on_record(arbiter, match_id)
    assert [type(record.event) for record in records].count(MatchEnded) == 1
    for instance in (arbiter, rival):
        view = await instance.open_matches.view(match_id, "moderator", None)
        assert view[1] == seen(records, match_id, "twelve-chips", "moderator")


async def test_who_loses_every_race_is_told_to_come_back(arbiter: Arbiter) -> None:
    match_id, other = await started(arbiter), await started(arbiter)
    before = on_record(arbiter, match_id)
    store = watched(arbiter)
    store.before.extend(IntegrityError("always another") for _ in range(MOST_TRIES + 1))

    with pytest.raises(StoreUnavailable):
        await arbiter.matches.enter(match_id, sends(0, HEADS), 0)

    assert not store.before
    assert on_record(arbiter, match_id) == before
    for there in (match_id, other):
        assert (await arbiter.matches.enter(there, sends(0, HEADS), 0)).verdict.code is None


async def test_who_lost_a_race_does_not_make_others_lose(arbiter: Arbiter, rival: Arbiter) -> None:
    """One of ten matches in a transaction was changed elsewhere: all ten are recorded."""
    matches = [await started(arbiter) for _ in range(10)]
    await rival.matches.enter(matches[4], sends(1, NOT_NOW), 1)

    answers = await asyncio.gather(
        *(arbiter.matches.enter(match_id, sends(0, HEADS), 0) for match_id in matches)
    )

    assert [answer.verdict.code for answer in answers] == [None] * 10
    for match_id in matches:
        kinds = [type(record.event) for record in on_record(arbiter, match_id)]
        assert kinds.count(SideChosen) == 1
