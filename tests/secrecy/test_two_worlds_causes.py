"""A cause is a number of its reader's own: what is hidden among an input and its consequences
changes no number that anyone gets."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import pytest

from domain.events import Event, Record
from domain.match.events import Directed, DrawRefused
from domain.rulings.events import MatchRuled, SeatRuled
from projections.audience.disclosure import MODERATOR, Viewer
from projections.audience.lines import in_own_numbers, line_text, own_number
from projections.evidence.timeline import TimelineEntry, timeline_for
from tests.recorded.files import outcome, records, views
from tests.support.evidence.recorded_timelines import NAMES, audiences, can_see, entries_of
from tests.support.tables.forged_records import arranged
from tests.support.tables.own_events import rulings

HIDDEN = DrawRefused("x", ("edge",), "y")

Order = list[int | Event]


def with_hidden(played: Sequence[Record[Event]]) -> Order:
    """Something that moderators alone see, after every input with its first consequence, among the
    other consequences and after the last."""
    order: Order = []
    for index, record in enumerate(played):
        order += [index] if record.back == 1 or index == 0 else [HIDDEN, index]
    return [*order, HIDDEN]


def directed_by_nobody(played: Sequence[Record[Event]]) -> Order:
    """Without what moderators alone see right after an input."""
    return [n for n, record in enumerate(played) if not isinstance(record.event, Directed)]


def other_world(played: Sequence[Record[Event]], order: Order) -> list[Record[Event]]:
    """The records in this order, in which what names another by its position still does."""
    moved = {one + 1: place + 1 for place, one in enumerate(order) if isinstance(one, int)}
    return [in_own_numbers(record, lambda n: moved[n]) for record in arranged(played, order)]


def received(played: Sequence[Record[Event]], viewer: Viewer) -> dict[str, Any]:
    """All in which a number stands that a reader gets."""
    positions = [n for n, one in enumerate(played, 1) if can_see(viewer, one.event)]
    own = [played[n - 1] for n in positions]

    def number(position: int) -> int:
        return own_number(positions, position)

    entries = timeline_for(entries_of(played), viewer)
    return {
        "timeline": [msgspec.structs.replace(entry, record=None) for entry in entries],
        "lines": [line_text(record, number) for record in own],
        "rulings": rulings(positions, own, number),
    }


def without_moderators(name: str, played: Sequence[Record[Event]]) -> dict[str, Any]:
    shown = views(outcome(name).match, list(played))
    return {audience: view for audience, view in shown.items() if audience != "moderator"}


@pytest.mark.parametrize("change", [with_hidden, directed_by_nobody])
@pytest.mark.parametrize("name", NAMES)
def test_hidden_events_within_a_batch_change_no_number_of_a_reader(
    name: str, change: Callable[[Sequence[Record[Event]]], Order]
) -> None:
    one = records(name)
    other = other_world(one, change(one))
    for viewer in audiences(one):
        if viewer != MODERATOR:
            assert received(other, viewer) == received(one, viewer)
    assert without_moderators(name, other) == without_moderators(name, one)


def test_the_other_world_is_another_one() -> None:
    played = records("liars-dice.reapplied")
    for change in (with_hidden, directed_by_nobody):
        other = other_world(played, change(played))
        assert {one.back for one in other} != {one.back for one in played}


@pytest.mark.parametrize("name", NAMES)
def test_a_cause_is_the_number_of_its_reader_and_null_only_where_they_have_not_got_it(
    name: str,
) -> None:
    played = records(name)
    for viewer in audiences(played):
        positions = [n for n, one in enumerate(played, 1) if can_see(viewer, one.event)]
        entries = timeline_for(entries_of(played), viewer)
        for position, entry in zip(positions, entries, strict=True):
            assert_cause(played, positions, position, entry)


def assert_cause(
    played: Sequence[Record[Event]], positions: list[int], position: int, entry: TimelineEntry
) -> None:
    record = played[position - 1]
    of = position - record.back
    if of not in positions:
        # A ruling that a reader is told of is the input for them.
        told = [n for n in positions if n - played[n - 1].back == of and is_ruling(played[n - 1])]
        of = min([n for n in told if n <= position], default=0)
    assert entry.input == (of == position)
    if entry.input or of == 0:
        assert entry.cause is None
    else:
        assert entry.cause == positions.index(of) + 1 < entry.number


def is_ruling(record: Record[Event]) -> bool:
    return isinstance(record.event, MatchRuled | SeatRuled)
