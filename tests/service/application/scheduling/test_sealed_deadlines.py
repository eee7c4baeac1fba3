"""Sealed submissions around a deadline on the machine's own clock: each is judged by its time of
receipt, and the phase resolves once."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import UUID

import pytest

from domain.events import Event, Record
from domain.games.together.actions import Submit
from domain.games.together.events import RoundCounted, RoundEnded, SubmissionMade
from domain.match.events import ActionReceived, DeadlinePassed, SubmissionInvalid
from service.application.matches.command_queue import CommandResponse
from service.application.matches.creation import MatchSetup
from service.instance import Instance
from tests.support.instance.service_instance import PATIENCE, on_record, sends, settings
from tests.support.shifted_clock import Shifted
from tests.support.tables.directing import START

SEATS = 16
WINDOW = 5_000
"""Microseconds before and after a deadline."""
WANTED = 1_000
MOST_MATCHES = 500
"""Only bounds a test that makes no progress; the number needed depends on the machine."""


@pytest.fixture
def ahead() -> Shifted:
    return Shifted()


@pytest.fixture
async def timely(tmp_path: Path, ahead: Shifted) -> AsyncIterator[Instance]:
    instance = Instance(settings(tmp_path / "arbiter.db"), ahead)
    async with instance.running():
        yield instance


async def a_round(instance: Instance) -> tuple[UUID, int]:
    """A match in its first round, and the instant when that ends."""
    names = tuple(f"Seat {seat}" for seat in range(SEATS))
    # No one is voted off the stage, so the match goes on with a second round.
    options = {"all_tied": "none_out"}
    opened = await instance.creation.match(
        MatchSetup("together", names, options, "server", "rules", None)
    )
    await instance.matches.execute(opened.id, START, "moderator")
    match = (await instance.sessions.current(opened.id)).match
    assert match is not None and match.awaiting.deadline is not None
    return opened.id, match.awaiting.deadline


def nth(number: int) -> tuple[int, Submit]:
    """A seat and its submission for the first round; some are not valid."""
    seat = number % SEATS
    others = [b for b in range(SEATS // 2, SEATS) if b != seat]
    votes = tuple(others[(number + n) % len(others)] for n in range(3 if number % 7 else 2))
    return seat, Submit(b=votes, round=1)


async def race(
    instance: Instance, ahead: Shifted, match: UUID, due: int, before: int
) -> list[tuple[int, Submit, CommandResponse]]:
    """Sends submissions as fast as possible, from `before` the deadline to just after it."""
    ahead.go_to(due - 4 * WINDOW)
    while ahead.now() < due - before:  # noqa: ASYNC110  the clock is what is waited for
        await asyncio.sleep(0)
    sent: list[tuple[int, Submit, asyncio.Task[CommandResponse]]] = []
    while ahead.now() < due + WINDOW:
        seat, action = nth(len(sent))
        entering = instance.matches.execute(match, sends(seat, action, f"k{len(sent)}"), seat)
        sent.append((seat, action, asyncio.create_task(entering)))
        await asyncio.sleep(0)
    async with asyncio.timeout(PATIENCE):
        answered = [(seat, action, await task) for seat, action, task in sent]
        # If the machine paused over the deadline, no one sent a late submission to let it pass.
        await instance.matches.pass_deadline(match)
    return answered


def check_answers(sent: list[tuple[int, Submit, CommandResponse]], due: int) -> None:
    """Received before the deadline: valid or invalid by the rules. Received at it or later:
    late."""
    for _, action, answer in sent:
        assert action.b is not None
        in_time = None if len(action.b) == 3 else "not_three_votes"
        assert answer.result.code == (in_time if answer.result.at < due else "late")
        assert not answer.result.refused


def check_record(records: list[Record[Event]], due: int) -> None:
    """The deadline is recorded once, between the submissions before and after it; the last valid
    one of each seat before it counts."""
    (passed,) = (n for n, r in enumerate(records) if isinstance(r.event, DeadlinePassed))
    assert all(r.at < due for r in records[:passed])
    assert all(r.at >= due for r in records[passed:])
    assert records[passed].at == due
    assert sum(isinstance(r.event, RoundEnded) for r in records) == 1
    last = {r.event.seat: r.event for r in records[:passed] if isinstance(r.event, SubmissionMade)}
    votes = [seat for made in last.values() for seat in made.b or ()]
    (counted,) = (r.event for r in records if isinstance(r.event, RoundCounted))
    assert counted.b == tuple(votes.count(seat) for seat in range(SEATS))
    late = [r.event for r in records[passed:] if isinstance(r.event, SubmissionInvalid)]
    came = [r.event for r in records[passed:] if isinstance(r.event, ActionReceived)]
    assert [event.code for event in late] == ["late"] * len(came)


async def test_a_thousand_submissions_within_5_ms_of_a_deadline_are_judged_by_their_time_of_receipt(
    timely: Instance, ahead: Shifted
) -> None:
    early = late = 0
    for n in range(MOST_MATCHES):
        match, due = await a_round(timely)
        # Many matches keep the machine busy; with the same start all submissions might be early.
        sent = await race(timely, ahead, match, due, WINDOW // (1 + n % 8))
        check_answers(sent, due)
        check_record(on_record(timely, match), due)
        early += sum(due - WINDOW <= answer.result.at < due for _, _, answer in sent)
        late += sum(due <= answer.result.at < due + WINDOW for _, _, answer in sent)
        if early >= WANTED // 2 and late >= WANTED // 2:
            return
    raise AssertionError(f"only {early} early and {late} late ones")
