"""Who could know a fact and from when: as going through everyone's events one by one says."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
import pytest

from domain.events import Event, Record
from domain.games import GAMES
from domain.games.dollar_prize.actions import ChooseSide
from domain.games.grouping_bw.events import NumberTold, OwnTileTold
from domain.games.grouping_bw.events import RoundEnded as BettingEnded
from domain.games.liars_dice import DiceRolled
from domain.games.liars_dice import RoundEnded as DiceShown
from domain.games.twelve_chips.events import ChipPlayed, ChipTaken, ChipWon, HandDealt, RoundScored
from domain.match.commands import Act
from domain.match.events import MatchCreated
from projections.audience.disclosure import (
    MODERATOR,
    PUBLIC_VIEWER,
    Viewer,
    conceals,
    mask_record,
    name_audience,
)
from projections.evidence.knowledge import Knowledge, Known
from projections.evidence.timeline import TimelineEntry, shown_to, timeline, timeline_for, up_to
from tests.recorded.files import records
from tests.support.effort import times
from tests.support.evidence.recorded_timelines import NAMES, audiences, can_see, entries_of, whole
from tests.support.evidence.signed_bundles import played
from tests.support.instants import NOON, SECOND
from tests.support.tables.directing import START
from tests.support.tables.game_strategies import as_sent
from tests.support.tables.match_table import seated

MATCHES = times("matches")
"""Number of random matches, of all games together."""

OVER = ("match.ended.1", "match.confirmed.1", "match.voided.1")
"""The last of these opens the record: a result may be provisional before it is confirmed."""


def of(played: Sequence[Record[Event]], entries: Sequence[TimelineEntry]) -> Knowledge:
    """What could be known by these entries of a whole record."""
    created = played[0].event
    assert isinstance(created, MatchCreated)
    return Knowledge(created, entries, MODERATOR)


def own_numbers(viewer: Viewer, played: Sequence[Record[Event]]) -> dict[int, int]:
    seen = [number for number, one in enumerate(played, 1) if can_see(viewer, one.event)]
    return {number: own for own, number in enumerate(seen, 1)}


# As going through everything says.


def check(played: Sequence[Record[Event]]) -> None:
    """Every reader knows its own events from their record on, all others from the end on at last,
    and its time line is a filter of everything, at any time."""
    entries = entries_of(played)
    knowledge = of(played, entries)
    ended = [entry for entry in entries if entry.type in OVER]
    opened = ended[-1:] if getattr(played[0].event, "record", "") == "opened_at_end" else []
    created = played[0].event
    assert isinstance(created, MatchCreated)
    masks = conceals(MODERATOR, created)
    for viewer in audiences(played):
        own = own_numbers(viewer, played)
        for entry in entries:
            ways = knowledge.of(entry, viewer)
            assert entry.record is not None, "the whole record is open"
            hidden = masks and viewer == MODERATOR and mask_record(entry.record) is not entry.record
            if entry.number in own and not hidden:
                assert [(way.how, way.by, way.own, way.since) for way in ways] == [
                    ("event", entry.number, own[entry.number], entry.recorded)
                ]
                continue
            assert all(way.by is None or way.by > entry.number for way in ways)
            assert [way.by for way in ways if way.how == "opened"] == [one.number for one in opened]
            assert [way.how for way in ways if way.since is None] == [None] * (ways[0].how is None)
            assert all(own[way.by] == way.own for way in ways if way.by is not None)


def check_cuts(played: Sequence[Record[Event]]) -> None:
    entries = entries_of(played)
    for part in (1, 2, 3, 4):
        at = played[len(played) * part // 4 - 1].at
        before = up_to(entries, at)
        known = [record for record in played if record.at <= at]
        assert [entry.record for entry in before] == known
        for viewer in audiences(played):
            seen = [(n, one) for n, one in enumerate(known, 1) if can_see(viewer, one.event)]
            own = shown_to(viewer, [n for n, _ in seen], [one for _, one in seen])
            line = timeline_for(before, viewer)
            assert line == timeline(own)
            assert [entry.number for entry in line] == list(range(1, len(own) + 1))


@pytest.mark.parametrize("name", NAMES)
def test_a_recorded_match_is_known_as_a_filter_says(name: str) -> None:
    check(records(name))


@pytest.mark.parametrize("game", sorted(GAMES))
def test_random_matches_are_known_as_a_filter_says_and_disclose_what_was_hidden(game: str) -> None:
    for seed in range(MATCHES // len(GAMES)):
        table = played(game, f"knowledge {seed}")
        check(table.records)
        check_cuts(table.records)
        entries = entries_of(table.records)
        for entry, way in disclosures(table.records, entries):
            assert entry.record is not None and way.by is not None
            between = table.records[entry.number - 1 : way.by]
            assert shows(between, entry.record.event, between[-1].event, way.fields)


def test_a_record_in_waiting_is_known_from_its_record_on() -> None:
    side = ChooseSide("heads")
    table = seated(GAMES["dollar-prize"]).when(START)
    table.when(Act(0, side, as_sent(side), recorded=NOON + 6 * SECOND), NOON + SECOND)
    entries = entries_of(table.records)
    before = len(entries) - len(table.new)
    assert len(up_to(entries, NOON + 5 * SECOND)) == before
    assert len(up_to(entries, NOON + 6 * SECOND)) == len(entries)
    for viewer in audiences(table.records):
        (chosen,) = of(table.records, entries).of(entries[before + 1], viewer)
        assert chosen.since == "2026-01-01T12:00:06Z"


# What a later event shows.

DISCLOSED: dict[str, dict[type[Event], tuple[str, ...]]] = {
    "liars-dice.seeded": {DiceRolled: ("dice",)},
    "grouping-bw.seeded": {OwnTileTold: ("number",), NumberTold: ("number",)},
    "twelve-chips.seeded": {HandDealt: ("chips",)},
}


@pytest.mark.parametrize("name", DISCLOSED)
def test_hidden_values_that_a_round_shows_are_known_from_its_end_on(name: str) -> None:
    played, entries = records(name), whole(name)
    found = set()
    for entry, way in disclosures(played, entries):
        assert entry.record is not None and way.by is not None
        shown = played[way.by - 1].event
        assert shows(played[entry.number - 1 : way.by], entry.record.event, shown, way.fields)
        assert way.fields == DISCLOSED[name][type(entry.record.event)]
        found.add(type(entry.record.event))
    assert found and found <= set(DISCLOSED[name])


def disclosures(
    played: Sequence[Record[Event]], entries: Sequence[TimelineEntry]
) -> Iterator[tuple[TimelineEntry, Known]]:
    """Each event with the ways in which the public came to know fields of it."""
    knowledge = of(played, entries)
    for entry in entries:
        for way in knowledge.of(entry, PUBLIC_VIEWER):
            if way.how == "disclosed":
                yield entry, way


def shows(
    between: Sequence[Record[Event]], hidden: Event, shown: Event, fields: Sequence[str] | None
) -> bool:
    """Whether the later event has what these fields of the hidden one had: as the rules say, or in
    the other games anywhere."""
    match hidden, shown:
        case DiceRolled(seat, dice), DiceShown():
            return shown.shown.dice[seat] == dice
        case OwnTileTold(seat, number), BettingEnded():
            return shown.numbers is not None and shown.numbers[seat] == number
        case NumberTold(seat, number), BettingEnded():
            return shown.numbers is not None and shown.numbers[1 - seat] == number
        case HandDealt(seat, chips), RoundScored():
            return sorted(moved(seat, set(chips), between)) == list(shown.chips[seat])
        case DiceRolled() | OwnTileTold() | NumberTold() | HandDealt(), _:
            return False
    values = [msgspec.to_builtins(getattr(hidden, name)) for name in fields or ()]
    return bool(values) and all(contains(msgspec.to_builtins(shown), value) for value in values)


def contains(whole: Any, value: Any) -> bool:
    """Whether a value is, or is a part of, another one."""
    parts = whole.values() if isinstance(whole, dict) else whole
    nested = isinstance(whole, dict | list | tuple)
    return bool(whole == value) or (nested and any(contains(part, value) for part in parts))


def moved(seat: int, chips: set[int], between: Sequence[Record[Event]]) -> set[int]:
    """The chips of a seat after all public moves."""
    for record in between:
        match record.event:
            case ChipPlayed(who, chip) if who == seat:
                chips.remove(chip)
            case ChipTaken(who, chip) | ChipWon(who, chip) if who == seat:
                chips.add(chip)
    return chips


# What a source does not say.


def test_a_closed_record_is_never_opened() -> None:
    name = next(name for name in NAMES if getattr(records(name)[0].event, "record", "") == "closed")
    hows = {
        way.how
        for entry in whole(name)
        for way in of(records(name), whole(name)).of(entry, PUBLIC_VIEWER)
    }
    assert "opened" not in hows and None in hows


def test_before_its_record_nobody_knows_a_fact() -> None:
    name = "liars-dice.seeded"
    knowledge = of(records(name), whole(name)[:20])
    for viewer in audiences(records(name)):
        assert knowledge.of(whole(name)[30], viewer) == [Known(name_audience(viewer))]


def test_the_time_line_of_a_seat_shows_no_number_of_anybody_else() -> None:
    name = "liars-dice.seeded"
    created = records(name)[0].event
    assert isinstance(created, MatchCreated)
    entries = timeline_for(whole(name), 0)
    knowledge = Knowledge(created, entries, 0)
    shown = {viewer: knowledge.of(entries[0], viewer)[0].own for viewer in knowledge.readers}
    assert shown == {PUBLIC_VIEWER: 1, 0: 1, MODERATOR: None, 1: None, 2: None}
