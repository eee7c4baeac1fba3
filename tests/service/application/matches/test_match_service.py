"""The match service: order of receipt, few transactions, and each request answered once."""

import asyncio
from collections.abc import Coroutine
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from eventsourcing.persistence import OperationalError

from domain.games import GAMES
from domain.games.dollar_prize.actions import ChooseSide, EndTurn, Keep
from domain.match.commands import Conflict
from domain.match.events import ActionReceived
from projections.audience.disclosure import Viewer
from service.application.matches.command_queue import CommandResponse, PreconditionFailed
from service.application.matches.decision_queue import MOST_A_TRANSACTION
from service.event_store.errors import StoreUnavailable
from service.instance import Instance
from tests.support.instance.match_growth import joined
from tests.support.instance.service_instance import (
    NOT_NOW,
    created,
    faulty,
    on_record,
    recorded,
    seen,
    sends,
    started,
    watched,
)
from tests.support.instants import SECOND
from tests.support.tables.directing import START
from tests.support.virtual_clock import VirtualClock

HEADS, TAILS = ChooseSide("heads"), ChooseSide("tails")


def entered(
    instance: Instance, match_id: Any, command: Any, viewer: Any = 0
) -> asyncio.Task[CommandResponse]:
    """Executes a command without waiting for its response."""
    return asyncio.create_task(instance.matches.execute(match_id, command, viewer))


async def come_in() -> None:
    """Lets every task run that can, up to the store."""
    for _ in range(10):
        await asyncio.sleep(0)


async def outcomes(
    *tasks: Coroutine[Any, Any, CommandResponse] | asyncio.Task[CommandResponse],
) -> list[Any]:
    results: list[Any] = await asyncio.gather(*tasks, return_exceptions=True)
    return results


# Order.


async def test_commands_to_a_match_are_recorded_in_the_order_of_their_receipt(
    instance: Instance,
) -> None:
    match_id = await started(instance)
    sent = [(n % 2, f"request {n}") for n in range(60)]

    answers = await asyncio.gather(
        *(instance.matches.execute(match_id, sends(s, NOT_NOW, key), s) for s, key in sent)
    )

    received = recorded(instance, match_id, ActionReceived)
    assert [(one.seat, one.key) for one in received] == sent
    positions = [answer.result.position for answer in answers]
    assert positions == sorted(positions)


# Group commit.


async def test_a_transaction_has_a_limit_of_commands(instance: Instance) -> None:
    one, two = await started(instance), await started(instance)
    store = watched(instance)
    store.appended.clear()
    count = MOST_A_TRANSACTION // 2 + 50

    await asyncio.gather(
        *(
            instance.matches.execute(match_id, sends(0, NOT_NOW), 0)
            for _ in range(count)
            for match_id in (one, two)
        )
    )

    assert store.appended == [2 * MOST_A_TRANSACTION, 2 * 100]


async def test_beyond_the_limit_of_waiting_commands_none_is_accepted(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = await started(instance)
    monkeypatch.setattr("service.application.matches.match_service.MOST_WAITING", 3)
    results = await outcomes(*(entered(instance, match_id, sends(0, NOT_NOW)) for _ in range(5)))

    assert [isinstance(answer, CommandResponse) for answer in results] == [True] * 3 + [False] * 2
    assert isinstance(results[4], StoreUnavailable)
    assert isinstance(await entered(instance, match_id, sends(0, NOT_NOW)), CommandResponse)


# Nothing before the commit.


async def test_nobody_sees_an_action_before_it_is_on_disk(instance: Instance) -> None:
    match_id = await started(instance)
    opened, _ = await instance.sessions.projection(match_id, "public")
    viewers: list[Viewer] = [0, 1, "moderator"]
    before = {v: await instance.sessions.view(match_id, v, None) for v in viewers}
    match_before, store = opened.match, watched(instance)
    store.block()
    async with joined(instance, match_id) as member:
        task = entered(instance, match_id, sends(0, HEADS))
        await store.blocked()
        await come_in()

        assert opened.match is match_before
        for viewer, results in before.items():
            assert await instance.sessions.view(match_id, viewer, None) == results
            assert await instance.sessions.lines(match_id, viewer, results[0], 10) == ([], False)
        assert not member.left.is_set() and not task.done()

        store.open.set()
        answer = await task
        assert member.left.is_set()
    assert (answer.view_seq, answer.view) == await instance.sessions.view(match_id, 0, None)
    assert answer.view == seen(on_record(instance, match_id), match_id, "dollar-prize", 0)


async def test_a_refusal_decided_on_events_not_yet_on_disk_waits_for_them(
    instance: Instance,
) -> None:
    match_id = await created(instance)
    store = watched(instance)
    store.block()
    tasks = [
        entered(instance, match_id, START, "moderator"),
        entered(instance, match_id, START, "moderator"),
        asyncio.create_task(instance.matches.execute(match_id, sends(0, HEADS), 0, frozenset({1}))),
    ]
    await store.blocked()
    await come_in()
    assert not any(task.done() for task in tasks)

    store.open.set()
    first, again, stale = await outcomes(*tasks)

    assert isinstance(first, CommandResponse)
    assert isinstance(again, Conflict) and again.code == "already_started"
    assert isinstance(stale, PreconditionFailed)


async def test_a_refusal_decided_on_events_that_were_never_recorded_is_not_sent(
    instance: Instance,
) -> None:
    match_id = await created(instance)
    watched(instance).before.append(OperationalError("disk full"))

    results = await outcomes(*(entered(instance, match_id, START, "moderator") for _ in range(2)))

    assert [type(error) for error in results] == [StoreUnavailable] * 2


# Faults.


@pytest.mark.parametrize("error", [OperationalError("disk I/O error"), RuntimeError(), OSError()])
async def test_a_store_error_acknowledges_nothing_and_passes(
    instance: Instance, error: Exception
) -> None:
    match_id, other = await started(instance), await started(instance)
    before = on_record(instance, match_id)
    watched(instance).before.append(error)

    results = await outcomes(
        entered(instance, match_id, sends(0, HEADS)), entered(instance, other, sends(0, HEADS))
    )

    assert [type(answer) for answer in results] == [StoreUnavailable] * 2
    assert on_record(instance, match_id) == before
    assert (await instance.sessions.view(match_id, 0, None))[1] == seen(
        before, match_id, "dollar-prize", 0
    )
    assert (await instance.matches.execute(match_id, sends(0, HEADS), 0)).result.code is None


async def test_an_error_after_the_commit_does_not_double_the_action(instance: Instance) -> None:
    """The store commits it without confirming; the sender repeats it with its key."""
    match_id = await started(instance)
    watched(instance).after.append(OperationalError("connection lost"))
    with pytest.raises(StoreUnavailable):
        await instance.matches.execute(match_id, sends(0, HEADS, "one"), 0)

    again = await instance.matches.execute(match_id, sends(0, HEADS, "one"), 0)

    assert again.result.replayed and again.result.code is None
    assert len(recorded(instance, match_id, ActionReceived)) == 1


async def test_a_fault_in_a_game_costs_only_the_command_that_met_it(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = GAMES["dollar-prize"]
    monkeypatch.setitem(GAMES, game.id, replace(game, decide=faulty(game.decide, Keep)))
    match_id, other = await started(instance), await started(instance)

    refused, fault, chosen, elsewhere = await outcomes(
        entered(instance, match_id, sends(1, EndTurn())),
        entered(instance, match_id, sends(0, Keep(), "fault")),
        entered(instance, match_id, sends(0, HEADS)),
        entered(instance, other, sends(0, HEADS)),
    )

    assert isinstance(fault, ZeroDivisionError)
    assert refused.result.code == "wrong_phase"
    assert chosen.result.code is None and elsewhere.result.code is None
    sent = recorded(instance, match_id, ActionReceived)
    assert [event.action["type"] for event in sent] == ["end_turn", "choose_side"]


FEW = 8


@pytest.fixture(autouse=True)
def _few_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every rule here holds also where only a part of the match is still in memory."""
    monkeypatch.setattr("projections.audience.own_lines.RECENT_LINES", FEW)


def act(instance: Instance, match_id: UUID, action: Any, key: str, seat: int = 0) -> Any:
    return instance.matches.execute(match_id, sends(seat, action, key), seat)


def same(first: CommandResponse, again: CommandResponse) -> bool:
    """Whether two responses are the same except for the note that one is a repeat."""
    assert again.result.replayed and not first.result.replayed
    one, two = first.result, again.result
    return (one.at, one.position, one.end, one.code, first.seq, first.view, first.view_seq) == (
        two.at, two.position, two.end, two.code, again.seq, again.view, again.view_seq
    )  # fmt: skip


def received(instance: Instance, match_id: UUID) -> list[str | None]:
    events = [record.event for record in on_record(instance, match_id)]
    return [event.key for event in events if isinstance(event, ActionReceived)]


@pytest.mark.parametrize("action", [HEADS, NOT_NOW], ids=["valid", "refused"])
async def test_a_repeat_after_many_others_has_the_same_answer(
    instance: Instance, clock: VirtualClock, action: Any
) -> None:
    match_id = await started(instance)
    first = await act(instance, match_id, action, "one")
    for n in range(3 * FEW):
        clock.pass_time(SECOND)
        await act(instance, match_id, NOT_NOW, f"other {n}", seat=n % 2)

    assert same(first, await act(instance, match_id, action, "one"))
    assert received(instance, match_id).count("one") == 1


async def test_a_known_key_takes_precedence_over_a_stale_view(instance: Instance) -> None:
    """A repeated conditional request is answered although its view is not the latest any more."""
    match_id = await started(instance)
    seq, _ = await instance.sessions.view(match_id, 0, None)
    command, wanted = sends(0, HEADS, "one"), frozenset({seq})
    first = await instance.matches.execute(match_id, command, 0, wanted)
    assert same(first, await instance.matches.execute(match_id, command, 0, wanted))
