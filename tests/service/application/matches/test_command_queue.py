"""Commands that wait while a transaction fails are decided on what the store has then."""

import asyncio
from uuid import uuid4

from eventsourcing.persistence import IntegrityError, OperationalError

from domain.games import GAMES
from domain.games.dollar_prize.actions import ChooseSide
from domain.match.events import MatchCreated
from service.application.matches.command_queue import CommandResponse, CreateMatch
from service.event_store.errors import StoreUnavailable
from service.event_store.secret_store import MatchSecrets
from service.instance import Instance
from tests.support.instance.service_instance import NOT_NOW, WatchedStore, sends, started, watched

HEADS = ChooseSide("heads")


async def delayed(instance: Instance, store: WatchedStore) -> list[asyncio.Task[CommandResponse]]:
    """Two commands to one match: the first is being committed, the second waits for it."""
    match_id = await started(instance)
    store.block()
    first = asyncio.create_task(instance.matches.execute(match_id, sends(0, HEADS), 0))
    await store.blocked()
    second = asyncio.create_task(instance.matches.execute(match_id, sends(1, NOT_NOW), 1))
    await asyncio.sleep(0)
    return [first, second]


async def test_commands_behind_a_failed_transaction_are_decided_anew(instance: Instance) -> None:
    store = watched(instance)
    tasks = await delayed(instance, store)
    store.before.append(OperationalError("disk full"))
    store.open.set()

    first, second = await asyncio.gather(*tasks, return_exceptions=True)

    assert isinstance(first, StoreUnavailable)
    assert isinstance(second, CommandResponse) and second.result.code == "wrong_phase"


async def test_commands_behind_a_lost_race_are_decided_anew(instance: Instance) -> None:
    store = watched(instance)
    tasks = await delayed(instance, store)
    store.before.append(IntegrityError("another was first"))
    store.open.set()

    first, second = await asyncio.gather(*tasks, return_exceptions=True)

    assert isinstance(first, CommandResponse) and first.result.code is None
    assert isinstance(second, CommandResponse) and second.result.code == "not_your_turn"
    assert first.result.position < second.result.position


async def test_a_match_is_created_though_another_in_its_transaction_lost_a_race(
    instance: Instance,
) -> None:
    match_id = await started(instance)
    store = watched(instance)
    store.before.append(IntegrityError("another was first"))

    acted, made = await asyncio.gather(
        instance.matches.execute(match_id, sends(1, NOT_NOW), 1),
        instance.matches.execute(uuid4(), new_match(), "public"),
        return_exceptions=True,
    )

    assert isinstance(acted, CommandResponse) and acted.result.code == "wrong_phase"
    assert isinstance(made, CommandResponse)


def new_match() -> CreateMatch:
    game = GAMES["dollar-prize"]
    created = MatchCreated(game.id, game.rules_version, {}, 2, chance="manual")
    return CreateMatch(created, ("Ann", "Ben"), MatchSecrets(bytes(32)))
