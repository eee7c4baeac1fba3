"""Several instances on one store: whatever one has acknowledged, every other knows."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from threading import Event as ThreadEvent
from uuid import UUID

import pytest
import pytest_asyncio
from msgspec.structs import replace

from domain.commands import Conflict, Start
from domain.events import Record
from domain.games.dollar_prize.actions import ChooseSide
from domain.match_events import MatchCreated, MatchPaused, SeedCommitted
from domain.tournament import EnterPlayer
from projections.disclosure import Viewer
from service.arbiter import Arbiter
from service.clock import VirtualClock
from service.door.open_match import KEPT
from service.door.pending import AlreadyThere, Create, Stale
from service.storage.store import Length, Row, rows
from tests.service.instance import (
    NOT_NOW,
    PATIENCE,
    WatchedStore,
    created,
    on_record,
    seen,
    sends,
    settings,
    someone_acts,
    started,
    watched,
)

HEADS, TAILS = ChooseSide("heads"), ChooseSide("tails")
VIEWERS: tuple[Viewer, ...] = (0, 1, "public", "moderator")


@pytest_asyncio.fixture
async def other(arbiter: Arbiter, database: Path, clock: VirtualClock) -> AsyncIterator[Arbiter]:
    """A second instance, which knows that it is not alone."""
    running = Arbiter(replace(settings(database), shared=True), clock)
    assert isinstance(running.store, WatchedStore)
    async with running.running():
        yield running


async def known_to(other: Arbiter, match_id: UUID) -> None:
    """The other instance has the match in memory, as it stands now."""
    for viewer in VIEWERS:
        await other.open_matches.read(match_id, viewer)


async def test_every_reader_sees_what_was_acknowledged_elsewhere(
    arbiter: Arbiter, other: Arbiter
) -> None:
    match_id = await started(arbiter, "twelve-chips", {"tokens_to_win": 1})
    await known_to(other, match_id)
    while await someone_acts(arbiter, match_id):
        records = on_record(arbiter, match_id)
        for viewer in VIEWERS:
            seq, view = await other.open_matches.view(match_id, viewer, None)
            assert view == seen(records, match_id, "twelve-chips", viewer)
            lines, _ = await other.open_matches.lines(match_id, viewer, 0, 1_000)
            assert len(lines) == seq
    opened = await other.open_matches.opened(match_id)
    assert opened.match is not None and opened.match.status == "ended"
    assert opened.length == len(on_record(arbiter, match_id))


async def test_what_was_followed_is_what_a_fresh_reading_gives(
    arbiter: Arbiter, other: Arbiter
) -> None:
    match_id = await started(arbiter)
    await known_to(other, match_id)
    for n, action in enumerate((HEADS, NOT_NOW, TAILS)):
        await arbiter.matches.enter(match_id, sends(0, action, f"key {n}"), 0)
        await other.open_matches.opened(match_id)
    followed = await other.open_matches.opened(match_id)
    answered = [followed.answered(0, f"key {n}") for n in range(4)]
    told = (followed.match, followed.drawn, followed.length, followed.at)
    followed.forget()
    fresh = await other.open_matches.opened(match_id)
    assert (fresh.match, fresh.drawn, fresh.length, fresh.at) == told
    assert [fresh.answered(0, f"key {n}") for n in range(4)] == answered
    assert answered[1] is not None and answered[1].refused and answered[3] is None


async def test_nobody_is_told_that_a_match_has_not_started_which_has(
    arbiter: Arbiter, other: Arbiter
) -> None:
    """A conflict leaves no record by which it could be seen that it was decided too late."""
    match_id = await created(arbiter)
    await known_to(other, match_id)
    await arbiter.matches.enter(match_id, Start(), "moderator")
    answer = await other.matches.enter(match_id, sends(0, HEADS), 0)
    assert answer.verdict.code is None


async def test_alone_an_instance_would_be_wrong(arbiter: Arbiter, rival: Arbiter) -> None:
    """The control: this one believes that it is the only one."""
    match_id = await created(arbiter)
    await rival.open_matches.read(match_id, 0)
    await arbiter.matches.enter(match_id, Start(), "moderator")
    with pytest.raises(Conflict):
        await rival.matches.enter(match_id, sends(0, HEADS), 0)


async def test_a_conflict_that_is_true_is_told(arbiter: Arbiter, other: Arbiter) -> None:
    match_id = await created(arbiter)
    await known_to(other, match_id)
    with pytest.raises(Conflict):
        await other.matches.enter(match_id, sends(0, HEADS), 0)
    assert watched(other).appended[-1] == 0


async def test_the_latest_view_is_not_stale_because_it_is_news_here(
    arbiter: Arbiter, other: Arbiter
) -> None:
    match_id = await started(arbiter)
    await known_to(other, match_id)
    first = await arbiter.matches.enter(match_id, sends(0, HEADS), 0)
    latest = frozenset({first.view_seq})
    await other.matches.enter(match_id, sends(0, NOT_NOW), 0, latest)
    with pytest.raises(Stale):
        await arbiter.matches.enter(match_id, sends(0, NOT_NOW), 0, latest)


async def test_a_repeat_is_answered_alike_everywhere(arbiter: Arbiter, other: Arbiter) -> None:
    match_id = await started(arbiter)
    await known_to(other, match_id)
    first = await arbiter.matches.enter(match_id, sends(0, HEADS, "one"), 0)
    again = await other.matches.enter(match_id, sends(0, HEADS, "one"), 0)
    assert again.verdict.replayed
    assert (again.seq, again.view) == (first.seq, first.view)


async def test_what_is_read_while_it_is_being_taken_in_counts_once(
    arbiter: Arbiter, other: Arbiter
) -> None:
    """A look may find in the store what has just been committed here and is not in memory yet."""
    match_id = await started(arbiter)
    await known_to(other, match_id)
    for _ in range(20):
        acts = [other.matches.enter(match_id, sends(0, NOT_NOW), 0)]
        looks = [other.open_matches.read(match_id, viewer) for viewer in VIEWERS]
        await asyncio.gather(*acts, *looks)
    opened = await other.open_matches.opened(match_id)
    records = on_record(arbiter, match_id)
    assert list(opened.tail) == records[opened.tail_start :]
    for viewer in VIEWERS:
        _, view = await other.open_matches.view(match_id, viewer, None)
        assert view == seen(records, match_id, "dollar-prize", viewer)


async def test_what_was_read_before_its_commit_was_heard_of_counts_once(
    arbiter: Arbiter, other: Arbiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = await started(arbiter)
    await known_to(other, match_id)
    committed, heard_of = ThreadEvent(), ThreadEvent()
    append = other.store.append

    def slow(rows: Sequence[Row], unchanged: Sequence[Length] = ()) -> None:
        append(rows, unchanged)
        committed.set()
        assert heard_of.wait(PATIENCE)

    monkeypatch.setattr(other.store, "append", slow)
    acting = asyncio.create_task(other.matches.enter(match_id, sends(0, HEADS), 0))
    assert await asyncio.to_thread(committed.wait, PATIENCE)
    seq, _ = await other.open_matches.view(match_id, 0, None)
    heard_of.set()
    answer = await acting
    assert (answer.view_seq, answer.view) == await other.open_matches.view(match_id, 0, None)
    assert answer.view_seq == seq
    opened = await other.open_matches.opened(match_id)
    assert list(opened.tail) == on_record(arbiter, match_id)


async def test_many_who_look_at_once_share_their_looks(
    arbiter: Arbiter, other: Arbiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = await started(arbiter)
    await known_to(other, match_id)
    looks = 0
    states = other.store.states

    def counted(match: UUID, after: int = 0, upto: int | None = None) -> list[bytes]:
        nonlocal looks
        looks += 1
        return states(match, after, upto)

    monkeypatch.setattr(other.store, "states", counted)
    await asyncio.gather(*(other.open_matches.read(match_id, "public") for _ in range(500)))
    assert 1 <= looks <= 2


async def test_a_look_that_finds_very_much_reads_the_match_again(
    arbiter: Arbiter, other: Arbiter
) -> None:
    match_id = await started(arbiter)
    await known_to(other, match_id)
    for _ in range(KEPT // 2):
        await arbiter.matches.enter(match_id, sends(0, NOT_NOW), 0)
    opened = await other.open_matches.opened(match_id)
    assert opened.length == len(on_record(arbiter, match_id)) > KEPT
    assert len(opened.tail) <= 2 * KEPT


async def test_a_new_seed_is_read_where_it_lies(
    arbiter: Arbiter, other: Arbiter, clock: VirtualClock
) -> None:
    """A match whose epoch another instance has begun is read again, with its secrets."""
    match_id = await started(arbiter)
    await known_to(other, match_id)
    records = on_record(arbiter, match_id)
    first = next(r.event for r in records if isinstance(r.event, SeedCommitted))
    begun = [Record(clock.now(), MatchPaused()), Record(clock.now(), replace(first, epoch=1))]
    arbiter.store.append(rows(match_id, len(records), begun))
    opened = await other.open_matches.opened(match_id)
    assert opened.length == len(records) + 2
    assert opened.match is not None and opened.match.epoch is not None
    assert opened.match.epoch.committed.epoch == 1


async def test_a_tournament_is_the_same_everywhere(
    arbiter: Arbiter, other: Arbiter, cup: UUID
) -> None:
    await other.tournaments.opened(cup)
    await arbiter.tournaments.enter(cup, EnterPlayer("Di", 2))
    there = await other.tournaments.opened(cup)
    here = await arbiter.tournaments.opened(cup)
    assert (there.state, there.length) == (here.state, here.length)
    assert there.posted(None) == here.posted(None) == 3
    assert await other.lists.tournament(cup) == await arbiter.lists.tournament(cup)


async def test_what_is_created_under_an_id_that_is_taken_is_there_already(
    arbiter: Arbiter, other: Arbiter
) -> None:
    match_id = await created(arbiter)
    first = on_record(arbiter, match_id)[0].event
    assert isinstance(first, MatchCreated)
    create = Create(first, other.dealer.hidden(match_id))
    with pytest.raises(AlreadyThere):
        await other.matches.enter(match_id, create, "public")
