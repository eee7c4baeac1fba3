"""Idempotency keys and `If-Match`: a repeated request always gets its first response."""

import asyncio
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from domain.games.dollar_prize.actions import ChooseSide
from domain.match.commands import REUSED_KEY
from domain.match.events import ActionReceived
from service.application.matches.command_queue import CommandResponse, PreconditionFailed
from service.instance import Instance
from tests.support.instance.service_instance import (
    NOT_NOW,
    on_record,
    sends,
    settings,
    someone_acts,
    started,
)
from tests.support.instants import SECOND
from tests.support.virtual_clock import VirtualClock

HEADS, TAILS = ChooseSide("heads"), ChooseSide("tails")
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


async def test_a_repeat_in_the_same_transaction_has_the_same_answer(instance: Instance) -> None:
    match_id = await started(instance)
    first, again, third = await asyncio.gather(
        *(act(instance, match_id, HEADS, "one") for _ in range(3))
    )
    assert same(first, again) and same(first, third)
    assert received(instance, match_id) == ["one"]


async def test_a_repeat_beside_what_followed_it_has_the_same_answer(instance: Instance) -> None:
    match_id = await started(instance)
    first, other, again = await asyncio.gather(
        act(instance, match_id, HEADS, "one"),
        act(instance, match_id, NOT_NOW, "two"),
        act(instance, match_id, HEADS, "one"),
    )
    assert same(first, again)
    assert other.view_seq > first.view_seq


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


async def test_a_repeat_to_a_new_instance_has_the_same_answer(
    instance: Instance, database: Path, clock: VirtualClock
) -> None:
    match_id = await started(instance)
    chosen = await act(instance, match_id, HEADS, "one")
    refused = await act(instance, match_id, HEADS, "two")
    for _ in range(FEW):
        await someone_acts(instance, match_id)
    before = on_record(instance, match_id)

    restarted = Instance(settings(database), clock)
    async with restarted.running():
        assert same(chosen, await act(restarted, match_id, HEADS, "one"))
        assert same(refused, await act(restarted, match_id, HEADS, "two"))
        assert on_record(restarted, match_id) == before


async def test_a_reused_key_is_known_by_a_new_instance_for_its_first_action(
    instance: Instance, database: Path, clock: VirtualClock
) -> None:
    match_id = await started(instance)
    first = await act(instance, match_id, HEADS, "one")
    await act(instance, match_id, TAILS, "one")

    restarted = Instance(settings(database), clock)
    async with restarted.running():
        assert (await act(restarted, match_id, TAILS, "one")).result.code == REUSED_KEY
        assert same(first, await act(restarted, match_id, HEADS, "one"))


async def test_a_known_key_takes_precedence_over_a_stale_view(instance: Instance) -> None:
    """A repeated conditional request is answered although its view is not the latest any more."""
    match_id = await started(instance)
    seq, _ = await instance.sessions.view(match_id, 0, None)
    command, wanted = sends(0, HEADS, "one"), frozenset({seq})
    first = await instance.matches.execute(match_id, command, 0, wanted)
    assert same(first, await instance.matches.execute(match_id, command, 0, wanted))


# If-Match.


async def test_only_the_first_of_two_for_one_view_counts(instance: Instance) -> None:
    match_id = await started(instance)
    seq, _ = await instance.sessions.view(match_id, 0, None)
    first, second = await asyncio.gather(
        *(
            instance.matches.execute(match_id, sends(0, a), 0, frozenset({seq}))
            for a in (HEADS, TAILS)
        ),
        return_exceptions=True,
    )
    assert isinstance(first, CommandResponse) and first.result.code is None
    assert isinstance(second, PreconditionFailed)
    assert received(instance, match_id) == [None]
