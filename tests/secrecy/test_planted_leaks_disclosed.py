"""Leaks of sealed phases, each planted in what discloses a game, are found: in audiences, numbers,
instants, views and lists.
"""

from collections.abc import Sequence
from dataclasses import replace as declared_with
from typing import Any, ClassVar

import pytest
from msgspec.structs import replace

from domain.events import OWN_SEAT, PUBLIC, SEALED, Record, SealedEvent
from domain.events import Event as BaseEvent
from domain.games.grouping_bw.events import GroupsSubmitted
from domain.games.grouping_bw.rules import GAME as GROUPING
from domain.games.together.events import SubmissionMade
from domain.games.together.rules import GAME as TOGETHER
from domain.match.events import (
    ActionReceived,
    ActionRefused,
    AwaitingChanged,
    SubmissionInvalid,
)
from domain.match.state import AnyGame
from projections import boards
from projections.audience import disclosure
from projections.audience import view as audience
from projections.audience.disclosure import Viewer
from projections.audience.matches import list_match
from projections.audience.submissions import remember
from projections.boards.together import BOARDS
from projections.texts.timestamps import rfc3339
from tests.support.planted_leaks import (
    Planted,
    assert_found,
    numbers_skip_hidden_events,
    seen_too,
    with_each_action,
)
from tests.support.sealed_leaks import MINUTE, found
from tests.support.tables.match_table import MatchTable
from tests.support.worlds_sealed import VIEWER

# Leaks in audiences.


def shown_to_all(patch: pytest.MonkeyPatch, kind: type[BaseEvent]) -> None:
    """Everyone reads events of this kind among their own."""
    seen_too(patch, lambda _, event: isinstance(event, kind))


def submissions_are_public(patch: pytest.MonkeyPatch) -> AnyGame:
    shown_to_all(patch, SubmissionMade)
    return TOGETHER


def groups_are_public(patch: pytest.MonkeyPatch) -> AnyGame:
    patch.setattr(GroupsSubmitted, "audience", PUBLIC)
    return GROUPING


def that_one_was_invalid_is_public(patch: pytest.MonkeyPatch) -> AnyGame:
    shown_to_all(patch, SubmissionInvalid)
    return TOGETHER


def what_was_received_is_public(patch: pytest.MonkeyPatch) -> AnyGame:
    patch.setattr(ActionReceived, "audience", PUBLIC)
    return GROUPING


def refusals_are_public(patch: pytest.MonkeyPatch) -> AnyGame:
    patch.setattr(ActionRefused, "audience", PUBLIC)
    return TOGETHER


def seats_see_each_others_events(patch: pytest.MonkeyPatch) -> AnyGame:
    seen_too(patch, lambda v, event: isinstance(v, int) and event.audience == OWN_SEAT)
    return TOGETHER


# Leaks in numbers, instants, views and lists.


def hidden_events_are_counted(patch: pytest.MonkeyPatch) -> AnyGame:
    numbers_skip_hidden_events(patch)
    return TOGETHER


def every_instant_is_given_once(patch: pytest.MonkeyPatch) -> AnyGame:
    """Of a coarse clock: what comes in the same minute is a microsecond later each time."""
    honest = MatchTable.when

    def when(table: MatchTable, command: Any, at: int | None = None) -> MatchTable:
        return honest(table, command, max(table.at + 1, (at or 0) // MINUTE * MINUTE))

    patch.setattr(MatchTable, "when", when)
    return TOGETHER


def a_view_counts_hidden_events(patch: pytest.MonkeyPatch) -> AnyGame:
    """The number of a view is that of the record."""
    honest = audience.see_all

    def see_all(seen: audience.AudienceState, records: Any) -> audience.AudienceState:
        all_ = tuple(records)
        after = honest(seen, all_)
        return replace(after, seq=seen.seq + len(all_))

    patch.setattr(audience, "see_all", see_all)
    return GROUPING


def a_board_is_handed_what_is_sealed(patch: pytest.MonkeyPatch) -> AnyGame:
    """The public's board shows in its deadline that a submission came."""
    honest = disclosure.may_see

    def evolve(shown: Any, event: BaseEvent, viewer: Viewer, at: int) -> Any:
        if not honest(viewer, event):
            return replace(shown, board=replace(shown.board, deadline=rfc3339(at)))
        return BOARDS.evolve(shown, event, viewer, at)

    patch.setattr(audience, "may_see", lambda v, e: isinstance(e, SubmissionMade) or honest(v, e))
    patch.setitem(boards.BOARDS, TOGETHER.id, declared_with(BOARDS, evolve=evolve))
    return TOGETHER


def the_list_shows_when_something_last_happened(patch: pytest.MonkeyPatch) -> AnyGame:

    def moved(match: str, row: Any, record: Record[BaseEvent]) -> Any:
        after = list_match(match, row, record)
        return None if after is None else replace(after, started_at=rfc3339(record.at))

    patch.setattr("tests.support.worlds.list_match", moved)
    return GROUPING


def keys_are_shared_by_all_seats(patch: pytest.MonkeyPatch) -> AnyGame:
    """A key used by another seat is known already."""

    def shared(answers: Any, records: Any, position: int = 0) -> None:
        every: Any = {}
        remember(every, records, position)
        for (_, key), known in sorted(every.items(), key=lambda item: item[1].position):
            answers.setdefault((VIEWER, key), known)

    patch.setattr("tests.support.worlds.remember", shared)
    return TOGETHER


def awaiting_is_announced_for_every_submission(patch: pytest.MonkeyPatch) -> AnyGame:
    """Nothing in it changes, but that it comes reveals the submission."""

    class AwaitingRepeated(AwaitingChanged, frozen=True, tag="together.awaiting-repeated.1"):
        audience: ClassVar = PUBLIC

    return with_each_action(TOGETHER, AwaitingRepeated)


def sealed_events_reach_everybody(patch: pytest.MonkeyPatch) -> AnyGame:
    """Moderators' notes on submissions, disclosed as if they were the public's."""

    class Noted(SealedEvent, frozen=True, tag="grouping-bw.noted.1"):
        by: int

    def decide(state: Any, seat: int, action: Any) -> Sequence[Any]:
        return [Noted(seat), *GROUPING.decide(state, seat, action)]

    seen_too(patch, lambda _, event: event.audience == SEALED)
    return declared_with(GROUPING, decide=decide, Event=GROUPING.Event | Noted)


LEAKS: list[tuple[Planted, str]] = [
    (submissions_are_public, "lines"),
    (groups_are_public, "lines"),
    (that_one_was_invalid_is_public, "lines"),
    (what_was_received_is_public, "lines"),
    (refusals_are_public, "lines"),
    (seats_see_each_others_events, "lines"),
    (hidden_events_are_counted, "lines"),
    (every_instant_is_given_once, "lines"),
    (a_view_counts_hidden_events, "views"),
    (a_board_is_handed_what_is_sealed, "views"),
    (the_list_shows_when_something_last_happened, "row"),
    (keys_are_shared_by_all_seats, "answers"),
    (awaiting_is_announced_for_every_submission, "lines"),
    (sealed_events_reach_everybody, "lines"),
]


@pytest.mark.parametrize(
    ("plant", "where"), LEAKS, ids=lambda value: getattr(value, "__name__", None)
)
def test_a_planted_leak_is_found(
    plant: Planted, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert_found(plant, where, found, monkeypatch)
