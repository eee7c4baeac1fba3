"""Idempotency keys and `If-Match`: a repeated request always gets its first response."""

import asyncio
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from domain.games.dollar_prize.actions import ChooseSide, Place
from domain.match.commands import REUSED_KEY
from domain.match.events import ActionReceived, ActionRefused
from service.application.matches.command_queue import CommandResponse, PreconditionFailed
from service.instance import Instance
from tests.support.instance.service_instance import (
    NOT_NOW,
    on_record,
    seen,
    sends,
    settings,
    someone_acts,
    started,
)
from tests.support.instants import SECOND
from tests.support.virtual_clock import VirtualClock

HEADS, TAILS = ChooseSide("heads"), ChooseSide("tails")
FEW = 8


@pytest.fixture(params=[1_000, FEW], ids=["all kept", "few kept"], autouse=True)
def _records_in_memory(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every rule here holds whether or not the whole match is still in memory."""
    monkeypatch.setattr("projections.audience.projection.RECENT_LINES", request.param)


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


async def test_a_repeat_after_the_end_has_the_same_answer(instance: Instance) -> None:
    match_id = await started(instance)
    first = await act(instance, match_id, HEADS, "one")
    while await someone_acts(instance, match_id):
        pass
    assert same(first, await act(instance, match_id, HEADS, "one"))


async def test_a_key_used_for_another_action_is_refused_and_recorded(instance: Instance) -> None:
    match_id = await started(instance)
    first = await act(instance, match_id, HEADS, "one")

    for _ in range(2):
        other = await act(instance, match_id, TAILS, "one")
        assert other.result.code == REUSED_KEY and not other.result.replayed
        last = on_record(instance, match_id)[-2:]
        assert isinstance(last[0].event, ActionReceived) and last[0].event.key == "one"
        assert last[1].event == ActionRefused(0, REUSED_KEY)

    assert same(first, await act(instance, match_id, HEADS, "one"))


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


async def test_a_key_belongs_to_one_seat_of_one_match(instance: Instance) -> None:
    match_id, other = await started(instance), await started(instance)
    answers = [
        await act(instance, match_id, HEADS, "one", seat=0),
        await act(instance, match_id, HEADS, "one", seat=1),
        await act(instance, other, HEADS, "one", seat=0),
    ]
    assert not any(answer.result.replayed for answer in answers)
    assert [answer.result.code for answer in answers] == [None, "wrong_phase", None]


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


async def test_a_stale_request_leaves_nothing_and_its_key_is_free(instance: Instance) -> None:
    match_id = await started(instance)
    seq, _ = await instance.sessions.view(match_id, 0, None)
    with pytest.raises(PreconditionFailed):
        await instance.matches.execute(match_id, sends(0, HEADS, "one"), 0, frozenset({seq - 1}))
    assert received(instance, match_id) == []
    answer = await instance.matches.execute(match_id, sends(0, TAILS, "one"), 0, frozenset({seq}))
    assert answer.result.code is None


async def test_events_hidden_from_a_seat_make_none_of_its_views_stale(instance: Instance) -> None:
    match_id = await started(instance)
    seq, _ = await instance.sessions.view(match_id, 0, None)
    for _ in range(2 * FEW):
        await instance.matches.execute(match_id, sends(1, Place("penny")), 1)
    answer = await instance.matches.execute(match_id, sends(0, HEADS), 0, frozenset({seq}))
    assert answer.result.code is None
    assert answer.view == seen(on_record(instance, match_id), match_id, "dollar-prize", 0)
