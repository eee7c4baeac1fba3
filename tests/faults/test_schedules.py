"""Requests to two instances on one store, sent twice and three times, late, out of order and at
once: each is on record once, every instance answers alike, and the order of record is the order in
which an instance received them."""

import asyncio
import random
from collections import Counter, defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import msgspec
import pytest
from msgspec import Struct
from msgspec.structs import replace

from domain.events import Event, Record
from domain.games import GAMES
from domain.match.commands import Conflict
from domain.match.events import ActionReceived
from domain.match.replay import replayed
from projections.audience import menu
from projections.audience.disclosure import Viewer
from service.application.matches.command_queue import CommandResponse
from service.application.matches.creation import NewMatch
from service.event_store.errors import StoreUnavailable
from service.instance import Instance
from service.settings import Settings
from tests.support.effort import SEED, times
from tests.support.game_actions import refused
from tests.support.games import usual, variety
from tests.support.instance.service_instance import on_record, seen, sends
from tests.support.instants import NOON, SECOND
from tests.support.servers.instance_settings import fresh_store
from tests.support.tables.directing import START
from tests.support.virtual_clock import VirtualClock

pytestmark = pytest.mark.slow(
    because="it kills, cuts or damages what a service needs, again and again"
)

SCHEDULES = times("schedules")
BEHIND = 5 * SECOND
"""How far the clock of one instance is behind the other's."""

MOST_REQUESTS, MOST_COPIES = 10, 3
MOST_TURNS = 40
"""Maximum turns of the event loop by which a request is late."""

LATE_SECONDS = 0.004
OFTEN = 0.3
"""Share of requests that are late by the clock instead, and share of actions that are not on the
menu."""

SCHEDULES_A_MATCH = 12


class Request(Struct, frozen=True):
    """A request of one seat, under its key."""

    seat: int
    action: Any
    key: str


class Copy(NamedTuple):
    """One sending of a request: to which instance, and how late."""

    request: Request
    instance: int
    turns: int
    seconds: float


class Reply(NamedTuple):
    """The answer to a copy, and its position among all that its instance received; None if the
    match was in no state for it."""

    copy: Copy
    received: int
    answer: CommandResponse | None


@asynccontextmanager
async def two_instances(settings: Settings) -> AsyncIterator[tuple[Instance, Instance]]:
    chosen = replace(settings, shared=True)
    first = Instance(chosen, VirtualClock(NOON))
    async with first.running():
        second = Instance(chosen, VirtualClock(NOON - BEHIND))
        async with second.running():
            yield first, second


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
async def test_each_request_counts_once_in_the_order_of_receipt(kind: str, tmp_path: Path) -> None:
    print(f"ARBITER_SEED={SEED}")  # noqa: T201  shown if it fails
    counted = Counter[str]()
    with fresh_store(kind, tmp_path / "store") as settings:
        async with two_instances(settings) as instances:
            match_id, game = UUID(int=0), ""
            for number in range(SCHEDULES // 2):
                chance = random.Random(f"{SEED}/{number}")
                if number % SCHEDULES_A_MATCH == 0:
                    game = chance.choice(list(GAMES))
                    match_id = await begun(instances[0], game, chance.choice(variety(game)))
                try:
                    replies = await sent(instances, match_id, copies(instances, match_id, chance))
                    await check(instances, match_id, game, replies)
                except BaseException as error:
                    error.add_note(f"schedule {number}, {game}")
                    raise
                counted.update(kinds(replies))
    print(dict(counted))  # noqa: T201  shown if it fails
    assert counted["recorded"] > SCHEDULES and counted["repeats"] > SCHEDULES


async def begun(instance: Instance, game: str, options: dict[str, Any]) -> UUID:
    """A running match."""
    names = usual(game)
    opened = await instance.creation.match(NewMatch(game, names, options, "server", "none", None))
    await instance.matches.execute(opened.id, START, "moderator")
    return opened.id


# The schedule.


def copies(
    instances: tuple[Instance, Instance], match_id: UUID, chance: random.Random
) -> list[Copy]:
    """Some requests, each sent several times, to random instances at random times."""
    records = on_record(instances[0], match_id)
    game, match = replayed(str(match_id), records)
    count = match.created.seats
    found = []
    for _ in range(chance.randint(2, MOST_REQUESTS)):
        seat = chance.randrange(count)
        offered = menu.entries(game, game.legal(match.game, seat))
        examples = [example for entry in offered for example in entry.examples]
        if not examples or chance.random() < OFTEN:
            examples = list(refused(game.id))
        action = msgspec.convert(chance.choice(examples), game.Action)
        request = Request(seat, action, f"{chance.getrandbits(64):x}")
        for _ in range(chance.randint(1, MOST_COPIES)):
            late = chance.uniform(0, LATE_SECONDS) if chance.random() < OFTEN else 0.0
            found.append(Copy(request, chance.randrange(2), chance.randint(0, MOST_TURNS), late))
    chance.shuffle(found)
    return found


async def sent(
    instances: tuple[Instance, Instance], match_id: UUID, copies: list[Copy]
) -> list[Reply]:
    """Sends all of them; what the store could not record is sent again."""
    received = [0, 0]

    async def send(copy: Copy) -> Reply:
        if copy.seconds:
            await asyncio.sleep(copy.seconds)
        for _ in range(copy.turns):
            await asyncio.sleep(0)
        request = copy.request
        command = sends(request.seat, request.action, request.key)
        while True:
            received[copy.instance] += 1
            number = received[copy.instance]
            try:
                service = instances[copy.instance].matches
                answer = await service.execute(match_id, command, request.seat)
                return Reply(copy, number, answer)
            except Conflict:
                return Reply(copy, number, None)
            except StoreUnavailable:
                await asyncio.sleep(0)

    return list(await asyncio.gather(*map(send, copies)))


def kinds(replies: list[Reply]) -> list[str]:
    """Counts of each kind."""
    names = []
    for one in replies:
        if one.answer is None:
            names.append("conflicts")
        elif one.answer.result.replayed:
            names.append("repeats")
        else:
            names.append("recorded")
            names.append("refused" if one.answer.result.refused else "not refused")
    return names


# Invariants.


async def check(
    instances: tuple[Instance, Instance], match_id: UUID, game: str, replies: list[Reply]
) -> None:
    records = on_record(instances[0], match_id)
    check_once(replies, records)
    check_order(replies)
    times = [record.at for record in records]
    assert times == sorted(times)
    _, fresh = replayed(str(match_id), records)
    for instance in instances:
        opened = await instance.sessions.current(match_id)
        assert opened.match == fresh
        viewers: tuple[Viewer, ...] = (0, 1, "public", "moderator")
        for viewer in viewers:
            _, view = await instance.sessions.view(match_id, viewer, None)
            assert view == seen(records, match_id, game, viewer)


def check_once(replies: list[Reply], records: list[Record[Event]]) -> None:
    """What was acknowledged is on record once, and nothing else; its copies have the same
    answer."""
    answers: dict[tuple[int, str], list[CommandResponse]] = defaultdict(list)
    for one in replies:
        found = answers[one.copy.request.seat, one.copy.request.key]
        if one.answer is not None:
            found.append(one.answer)
    stored = Counter(
        (r.event.seat, r.event.key) for r in records if isinstance(r.event, ActionReceived)
    )
    for request, given in answers.items():
        assert stored[request] == bool(given)
        assert sum(not answer.result.replayed for answer in given) == bool(given)
        assert len({same(answer) for answer in given}) == bool(given)


def same(answer: CommandResponse) -> tuple[Any, ...]:
    """The part of an answer that must be the same for every copy."""
    verdict = answer.result
    decided = (verdict.at, verdict.position, verdict.code, verdict.refused)
    return *decided, answer.seq, answer.view, answer.view_seq


def check_order(replies: list[Reply]) -> None:
    """The request that an instance received first is recorded first."""
    for instance in (0, 1):
        recorded = [
            (one.received, one.answer.result.position)
            for one in replies
            if one.copy.instance == instance
            and one.answer is not None
            and not one.answer.result.replayed
        ]
        positions = [position for _, position in sorted(recorded)]
        assert positions == sorted(positions)
