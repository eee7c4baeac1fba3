"""The door: order of receipt, few transactions, and nothing told before it is on disk."""

import asyncio
from collections.abc import Coroutine
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from eventsourcing.persistence import OperationalError

from domain.commands import Conflict, PassDeadline, Start
from domain.game import Refused
from domain.games import GAMES
from domain.games.dollar_prize.actions import ChooseSide, EndTurn, Keep
from domain.match_events import ActionReceived, ActionRefused, MatchStarted
from projections.disclosure import Viewer
from service.arbiter import Arbiter
from service.clock import VirtualClock
from service.door.matches import MOST_A_TRANSACTION
from service.door.open_matches import UnknownMatch
from service.door.pending import Answer, Stale
from service.storage.reading import StoreUnavailable
from tests.clock import SECOND
from tests.service.instance import (
    NOT_NOW,
    created,
    faulty,
    on_record,
    seen,
    sends,
    started,
    watched,
)

HEADS = ChooseSide("heads")


def entered(arbiter: Arbiter, match_id: Any, command: Any, viewer: Any = 0) -> asyncio.Task[Answer]:
    """Lets a command in without waiting for its answer."""
    return asyncio.create_task(arbiter.matches.enter(match_id, command, viewer))


async def come_in() -> None:
    """Lets every task that can go on do so, up to the store."""
    for _ in range(10):
        await asyncio.sleep(0)


async def outcomes(*tasks: Coroutine[Any, Any, Answer] | asyncio.Task[Answer]) -> list[Any]:
    told: list[Any] = await asyncio.gather(*tasks, return_exceptions=True)
    return told


# Order.


async def test_commands_to_a_match_are_recorded_in_the_order_of_their_receipt(
    arbiter: Arbiter,
) -> None:
    match_id = await started(arbiter)
    sent = [(n % 2, f"request {n}") for n in range(60)]

    answers = await asyncio.gather(
        *(arbiter.matches.enter(match_id, sends(s, NOT_NOW, key), s) for s, key in sent)
    )

    received = [r.event for r in on_record(arbiter, match_id)]
    assert [(e.seat, e.key) for e in received if isinstance(e, ActionReceived)] == sent
    positions = [answer.verdict.position for answer in answers]
    assert positions == sorted(positions)


async def test_received_times_never_decrease_though_the_clock_does(
    arbiter: Arbiter, clock: VirtualClock
) -> None:
    match_id = await started(arbiter)
    clock.pass_time(5 * SECOND)
    late = await arbiter.matches.enter(match_id, sends(0, NOT_NOW), 0)
    clock.pass_time(-3 * SECOND)
    early = await arbiter.matches.enter(match_id, sends(0, NOT_NOW), 0)

    assert early.verdict.at == late.verdict.at
    times = [record.at for record in on_record(arbiter, match_id)]
    assert times == sorted(times)


async def test_a_command_to_a_match_that_is_not_there_is_told_so(arbiter: Arbiter) -> None:
    with pytest.raises(UnknownMatch):
        await arbiter.matches.enter(uuid4(), Start(), "public")


# Group commit.


async def test_commands_that_wait_together_share_a_transaction(arbiter: Arbiter) -> None:
    matches = [await started(arbiter) for _ in range(50)]
    watched(arbiter).appended.clear()

    answers = await asyncio.gather(
        *(
            arbiter.matches.enter(match_id, sends(seat, NOT_NOW), seat)
            for _ in range(2)
            for match_id in matches
            for seat in (0, 1)
        )
    )

    assert len(answers) == 200
    assert len(watched(arbiter).appended) <= 3
    assert sum(watched(arbiter).appended) == 200 * 2
    for match_id in matches:
        kinds = [type(record.event) for record in on_record(arbiter, match_id)][-8:]
        assert kinds == [ActionReceived, ActionRefused] * 4


async def test_what_arrives_while_a_transaction_runs_forms_the_next(arbiter: Arbiter) -> None:
    matches = [await started(arbiter) for _ in range(10)]
    store = watched(arbiter)
    store.appended.clear()
    store.hold()
    first = entered(arbiter, matches[0], sends(0, NOT_NOW))
    await store.held()

    others = [entered(arbiter, match_id, sends(0, NOT_NOW)) for match_id in matches * 3]
    await come_in()
    store.open.set()
    await asyncio.gather(first, *others)

    assert store.appended == [2, 60]


async def test_a_transaction_has_room_for_so_many_commands(arbiter: Arbiter) -> None:
    one, two = await started(arbiter), await started(arbiter)
    store = watched(arbiter)
    store.appended.clear()
    count = MOST_A_TRANSACTION // 2 + 50

    await asyncio.gather(
        *(
            arbiter.matches.enter(match_id, sends(0, NOT_NOW), 0)
            for _ in range(count)
            for match_id in (one, two)
        )
    )

    assert store.appended == [2 * MOST_A_TRANSACTION, 2 * 100]


async def test_beyond_what_may_wait_nothing_is_let_in(
    arbiter: Arbiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = await started(arbiter)
    monkeypatch.setattr("service.door.matches.MOST_WAITING", 3)
    told = await outcomes(*(entered(arbiter, match_id, sends(0, NOT_NOW)) for _ in range(5)))

    assert [isinstance(answer, Answer) for answer in told] == [True] * 3 + [False] * 2
    assert isinstance(told[4], StoreUnavailable)
    assert isinstance(await entered(arbiter, match_id, sends(0, NOT_NOW)), Answer)


# Nothing before the commit.


async def test_nobody_sees_an_action_before_it_is_on_disk(arbiter: Arbiter) -> None:
    match_id = await started(arbiter)
    opened, _ = await arbiter.open_matches.read(match_id, "public")
    viewers: list[Viewer] = [0, 1, "moderator"]
    before = {v: await arbiter.open_matches.view(match_id, v, None) for v in viewers}
    match_before, store = opened.match, watched(arbiter)
    store.hold()
    with arbiter.hub.listening(match_id) as news:
        task = entered(arbiter, match_id, sends(0, HEADS))
        await store.held()
        await come_in()

        assert opened.match is match_before
        for viewer, told in before.items():
            assert await arbiter.open_matches.view(match_id, viewer, None) == told
            assert await arbiter.open_matches.lines(match_id, viewer, told[0], 10) == ([], False)
        assert not news.is_set() and not task.done()

        store.open.set()
        answer = await task
        assert news.is_set()
    assert (answer.view_seq, answer.view) == await arbiter.open_matches.view(match_id, 0, None)
    assert answer.view == seen(on_record(arbiter, match_id), match_id, "dollar-prize", 0)


async def test_a_refusal_decided_on_what_is_not_on_disk_yet_waits_for_it(arbiter: Arbiter) -> None:
    match_id = await created(arbiter)
    store = watched(arbiter)
    store.hold()
    tasks = [
        entered(arbiter, match_id, Start(), "moderator"),
        entered(arbiter, match_id, Start(), "moderator"),
        asyncio.create_task(arbiter.matches.enter(match_id, sends(0, HEADS), 0, frozenset({1}))),
    ]
    await store.held()
    await come_in()
    assert not any(task.done() for task in tasks)

    store.open.set()
    first, again, stale = await outcomes(*tasks)

    assert isinstance(first, Answer)
    assert isinstance(again, Conflict) and again.code == "already_started"
    assert isinstance(stale, Stale)


async def test_a_refusal_decided_on_what_never_came_to_disk_is_not_told(arbiter: Arbiter) -> None:
    match_id = await created(arbiter)
    watched(arbiter).before.append(OperationalError("disk full"))

    told = await outcomes(*(entered(arbiter, match_id, Start(), "moderator") for _ in range(2)))

    assert [type(error) for error in told] == [StoreUnavailable] * 2


# Faults.


@pytest.mark.parametrize("error", [OperationalError("disk I/O error"), RuntimeError(), OSError()])
async def test_a_store_error_acknowledges_nothing_and_passes(
    arbiter: Arbiter, error: Exception
) -> None:
    match_id, other = await started(arbiter), await started(arbiter)
    before = on_record(arbiter, match_id)
    watched(arbiter).before.append(error)

    told = await outcomes(
        entered(arbiter, match_id, sends(0, HEADS)), entered(arbiter, other, sends(0, HEADS))
    )

    assert [type(answer) for answer in told] == [StoreUnavailable] * 2
    assert on_record(arbiter, match_id) == before
    assert (await arbiter.open_matches.view(match_id, 0, None))[1] == seen(
        before, match_id, "dollar-prize", 0
    )
    assert (await arbiter.matches.enter(match_id, sends(0, HEADS), 0)).verdict.code is None


async def test_an_error_after_the_commit_does_not_double_the_action(arbiter: Arbiter) -> None:
    """The store took it and could not say so: the sender asks again, with his key."""
    match_id = await started(arbiter)
    watched(arbiter).after.append(OperationalError("connection lost"))
    with pytest.raises(StoreUnavailable):
        await arbiter.matches.enter(match_id, sends(0, HEADS, "one"), 0)

    again = await arbiter.matches.enter(match_id, sends(0, HEADS, "one"), 0)

    assert again.verdict.replayed and again.verdict.code is None
    received = [r for r in on_record(arbiter, match_id) if isinstance(r.event, ActionReceived)]
    assert len(received) == 1


async def test_a_fault_in_a_game_costs_only_the_command_that_met_it(
    arbiter: Arbiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = GAMES["dollar-prize"]
    monkeypatch.setitem(GAMES, game.id, replace(game, decide=faulty(game.decide, Keep)))
    match_id, other = await started(arbiter), await started(arbiter)

    refused, fault, chosen, elsewhere = await outcomes(
        entered(arbiter, match_id, sends(1, EndTurn())),
        entered(arbiter, match_id, sends(0, Keep(), "fault")),
        entered(arbiter, match_id, sends(0, HEADS)),
        entered(arbiter, other, sends(0, HEADS)),
    )

    assert isinstance(fault, ZeroDivisionError)
    assert refused.verdict.code == "wrong_phase"
    assert chosen.verdict.code is None and elsewhere.verdict.code is None
    sent = [r.event for r in on_record(arbiter, match_id) if isinstance(r.event, ActionReceived)]
    assert [event.action["type"] for event in sent] == ["end_turn", "choose_side"]


async def test_a_report_of_no_deadline_leaves_nothing(arbiter: Arbiter) -> None:
    match_id = await started(arbiter)
    before = on_record(arbiter, match_id)
    await arbiter.matches.pass_deadline(match_id)
    with pytest.raises(Conflict):
        await arbiter.matches.enter(match_id, PassDeadline(), "public")
    assert on_record(arbiter, match_id) == before


async def test_what_cannot_be_created_leaves_nothing(arbiter: Arbiter) -> None:
    with pytest.raises(Refused):
        await created(arbiter, options={"tie_reflips": 11})
    assert arbiter.store.recorder.max_notification_id() is None
    assert MatchStarted not in {type(r.event) for r in on_record(arbiter, await created(arbiter))}
