"""The notary signs the log of every match that is over, and never two that contradict each
other."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from uuid import UUID

import pytest
import pytest_asyncio
from eventsourcing.persistence import OperationalError

from domain.encoding import decode, encode
from domain.events import Record
from domain.match.events import MatchEnded
from domain.proof.checkpoints import parse as parse_checkpoint
from domain.proof.log_events import CheckpointSigned
from domain.proof.merkle import Tree, add_leaves, leaf_hash
from domain.proof.notes import read
from projections.audience.disclosure import MODERATOR
from projections.evidence.bundle import MatchLog
from service.application.scheduling import leader_tasks
from service.event_store.store import paired_stream
from service.instance import Instance
from service.signing.notary import Notary, Signed
from tests.service.signing.store_edits import Stream, editing
from tests.support.instance.log_signatures import NotifyingStore, notifying, recorded
from tests.support.instance.service_instance import PATIENCE, settings, someone_acts, started
from tests.support.instance.tournament_play import CUP, added, settled
from tests.support.instants import SECOND
from tests.support.tables.directing import START
from tests.support.virtual_clock import VirtualClock

SHORT = {"tokens_to_win": 1}


@pytest_asyncio.fixture
async def instance(
    database: Path, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Instance]:
    """A running instance; its store, and every later one, is a `NotifyingStore`."""
    monkeypatch.setattr("service.composition.storage.Store", NotifyingStore)
    running = Instance(settings(database), clock)
    async with running.running():
        yield running


async def played(instance: Instance, game: str = "twelve-chips") -> UUID:
    """A match that has just ended."""
    match = await started(instance, game, SHORT if game == "twelve-chips" else {})
    while await someone_acts(instance, match):
        pass
    return match


def log_of(instance: Instance, match: UUID) -> MatchLog:
    states = instance.store.states(match)
    return MatchLog(str(match), states, instance.secret_store.read(match).log_key)


def whole(instance: Instance, match: UUID) -> CheckpointSigned:
    """The signature that a match needs in its present state."""
    log = log_of(instance, match)
    checkpoint = log.checkpoint()
    over = any(isinstance(record.event, MatchEnded) for record in log.records)
    return CheckpointSigned(checkpoint.size, checkpoint.root, over)


async def signed_at_end(instance: Instance, match: UUID) -> None:
    await notifying(instance).until(lambda: any(one.over for one in recorded(instance, match)))


def check_one_tree(instance: Instance, match: UUID, notes: Sequence[Signed]) -> None:
    """All signatures are of one log that grew: one record a size, each larger than before."""
    leaves = list(map(leaf_hash, log_of(instance, match).leaves()))
    known = {one.size: one.root for one in recorded(instance, match)}
    sizes = [one.size for one in recorded(instance, match)]
    assert sizes == sorted(set(sizes))
    for size, root in known.items():
        assert add_leaves(Tree(), leaves[:size]).root == root
    for signed in notes:
        assert parse_checkpoint(read(signed.note).text) == signed.checkpoint
        assert known[signed.checkpoint.size] == signed.checkpoint.root


# At the end, without a request.


async def run_out_of_time(instance: Instance, clock: VirtualClock) -> UUID:
    options = {**SHORT, "turn_seconds": 1}
    match = await started(instance, "twelve-chips", options, clock="rules")
    clock.pass_time(3_600 * SECOND)
    return match


async def played_in_a_tournament(instance: Instance, _: VirtualClock) -> UUID:
    cup, _ids = await instance.creation.tournament(CUP)
    match = await added(instance, cup)
    await instance.matches.execute(match, START, MODERATOR)
    while await someone_acts(instance, match):
        pass
    await settled(instance, cup)
    return match


async def dollars(instance: Instance, _: VirtualClock) -> UUID:
    return await played(instance, "dollar-prize")


@pytest.mark.parametrize("play", [dollars, run_out_of_time, played_in_a_tournament])
async def test_the_whole_log_is_signed_when_a_match_is_over(
    instance: Instance,
    clock: VirtualClock,
    play: "Callable[[Instance, VirtualClock], asyncio.Future[UUID]]",
) -> None:
    match = await play(instance, clock)
    await signed_at_end(instance, match)
    expected = whole(instance, match)
    assert recorded(instance, match) == [expected] and expected.over
    await instance.notary.checkpoint(match)
    assert recorded(instance, match) == [expected]


async def test_after_a_crash_the_matches_that_ended_before_are_signed(
    database: Path, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was committed, and the service stopped before the notary was notified."""

    async def dies(_: Notary, __: UUID) -> None:
        raise asyncio.CancelledError

    monkeypatch.setattr("service.composition.storage.Store", NotifyingStore)
    with monkeypatch.context() as crash:
        crash.setattr(Notary, "checkpoint", dies)
        first = Instance(settings(database), clock)
        async with first.running():
            matches = [await played(first), await played(first, "dollar-prize")]
            running = await started(first)
            assert [recorded(first, match) for match in matches] == [[], []]
    for _ in range(2):
        again = Instance(settings(database), clock)
        async with again.running():
            for match in matches:
                await signed_at_end(again, match)
                assert recorded(again, match) == [whole(again, match)]
            assert recorded(again, running) == []


@pytest.mark.parametrize("when", ["unsigned", "signed"])
async def test_a_signature_that_cannot_be_recorded_is_tried_again(
    instance: Instance, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    """Whether or not the failed write is on disk, it is recorded once."""
    monkeypatch.setattr(leader_tasks, "RETRY_SECONDS", 0.01)
    failures: deque[Exception] = getattr(notifying(instance), when)
    failures.extend([OperationalError("disk full")] * 3)
    match = await played(instance)
    await signed_at_end(instance, match)
    other = await played(instance)
    await signed_at_end(instance, other)
    assert not instance.broken.is_set()
    for one in (match, other):
        assert recorded(instance, one) == [whole(instance, one)]


# Simultaneous requests.


async def test_requests_at_the_same_time_sign_one_tree(instance: Instance) -> None:
    """While the match goes on to its end."""
    match = await started(instance, "twelve-chips", SHORT)
    asked: list[asyncio.Task[Signed]] = []
    while await someone_acts(instance, match):
        asked += [asyncio.create_task(instance.notary.checkpoint(match)) for _ in range(3)]
        if len(asked) % 9 == 0:
            await asked[-1]
    await signed_at_end(instance, match)
    notes = await asyncio.gather(*asked)
    assert len({signed.checkpoint.size for signed in notes}) > 2
    assert [one.over for one in recorded(instance, match)][-2:] == [False, True]
    check_one_tree(instance, match, notes)


@pytest.mark.parametrize("first", [True, False], ids=["what was signed", "the log"])
async def test_what_another_instance_signs_meanwhile_is_no_alteration(
    instance: Instance, rival: Instance, first: bool
) -> None:
    """As `arbiter export` does next to a running service: after this notary has read the last
    checkpoint, or the log."""
    match = await started(instance)
    await instance.notary.checkpoint(match)
    await someone_acts(instance, match)
    store = notifying(instance)
    store.block_reads(paired_stream(match) if first else match)
    asked = asyncio.create_task(instance.notary.checkpoint(match))
    try:
        assert await asyncio.to_thread(store.has_read.wait, PATIENCE)
        await someone_acts(rival, match)
        other = await rival.notary.checkpoint(match)
    finally:
        store.go_on.set()
    check_one_tree(rival, match, [await asked, other])


# Never a shorter or a different log.


def delay(stream: Stream, version: int) -> None:
    record = decode(stream.states()[version - 1])
    stream.set(version, encode(Record(record.at + 1, record.back, record.event)))


async def test_an_edited_match_delays_no_other(instance: Instance, database: Path) -> None:
    """Once the record is restored, it is signed together with the next match."""
    match = await started(instance, "twelve-chips", SHORT)
    await instance.notary.checkpoint(match)
    before = recorded(instance, match)
    with editing(database.parent, str(match)) as stream:
        version, state = len(stream), stream.states()[-1]
        delay(stream, version)
    while await someone_acts(instance, match):
        pass
    await signed_at_end(instance, await played(instance))
    assert recorded(instance, match) == before
    assert not instance.broken.is_set()
    with editing(database.parent, str(match)) as stream:
        stream.set(version, state)
    instance.closed.reopen(match)  # otherwise it is looked at again after a minute
    await signed_at_end(instance, await played(instance))
    await signed_at_end(instance, match)
    assert recorded(instance, match) == [*before, whole(instance, match)]
