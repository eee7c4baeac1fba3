"""Idempotency keys and `If-Match`: a repeated request always gets its first response."""

from typing import Any
from uuid import UUID

import pytest

from domain.games.dollar_prize.actions import ChooseSide
from domain.match.events import ActionReceived
from service.application.matches.command_queue import CommandResponse
from service.instance import Instance
from tests.support.instance.service_instance import (
    NOT_NOW,
    on_record,
    sends,
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


# If-Match.
