"""The notary: the log of every match is signed when it is over, and never two that disagree."""

import asyncio
import sqlite3
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from uuid import UUID

import pytest
import pytest_asyncio
from eventsourcing.persistence import OperationalError

from domain.commands import ClosePhase, Conflict, Start
from domain.encoding import decode, encode
from domain.events import Record
from projections.disclosure import MODERATOR
from service.arbiter import Arbiter
from service.clock import VirtualClock
from service.proof import notary
from service.proof.notary import Notary, RecordAltered, Signed
from service.storage.store import beside
from tests.clock import SECOND
from tests.service.cups import CUP, added, settled, until
from tests.service.edits import Stream, editing
from tests.service.instance import PATIENCE, settings, someone_acts, started
from tests.service.signatures import (
    TellingStore,
    check_one_tree,
    recorded,
    signed_at_end,
    telling,
    whole,
)

SHORT = {"tokens_to_win": 1}


@pytest_asyncio.fixture
async def arbiter(
    database: Path, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Arbiter]:
    """An instance that runs; its store, and every other one from now on, is a `TellingStore`."""
    monkeypatch.setattr("service.arbiter.Store", TellingStore)
    running = Arbiter(settings(database), clock)
    async with running.running():
        yield running


async def played(arbiter: Arbiter, game: str = "twelve-chips") -> UUID:
    """A match that has just come to its end."""
    match = await started(arbiter, game, SHORT if game == "twelve-chips" else {})
    while await someone_acts(arbiter, match):
        pass
    return match


# At the end, without anybody asking.


async def closed(arbiter: Arbiter, game: str, names: tuple[str, ...]) -> UUID:
    """A match whose moderator closes every phase, to its end."""
    made = await arbiter.creation.match(game, names, {}, "server", "none", None)
    await arbiter.matches.enter(made.id, Start(), MODERATOR)
    with suppress(Conflict):
        while True:
            await arbiter.matches.enter(made.id, ClosePhase(), MODERATOR)
    return made.id


async def camp(arbiter: Arbiter, _: VirtualClock) -> UUID:
    return await closed(arbiter, "together", ("Ann", "Ben", "Cy", "Di"))


async def tiles(arbiter: Arbiter, _: VirtualClock) -> UUID:
    return await closed(arbiter, "grouping-bw", ("Ann", "Ben"))


async def run_out_of_time(arbiter: Arbiter, clock: VirtualClock) -> UUID:
    options = {**SHORT, "turn_seconds": 1}
    match = await started(arbiter, "twelve-chips", options, clock="rules")
    clock.pass_time(3_600 * SECOND)
    return match


async def played_in_a_tournament(arbiter: Arbiter, _: VirtualClock) -> UUID:
    cup, _ids = await arbiter.creation.tournament(CUP)
    match = await added(arbiter, cup)
    await arbiter.matches.enter(match, Start(), MODERATOR)
    while await someone_acts(arbiter, match):
        pass
    await settled(arbiter, cup)
    return match


async def dollars(arbiter: Arbiter, _: VirtualClock) -> UUID:
    return await played(arbiter, "dollar-prize")


async def chips(arbiter: Arbiter, _: VirtualClock) -> UUID:
    return await played(arbiter)


@pytest.mark.parametrize(
    "play",
    [dollars, chips, camp, tiles, run_out_of_time, played_in_a_tournament],
    ids=lambda play: play.__name__,
)
async def test_the_whole_log_is_signed_when_a_match_is_over(
    arbiter: Arbiter,
    clock: VirtualClock,
    play: "Callable[[Arbiter, VirtualClock], asyncio.Future[UUID]]",
) -> None:
    match = await play(arbiter, clock)
    await signed_at_end(arbiter, match)
    expected = whole(arbiter, match)
    assert recorded(arbiter, match) == [expected] and expected.over
    await arbiter.notary.checkpoint(match)
    assert recorded(arbiter, match) == [expected]


async def test_a_match_that_is_not_over_is_not_signed_unless_somebody_asks(
    arbiter: Arbiter,
) -> None:
    running = await started(arbiter)
    await someone_acts(arbiter, running)
    await signed_at_end(arbiter, await played(arbiter))
    assert recorded(arbiter, running) == []
    await arbiter.notary.checkpoint(running)
    assert recorded(arbiter, running) == [whole(arbiter, running)]
    assert not whole(arbiter, running).over


async def test_after_a_crash_what_was_over_by_then_is_signed(
    database: Path, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was committed, and the service was gone before the notary heard of it."""

    async def dies(_: Notary, __: UUID) -> bool:
        raise asyncio.CancelledError

    monkeypatch.setattr("service.arbiter.Store", TellingStore)
    with monkeypatch.context() as crash:
        crash.setattr(Notary, "_sign_at_end", dies)
        first = Arbiter(settings(database), clock)
        async with first.running():
            matches = [await played(first), await played(first, "dollar-prize")]
            running = await started(first)
            assert [recorded(first, match) for match in matches] == [[], []]
    for _ in range(3):
        again = Arbiter(settings(database), clock)
        async with again.running():
            for match in matches:
                await signed_at_end(again, match)
                assert recorded(again, match) == [whole(again, match)]
            assert recorded(again, running) == []


@pytest.mark.parametrize("when", ["unsigned", "signed"])
async def test_a_signature_that_cannot_be_recorded_is_tried_again(
    arbiter: Arbiter, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    """Whether or not what failed is on disk: it is there once."""
    monkeypatch.setattr(notary, "RETRY_SECONDS", 0.01)
    failures: deque[Exception] = getattr(telling(arbiter), when)
    failures.extend([OperationalError("disk full")] * 3)
    match = await played(arbiter)
    await signed_at_end(arbiter, match)
    other = await played(arbiter)
    await signed_at_end(arbiter, other)
    assert not arbiter.broken.is_set()
    for one in (match, other):
        assert recorded(arbiter, one) == [whole(arbiter, one)]


async def test_a_list_that_cannot_be_read_is_read_again(
    arbiter: Arbiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notary, "RETRY_SECONDS", 0.01)
    unsigned, failures = arbiter.index.unsigned, [sqlite3.OperationalError("database is locked")]

    def fails_once() -> list[UUID]:
        if failures:
            raise failures.pop()
        return unsigned()

    monkeypatch.setattr(arbiter.index, "unsigned", fails_once)
    match = await played(arbiter)
    await until(lambda: arbiter.broken.is_set() or recorded(arbiter, match) != [])
    assert not arbiter.broken.is_set()


# Requests at the same time.


async def test_requests_at_the_same_time_sign_one_tree(arbiter: Arbiter) -> None:
    """While the match goes on to its end."""
    match = await started(arbiter, "twelve-chips", SHORT)
    asked: list[asyncio.Task[Signed]] = []
    while await someone_acts(arbiter, match):
        asked += [asyncio.create_task(arbiter.notary.checkpoint(match)) for _ in range(3)]
        if len(asked) % 9 == 0:
            await asked[-1]
    await signed_at_end(arbiter, match)
    notes = await asyncio.gather(*asked)
    assert len({signed.checkpoint.size for signed in notes}) > 2
    assert [one.over for one in recorded(arbiter, match)][-2:] == [False, True]
    check_one_tree(arbiter, match, notes)


async def test_two_instances_record_one_signature(arbiter: Arbiter, rival: Arbiter) -> None:
    match = await started(arbiter)
    for _ in range(5):
        await someone_acts(arbiter, match)
        both = [one.notary.checkpoint(match) for one in (arbiter, rival) * 3]
        notes = await asyncio.gather(*both)
        assert len({signed.note for signed in notes}) == 1
        check_one_tree(arbiter, match, notes)
    assert len(recorded(arbiter, match)) == 5


@pytest.mark.parametrize("first", [True, False], ids=["what was signed", "the log"])
async def test_what_another_instance_signs_meanwhile_is_no_alteration(
    arbiter: Arbiter, rival: Arbiter, first: bool
) -> None:
    """As `arbiter export` does beside a service, while the match goes on: after this one has read
    what was signed last, or the log."""
    match = await started(arbiter)
    await arbiter.notary.checkpoint(match)
    await someone_acts(arbiter, match)
    store = telling(arbiter)
    store.hold_reads(beside(match) if first else match)
    asked = asyncio.create_task(arbiter.notary.checkpoint(match))
    try:
        assert await asyncio.to_thread(store.has_read.wait, PATIENCE)
        await someone_acts(rival, match)
        other = await rival.notary.checkpoint(match)
    finally:
        store.go_on.set()
    check_one_tree(rival, match, [await asked, other])


# No smaller and no other tree.


def delete(stream: Stream, version: int) -> None:
    stream.delete(version)
    stream.shift(version + 1, -1)


def insert(stream: Stream, version: int) -> None:
    """The first event once more."""
    state = stream.states()[0]
    stream.shift(version, 1)
    stream.insert(version, state)


def delay(stream: Stream, version: int) -> None:
    record = decode(stream.states()[version - 1])
    stream.put(version, encode(Record(record.at + 1, record.event)))


def swap(stream: Stream, version: int) -> None:
    """With the one before it; the first with the second."""
    version = max(2, version)
    before, after = stream.states()[version - 2 : version]
    stream.put(version - 1, after)
    stream.put(version, before)


@pytest.mark.parametrize("edit", [delete, insert, delay, swap], ids=lambda edit: edit.__name__)
async def test_whatever_event_is_edited_nothing_is_signed(
    arbiter: Arbiter, database: Path, edit: Callable[[Stream, int], None]
) -> None:
    match = await started(arbiter, "twelve-chips")
    for _ in range(8):
        await someone_acts(arbiter, match)
    kept = await arbiter.notary.checkpoint(match)
    before = recorded(arbiter, match)
    with editing(database.parent, str(match)) as stream:
        states = stream.states()
        for version in range(1, len(states) + 1):
            edit(stream, version)
            with pytest.raises(RecordAltered):
                await arbiter.notary.checkpoint(match)
            with pytest.raises(RecordAltered):
                await arbiter.notary.bundle(match, MODERATOR)
            restore(stream, states)
    assert recorded(arbiter, match) == before
    assert await arbiter.notary.checkpoint(match) == kept


def restore(stream: Stream, states: Sequence[bytes]) -> None:
    for version in range(1, len(stream) + 1):
        stream.delete(version)
    for version, state in enumerate(states, 1):
        stream.insert(version, state)


async def test_an_edited_match_holds_up_no_other(arbiter: Arbiter, database: Path) -> None:
    """Put right again, it is signed when the next one is."""
    match = await started(arbiter, "twelve-chips", SHORT)
    await arbiter.notary.checkpoint(match)
    before = recorded(arbiter, match)
    with editing(database.parent, str(match)) as stream:
        version, state = len(stream), stream.states()[-1]
        delay(stream, version)
    while await someone_acts(arbiter, match):
        pass
    await signed_at_end(arbiter, await played(arbiter))
    assert recorded(arbiter, match) == before
    assert not arbiter.broken.is_set()
    with editing(database.parent, str(match)) as stream:
        stream.put(version, state)
    await signed_at_end(arbiter, await played(arbiter))
    await signed_at_end(arbiter, match)
    assert recorded(arbiter, match) == [*before, whole(arbiter, match)]
