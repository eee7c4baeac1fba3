"""The timeline: every event with its actor, times, cause, rule and readers, and what each audience
could know of it at any time."""

from collections.abc import Sequence
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from domain.events import Event, Record
from domain.games import GAMES
from domain.games.dollar_prize.actions import ChooseSide, Place
from domain.games.dollar_prize.rules import CODES
from domain.match.commands import REUSED_KEY, Act
from domain.match.events import (
    ActionReceived,
    ActionRefused,
    DrawRefused,
    DrawSettled,
    MatchCreated,
    SubmissionInvalid,
)
from domain.rulings.events import ActionStruck, MatchRewound
from domain.rulings.kinds import Change
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from projections.audience.lines import in_own_numbers, own_number
from projections.evidence.name_salts import own_records
from projections.evidence.timeline import (
    TimelineEntry,
    shown_to,
    shown_whole,
    timeline,
    timeline_for,
)
from tests.recorded.files import records
from tests.support.evidence.recorded_timelines import NAMES, audiences, can_see, entries_of, whole
from tests.support.instants import NOON, SECOND
from tests.support.tables.directing import START
from tests.support.tables.game_strategies import as_sent
from tests.support.tables.grouping_bw_tables import ASCENDING, group
from tests.support.tables.match_table import MatchTable, seated, steps
from tests.support.tables.rewind_positions import flipped, grouping, last, rewind

TURNED_DOWN = (ActionRefused, SubmissionInvalid, DrawRefused)

Seen = tuple[int, Record[Event] | None]


def filtered(viewer: Viewer, played: Sequence[Record[Event]]) -> list[Seen]:
    """What a viewer receives, in its own count, computed by going through everything. A seat that
    someone has taken over is not told the salt of its first name."""
    positions = [n for n, record in enumerate(played, 1) if can_see(viewer, record.event)]
    own = (record for record in own_records(viewer, played) if can_see(viewer, record.event))
    number = partial(own_number, positions)
    return list(enumerate((in_own_numbers(record, number) for record in own), 1))


def shown(entries: Sequence[TimelineEntry]) -> list[Seen]:
    return [(entry.number, entry.record) for entry in entries]


# What anyone could know, and when.


@pytest.mark.parametrize("name", NAMES)
def test_everybody_knows_the_events_that_a_filter_lets_through(name: str) -> None:
    played = records(name)
    for viewer in audiences(played):
        assert shown(timeline_for(whole(name), viewer)) == filtered(viewer, played)


@pytest.mark.parametrize("name", NAMES)
def test_a_moderator_knows_the_whole_time_line(name: str) -> None:
    assert timeline_for(whole(name), MODERATOR) == whole(name)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_the_knowledge_at_an_event_is_the_filter_of_the_events_up_to_it(
    data: st.DataObject,
) -> None:
    name = data.draw(st.sampled_from(NAMES))
    played = records(name)
    upto = data.draw(st.integers(1, len(played)))
    viewer = data.draw(st.sampled_from(audiences(played)))
    at_that_time = timeline_for(whole(name)[:upto], viewer)
    assert shown(at_that_time) == filtered(viewer, played[:upto])
    seen = [
        (n, record) for n, record in enumerate(played[:upto], 1) if can_see(viewer, record.event)
    ]
    positions = [n for n, _ in seen]
    own = shown_to(viewer, positions, [record for _, record in seen])
    assert at_that_time == timeline(own)


@pytest.mark.parametrize("name", NAMES)
def test_no_knowledge_depends_on_hidden_events(name: str) -> None:
    played = records(name)
    for viewer in audiences(played)[:1] + audiences(played)[2:]:
        others = [
            record
            if can_see(viewer, record.event)
            else replace(record, event=DrawRefused("x", (), "y"))
            for record in played
        ]
        changed = timeline_for(entries_of(others), viewer)
        assert changed == timeline_for(whole(name), viewer)


def test_a_hidden_cause_has_no_number() -> None:
    entries = timeline_for(entries_of(act_late().records), 1)
    placed = next(entry for entry in entries if entry.type == "dollar-prize.side-chosen.1")
    assert (placed.cause, placed.recorded) == (None, placed.at)


# Who did what, and from what it follows.


@pytest.mark.parametrize("name", NAMES)
def test_what_follows_from_an_input_bears_its_number(name: str) -> None:
    begun, wanted = 1, list[int | None]()
    for step in steps(records(name)):
        wanted += [None, *[begun] * (len(step) - 1)]
        begun += len(step)
    assert [entry.cause for entry in whole(name)] == wanted
    assert [entry.input for entry in whole(name)] == [cause is None for cause in wanted]


ACTORS = {
    "match.created.1": "organiser",
    "match.seed-committed.1": "service",
    "match.client-seed-given.1": "Ann",
    "match.seed-sealed.1": "service",
    "match.started.1": "moderator the table",
    "match.draw-settled.1": "dealer",
    "match.deadline-passed.1": "clock",
    "match.phase-closed.1": "moderator the table",
    "match.paused.1": "moderator",
    "match.resumed.1": "moderator",
    "match.ended.1": "rules",
    "match.seed-revealed.1": "service",
    "dollar-prize.coin-placed.1": "rules",
}


def test_everything_has_been_done_by_somebody() -> None:
    actors = {entry.type: entry.actor for entry in whole("dollar-prize.seeded")}
    assert {kind: actors[kind] for kind in ACTORS} == ACTORS
    by_hand = {entry.type: entry.actor for entry in whole("dollar-prize.manual")}
    entered = {by_hand["match.draw-settled.1"], by_hand["match.draw-refused.1"]}
    assert entered == {"moderator the table"}


@pytest.mark.parametrize("name", NAMES)
def test_it_shows_who_received_an_event(name: str) -> None:
    for entry in whole(name):
        assert entry.record is not None
        event = entry.record.event
        for viewer in audiences(records(name))[2:]:
            reached = entry.seen_by in ("public", f"seat:{viewer}")
            assert reached == can_see(viewer, event)
        assert (entry.seen_by == "public") == (event.audience == "public")
        assert (entry.seen_by == "moderator") == (event.audience == "sealed")


# Why something was refused.


@pytest.mark.parametrize("name", NAMES)
def test_every_refusal_has_its_code_and_the_rule_in_words(name: str) -> None:
    for entry in whole(name):
        event = entry.record and entry.record.event
        if isinstance(event, TURNED_DOWN):
            assert entry.code == event.code
            assert entry.rule is not None and entry.rule.endswith(".")
        else:
            assert (entry.code, entry.rule) == (None, None)


def test_the_rule_is_the_games() -> None:
    table = seated(GAMES["dollar-prize"]).when(START).act(0, Place("quarter"))
    refused = entries_of(table.records)[-1]
    assert (refused.code, refused.rule) == ("wrong_phase", CODES["wrong_phase"])
    assert (refused.actor, refused.cause) == ("rules", refused.number - 1)


def test_a_key_used_before_is_refused_by_the_service() -> None:
    reused = [entry for name in NAMES for entry in whole(name) if entry.code == REUSED_KEY]
    assert reused and {entry.actor for entry in reused} == {"service"}


def test_without_the_rules_of_a_match_there_is_a_code_and_no_sentence() -> None:
    table = seated(GAMES["dollar-prize"]).when(START).act(0, Place("quarter"))
    created = table.records[0].event
    assert isinstance(created, MatchCreated)
    older = Record(NOON, 0, replace(created, rules_version=999))
    refused = entries_of([older, *table.records[1:]])[-1]
    assert (refused.code, refused.rule) == ("wrong_phase", None)


# When it was received, and when recorded.


def act_late() -> MatchTable:
    """An action that was put on the record five seconds after it was received."""
    table = seated(GAMES["dollar-prize"]).when(START)
    side = ChooseSide("heads")
    at = NOON + SECOND
    return table.when(Act(0, side, as_sent(side), recorded=at + 5 * SECOND), at)


def test_a_late_record_and_its_consequences_show_both_times() -> None:
    late = [entry for entry in entries_of(act_late().records) if entry.recorded != entry.at]
    assert [entry.type for entry in late] == [
        "match.action-received.1",
        "dollar-prize.side-chosen.1",
        "match.awaiting-changed.1",
    ]
    assert {entry.at for entry in late} == {"2026-01-01T12:00:01Z"}
    assert {entry.recorded for entry in late} == {"2026-01-01T12:00:06Z"}


# Sealed events.


def test_a_sealed_event_is_there_and_says_nothing() -> None:
    played = records("grouping-bw.seeded")
    sealed = [record if can_see(0, record.event) else None for record in played]
    entries = timeline(shown_whole(sealed))
    assert [entry.number for entry in entries] == list(range(1, len(played) + 1))
    unopened = [entry for entry in entries if entry.record is None]
    assert unopened and unopened == [
        TimelineEntry(entry.number, None, "sealed") for entry in unopened
    ]
    whole_line = {entry.number: entry for entry in whole("grouping-bw.seeded")}
    for entry in entries:
        if entry.record is not None:
            assert (entry.input, entry.cause) == (
                whole_line[entry.number].input,
                whole_line[entry.number].cause,
            )


def test_an_empty_log_has_no_timeline() -> None:
    assert timeline([]) == []


# What a ruling undid.


def undone(entries: Sequence[TimelineEntry]) -> dict[int, int]:
    """The numbers of what was undone, each with that of the event that undid it."""
    return {one.number: one.undone_by for one in entries if one.undone_by is not None}


def test_what_was_struck_names_the_event_that_struck_it_to_the_seat_and_to_no_one_else() -> None:
    table = grouping().accepted(0, group(ASCENDING))
    action = last(table, ActionReceived)
    rewind(table, None, Change(strike=action))
    entries = entries_of(table.records)
    struck = last(table, ActionStruck)
    assert undone(entries) == {action: struck, action + 1: struck}
    assert len(undone(timeline_for(entries, 0))) == 2
    assert undone(timeline_for(entries, PUBLIC_VIEWER)) == undone(timeline_for(entries, 1)) == {}


def test_what_was_rewound_names_the_rewind() -> None:
    table = flipped()
    flips = last(table, DrawSettled)
    rewind(table, flips)
    by = last(table, MatchRewound)
    gone = undone(entries_of(table.records))
    assert gone[flips] == by and set(gone.values()) == {by} and max(gone) < by
