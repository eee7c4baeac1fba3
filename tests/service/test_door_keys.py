"""Idempotency keys and `If-Match`: the same request again is answered as it was, for ever."""

import asyncio
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from domain.commands import REUSED_KEY
from domain.games.dollar_prize.actions import ChooseSide, Place
from domain.match_events import ActionReceived, ActionRefused
from service.arbiter import Arbiter
from service.clock import VirtualClock
from service.door.pending import Answer, Stale
from tests.clock import SECOND
from tests.service.instance import (
    NOT_NOW,
    on_record,
    seen,
    sends,
    settings,
    someone_acts,
    started,
)

HEADS, TAILS = ChooseSide("heads"), ChooseSide("tails")
FEW = 8


@pytest.fixture(params=[1_000, FEW], ids=["all kept", "few kept"], autouse=True)
def _kept(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every rule here holds whether or not the match is still in memory from its beginning."""
    monkeypatch.setattr("service.door.open_match.KEPT", request.param)


def act(arbiter: Arbiter, match_id: UUID, action: Any, key: str, seat: int = 0) -> Any:
    return arbiter.matches.enter(match_id, sends(seat, action, key), seat)


def same(first: Answer, again: Answer) -> bool:
    """Whether the sender is told the same, but for being told that it is a repeat."""
    assert again.verdict.replayed and not first.verdict.replayed
    one, two = first.verdict, again.verdict
    return (one.at, one.position, one.end, one.code, first.seq, first.view, first.view_seq) == (
        two.at, two.position, two.end, two.code, again.seq, again.view, again.view_seq
    )  # fmt: skip


def received(arbiter: Arbiter, match_id: UUID) -> list[str | None]:
    events = [record.event for record in on_record(arbiter, match_id)]
    return [event.key for event in events if isinstance(event, ActionReceived)]


async def test_a_repeat_in_the_same_transaction_has_the_same_answer(arbiter: Arbiter) -> None:
    match_id = await started(arbiter)
    first, again, third = await asyncio.gather(
        *(act(arbiter, match_id, HEADS, "one") for _ in range(3))
    )
    assert same(first, again) and same(first, third)
    assert received(arbiter, match_id) == ["one"]


async def test_a_repeat_beside_what_followed_it_has_the_same_answer(arbiter: Arbiter) -> None:
    match_id = await started(arbiter)
    first, other, again = await asyncio.gather(
        act(arbiter, match_id, HEADS, "one"),
        act(arbiter, match_id, NOT_NOW, "two"),
        act(arbiter, match_id, HEADS, "one"),
    )
    assert same(first, again)
    assert other.view_seq > first.view_seq


@pytest.mark.parametrize("action", [HEADS, NOT_NOW], ids=["valid", "refused"])
async def test_a_repeat_after_many_others_has_the_same_answer(
    arbiter: Arbiter, clock: VirtualClock, action: Any
) -> None:
    match_id = await started(arbiter)
    first = await act(arbiter, match_id, action, "one")
    for n in range(3 * FEW):
        clock.pass_time(SECOND)
        await act(arbiter, match_id, NOT_NOW, f"other {n}", seat=n % 2)

    assert same(first, await act(arbiter, match_id, action, "one"))
    assert received(arbiter, match_id).count("one") == 1


async def test_a_repeat_to_a_new_instance_has_the_same_answer(
    arbiter: Arbiter, database: Path, clock: VirtualClock
) -> None:
    match_id = await started(arbiter)
    chosen = await act(arbiter, match_id, HEADS, "one")
    refused = await act(arbiter, match_id, HEADS, "two")
    for _ in range(FEW):
        await someone_acts(arbiter, match_id)
    before = on_record(arbiter, match_id)

    restarted = Arbiter(settings(database), clock)
    async with restarted.running():
        assert same(chosen, await act(restarted, match_id, HEADS, "one"))
        assert same(refused, await act(restarted, match_id, HEADS, "two"))
        assert on_record(restarted, match_id) == before


async def test_a_repeat_after_the_end_has_the_same_answer(arbiter: Arbiter) -> None:
    match_id = await started(arbiter)
    first = await act(arbiter, match_id, HEADS, "one")
    while await someone_acts(arbiter, match_id):
        pass
    assert same(first, await act(arbiter, match_id, HEADS, "one"))


async def test_a_key_used_for_another_action_is_refused_and_recorded(arbiter: Arbiter) -> None:
    match_id = await started(arbiter)
    first = await act(arbiter, match_id, HEADS, "one")

    for _ in range(2):
        other = await act(arbiter, match_id, TAILS, "one")
        assert other.verdict.code == REUSED_KEY and not other.verdict.replayed
        last = on_record(arbiter, match_id)[-2:]
        assert isinstance(last[0].event, ActionReceived) and last[0].event.key == "one"
        assert last[1].event == ActionRefused(0, REUSED_KEY)

    assert same(first, await act(arbiter, match_id, HEADS, "one"))


async def test_a_reused_key_is_known_by_a_new_instance_for_its_first_action(
    arbiter: Arbiter, database: Path, clock: VirtualClock
) -> None:
    match_id = await started(arbiter)
    first = await act(arbiter, match_id, HEADS, "one")
    await act(arbiter, match_id, TAILS, "one")

    restarted = Arbiter(settings(database), clock)
    async with restarted.running():
        assert (await act(restarted, match_id, TAILS, "one")).verdict.code == REUSED_KEY
        assert same(first, await act(restarted, match_id, HEADS, "one"))


async def test_a_key_belongs_to_one_seat_of_one_match(arbiter: Arbiter) -> None:
    match_id, other = await started(arbiter), await started(arbiter)
    answers = [
        await act(arbiter, match_id, HEADS, "one", seat=0),
        await act(arbiter, match_id, HEADS, "one", seat=1),
        await act(arbiter, other, HEADS, "one", seat=0),
    ]
    assert not any(answer.verdict.replayed for answer in answers)
    assert [answer.verdict.code for answer in answers] == [None, "wrong_phase", None]


async def test_a_known_key_goes_before_a_stale_view(arbiter: Arbiter) -> None:
    """The repeat of a conditional request is answered, though its view is no longer the latest."""
    match_id = await started(arbiter)
    seq, _ = await arbiter.open_matches.view(match_id, 0, None)
    command, wanted = sends(0, HEADS, "one"), frozenset({seq})
    first = await arbiter.matches.enter(match_id, command, 0, wanted)
    assert same(first, await arbiter.matches.enter(match_id, command, 0, wanted))


# If-Match.


async def test_only_the_first_of_two_meant_for_one_view_counts(arbiter: Arbiter) -> None:
    match_id = await started(arbiter)
    seq, _ = await arbiter.open_matches.view(match_id, 0, None)
    first, second = await asyncio.gather(
        *(
            arbiter.matches.enter(match_id, sends(0, a), 0, frozenset({seq}))
            for a in (HEADS, TAILS)
        ),
        return_exceptions=True,
    )
    assert isinstance(first, Answer) and first.verdict.code is None
    assert isinstance(second, Stale)
    assert received(arbiter, match_id) == [None]


async def test_a_stale_request_leaves_nothing_and_its_key_is_free(arbiter: Arbiter) -> None:
    match_id = await started(arbiter)
    seq, _ = await arbiter.open_matches.view(match_id, 0, None)
    with pytest.raises(Stale):
        await arbiter.matches.enter(match_id, sends(0, HEADS, "one"), 0, frozenset({seq - 1}))
    assert received(arbiter, match_id) == []
    answer = await arbiter.matches.enter(match_id, sends(0, TAILS, "one"), 0, frozenset({seq}))
    assert answer.verdict.code is None


async def test_what_only_others_are_told_makes_no_view_stale(arbiter: Arbiter) -> None:
    match_id = await started(arbiter)
    seq, _ = await arbiter.open_matches.view(match_id, 0, None)
    for _ in range(2 * FEW):
        await arbiter.matches.enter(match_id, sends(1, Place("penny")), 1)
    answer = await arbiter.matches.enter(match_id, sends(0, HEADS), 0, frozenset({seq}))
    assert answer.verdict.code is None
    assert answer.view == seen(on_record(arbiter, match_id), match_id, "dollar-prize", 0)
