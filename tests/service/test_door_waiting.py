"""What waits while a transaction fails is judged on what the store has then."""

import asyncio
from uuid import uuid4

from eventsourcing.persistence import IntegrityError, OperationalError

from domain.games import GAMES
from domain.games.dollar_prize.actions import ChooseSide
from domain.match_events import MatchCreated
from service.arbiter import Arbiter
from service.door.pending import Answer, Create
from service.storage.reading import StoreUnavailable
from tests.service.instance import NOT_NOW, WatchedStore, sends, started, watched

HEADS = ChooseSide("heads")


async def held_up(arbiter: Arbiter, store: WatchedStore) -> list[asyncio.Task[Answer]]:
    """Two commands to one match: the first is being committed, the second waits for it."""
    match_id = await started(arbiter)
    store.hold()
    first = asyncio.create_task(arbiter.matches.enter(match_id, sends(0, HEADS), 0))
    await store.held()
    second = asyncio.create_task(arbiter.matches.enter(match_id, sends(1, NOT_NOW), 1))
    await asyncio.sleep(0)
    return [first, second]


async def test_what_waited_for_a_failed_transaction_is_judged_afresh(arbiter: Arbiter) -> None:
    store = watched(arbiter)
    tasks = await held_up(arbiter, store)
    store.before.append(OperationalError("disk full"))
    store.open.set()

    first, second = await asyncio.gather(*tasks, return_exceptions=True)

    assert isinstance(first, StoreUnavailable)
    assert isinstance(second, Answer) and second.verdict.code == "wrong_phase"


async def test_what_waited_for_a_lost_race_is_judged_afresh(arbiter: Arbiter) -> None:
    store = watched(arbiter)
    tasks = await held_up(arbiter, store)
    store.before.append(IntegrityError("another was first"))
    store.open.set()

    first, second = await asyncio.gather(*tasks, return_exceptions=True)

    assert isinstance(first, Answer) and first.verdict.code is None
    assert isinstance(second, Answer) and second.verdict.code == "not_your_turn"
    assert first.verdict.position < second.verdict.position


async def test_a_match_is_created_though_another_in_its_transaction_lost_a_race(
    arbiter: Arbiter,
) -> None:
    match_id = await started(arbiter)
    store = watched(arbiter)
    store.before.append(IntegrityError("another was first"))

    acted, made = await asyncio.gather(
        arbiter.matches.enter(match_id, sends(1, NOT_NOW), 1),
        arbiter.matches.enter(uuid4(), new_match(), "public"),
        return_exceptions=True,
    )

    assert isinstance(acted, Answer) and acted.verdict.code == "wrong_phase"
    assert isinstance(made, Answer)


def new_match() -> Create:
    game = GAMES["dollar-prize"]
    created = MatchCreated(game.id, game.rules_version, {}, ("Ann", "Ben"), chance="manual")
    return Create(created)
