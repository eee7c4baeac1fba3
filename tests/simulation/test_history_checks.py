"""Each check of a history can fail: a history of which one thing is altered is found out."""

from collections.abc import Callable, Iterable
from itertools import combinations
from typing import TypeVar

import pytest
from msgspec.structs import replace

from domain.events import Record
from domain.tournament_events import GarnetsPosted, MatchSettled
from tests.support.simulation.history_checks import Checker, Violation, ViolationKind
from tests.support.simulation.simulated_world import World
from tests.support.simulation.simulation_history import (
    Answered,
    Created,
    Entry,
    Failed,
    Happened,
    History,
    LineRead,
    Posted,
    Sent,
    Unanswered,
    Viewed,
)
from tests.support.simulation.simulation_plan import planned
from tests.support.simulation.simulation_run import simulated
from tests.support.simulation.simulation_verdict import checker

STEPS = 200
SEED = "c"

E = TypeVar("E", bound=Entry)
Alter = Callable[[History], Iterable[Entry]]


@pytest.fixture(scope="module", name="world")
def a_world() -> World:
    return simulated(planned(SEED, STEPS))


def of(history: Iterable[Entry], kind: type[E], such: Callable[[E], bool] = lambda _: True) -> E:
    """The last entry of a kind."""
    return [entry for entry in history if isinstance(entry, kind) and such(entry)][-1]


def with_(history: History, old: Entry, *new: Entry) -> list[Entry]:
    """The history with other entries in place of one."""
    where = next(index for index, entry in enumerate(history) if entry is old)
    return [*history[:where], *new, *history[where + 1 :]]


def too_early(history: History) -> Iterable[Entry]:
    one = of(history, Answered)
    return with_(history, one, replace(one, on_record=one.result.end - 1))


def elsewhere(history: History) -> Iterable[Entry]:
    one = of(history, Answered, lambda one: one.key is not None)
    result = replace(one.result, position=one.result.position - 1)
    return with_(history, one, replace(one, response=replace(one.response, result=result)))


def never_sent(history: History) -> Iterable[Entry]:
    answered = {one.step for one in history if isinstance(one, Answered)}
    return with_(history, of(history, Sent, lambda one: one.step in answered))


def other_answer(history: History) -> Iterable[Entry]:
    one = of(history, Answered, lambda one: one.key is not None)
    other = replace(one, response=replace(one.response, seq=one.response.seq + 1))
    return with_(history, one, one, other)


def received_earlier(history: History) -> Iterable[Entry]:
    """The last answer of a process that had answered an earlier action of the match."""
    answers = [one for one in history if isinstance(one, Answered) and not one.result.replayed]
    behind = [
        later
        for earlier, later in combinations(answers, 2)
        if (earlier.match, earlier.process) == (later.match, later.process)
        and earlier.result.position < later.result.position
    ]
    return with_(history, behind[-1], replace(behind[-1], receipt=0))


def recorded_too_early(history: History) -> Iterable[Entry]:
    one = of(history, Answered, lambda one: not one.result.replayed)
    return with_(history, one, replace(one, begun=one.at + 10, at=one.at + 20), one)


def read_too_little(history: History) -> Iterable[Entry]:
    one = of(history, Viewed, lambda one: one.seq > 10 and not one.asked)
    return with_(history, one, one, replace(one, seq=1, begun=one.at + 1, at=one.at + 2))


def seen_too_early(history: History) -> Iterable[Entry]:
    one = of(history, Viewed)
    return with_(history, one, replace(one, on_record=0))


def line_too_early(history: History) -> Iterable[Entry]:
    one = of(history, LineRead)
    return with_(history, one, replace(one, on_record=0))


def other_view(history: History) -> Iterable[Entry]:
    one = of(history, Viewed)
    return with_(history, one, replace(one, view=one.view + b" "))


def other_line(history: History) -> Iterable[Entry]:
    one = of(history, LineRead)
    return with_(history, one, replace(one, line=one.line.replace(b'"at"', b'"to"')))


def lost_line(history: History) -> Iterable[Entry]:
    following = [one for one in history if isinstance(one, LineRead) and one.after == 1]
    return with_(history, following[0])


def line_twice(history: History) -> Iterable[Entry]:
    one = of(history, LineRead)
    return with_(history, one, one, one)


def made_twice(history: History) -> Iterable[Entry]:
    one, other = of(history, Created), next(e for e in history if isinstance(e, Created))
    return with_(history, one, one, replace(one, id=other.id))


def not_posted(history: History) -> Iterable[Entry]:
    one = of(history, Posted)
    return with_(history, one, replace(one, key="another"))


def added(entry: Entry) -> Alter:
    """Something more at the end."""
    return lambda history: [*history, entry]


@pytest.mark.parametrize(
    ("alter", "kind"),
    [
        (too_early, "acknowledged before it is on record"),
        (elsewhere, "acknowledged and not on record"),
        (never_sent, "recorded twice"),
        (other_answer, "two answers"),
        (received_earlier, "order"),
        (recorded_too_early, "order"),
        (read_too_little, "stale"),
        (seen_too_early, "seen before it is on record"),
        (line_too_early, "seen before it is on record"),
        (other_view, "seen otherwise"),
        (other_line, "seen otherwise"),
        (lost_line, "gap"),
        (line_twice, "gap"),
        (made_twice, "recorded twice"),
        (not_posted, "acknowledged and not on record"),
        (added(Failed(1, 1, "unexpected", "KeyError")), "error"),
        (added(Failed(1, 1, "read", "UnknownMatch")), "error"),
        (added(Happened(1, "broken", "0.1")), "error"),
        (added(Unanswered(1, "step 1")), "not done"),
    ],
)
def test_an_altered_history_is_found_out(world: World, alter: Alter, kind: ViolationKind) -> None:
    assert checker(world).violations() == []
    altered = Checker(
        History(alter(world.history)), world.records, set(checker(world).matches)
    ).violations()
    assert kind in {found.kind for found in altered}


# What is on record.


def violations(world: World) -> list[Violation]:
    return checker(world).violations()


@pytest.fixture(name="fresh")
def a_fresh_world() -> World:
    return simulated(planned(SEED, STEPS))


def test_a_record_that_does_not_follow_from_its_inputs_is_found_out(fresh: World) -> None:
    records = fresh.record(checker(fresh).matches[0])
    records.append(records[0])
    assert "record" in {found.kind for found in violations(fresh)}


def test_books_that_do_not_balance_are_found_out(fresh: World) -> None:
    records = fresh.record(fresh.tournaments[0])
    records.append(
        Record(
            records[-1].at, records[-1].back, GarnetsPosted(0, "player", "house", 10**6, "stolen")
        )
    )
    assert "ledger" in {found.kind for found in violations(fresh)}


def test_a_match_that_is_settled_twice_is_found_out(fresh: World) -> None:
    settled = [
        (tournament, record)
        for tournament in fresh.tournaments
        for record in fresh.record(tournament)
        if isinstance(record.event, MatchSettled)
    ]
    tournament, record = settled[0]
    fresh.record(tournament).append(record)
    assert "settled twice" in {found.kind for found in violations(fresh)}
