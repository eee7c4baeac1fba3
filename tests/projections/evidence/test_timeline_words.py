"""The timeline in words, for people, page by page: it names every seat, and confuses nobody."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from domain.chance.draws import Flip, Roll, Shuffle
from domain.events import Event, Record, stored_name
from domain.games import GAMES
from domain.match.commands import GiveClientSeed
from domain.match.events import (
    ActionReceived,
    AwaitingChanged,
    DeadlineSet,
    DrawAsked,
    SealedDrawSettled,
)
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from projections.audience.lines import data_of
from projections.evidence.timeline import TimelineEntry, dated, shown_whole, timeline, timeline_for
from projections.texts import event_fields, event_text
from tests.projections.evidence.directed_match import directed_match
from tests.recorded.files import records
from tests.support.evidence.recorded_timelines import NAMES, audiences, entries_of, whole
from tests.support.instants import NOON
from tests.support.tables.directing import START
from tests.support.tables.match_table import seated


def numbers(value: Any, holder: str, seated: bool = False) -> Iterator[int]:
    """Every number in a value under a name of seats."""
    match value:
        case dict():
            for name, inside in value.items():
                seats = not {name, f"{holder}.{name}"}.isdisjoint(event_fields().seats)
                yield from numbers(inside, name, seated or seats)
        case list() | tuple():
            for inside in value:
                yield from numbers(inside, holder, seated)
        case int() if seated:
            yield value


@pytest.mark.parametrize("name", NAMES)
def test_every_value_shown_as_a_seat_is_one(name: str) -> None:
    played = records(name)
    seats = range(len(audiences(played)) - 2)
    happened = [record.event for record in played[1:]]
    found = {
        number
        for event in happened
        if not isinstance(event, ActionReceived | DeadlineSet)
        for number in numbers(data_of(event), stored_name(type(event)).split(".")[1])
    }
    assert found <= set(seats) and len(found) > 1


@pytest.mark.parametrize("name", NAMES)
def test_everything_is_said_in_words_that_print(name: str) -> None:
    for entry in whole(name):
        assert entry.what.isprintable() and len(entry.what) > 5
        assert "Struct" not in entry.what and "b'" not in entry.what


def test_the_words() -> None:
    said = [entry.what for entry in whole("dollar-prize.seeded")]
    assert said[0].startswith(
        "The match is set up for 2 seats; game dollar-prize; rules version 1; "
        "options first player 0, "
    )
    assert said[2].startswith("seat 0 gets the salt of its own name; salt ")
    assert said[4:6] == ["Ann takes a seat; seat 0", "Ben takes a seat; seat 1"]
    assert said[6] == 'Ann adds to the chance: "dice"'
    assert "The match waits for Ann; phase setup/side; deadline 2026-01-01T12:00:30Z" in said
    assert "Ann places a penny" in said
    assert any(one.startswith("Ann sends: place a coin, coin penny; key k") for one in said)
    assert any(re.match("Chance answers: (heads|tails), .*; id setup; by", one) for one in said)
    requested = [one for entry in whole("twelve-chips.seeded") if "shuffle" in (one := entry.what)]
    assert requested and all(one.startswith("A hidden draw is asked for; id ") for one in requested)


def test_the_words_of_each_part_of_a_draw() -> None:
    parts = (Flip("penny"), Shuffle((1, "x")), Roll(6, "die\n1"))
    table = seated(GAMES["dollar-prize"]).when(START)
    drawn = SealedDrawSettled("d", ("tails", ("x", 1), 6), "server")
    records: list[Record[Event]] = [
        *table.records,
        Record(NOON, 0, DrawAsked("d", parts)),
        Record(NOON, 0, drawn),
    ]
    requested, settled = entries_of(records)[-2:]
    assert requested.what == (
        "A hidden draw is asked for; id d; parts {flip, label penny}, {shuffle, items 1 x}, "
        r'{roll, sides 6, label "die\n1"}'
    )
    assert settled.what == "Drawn in secret: tails, x 1, 6; id d; by server"


def test_a_users_text_cannot_be_confused_with_other_words() -> None:
    wrong = 'x"; seat 1 \u202e\x1b[2J\x9b1m\nBen'
    table = seated(GAMES["dollar-prize"], chance="server").when(GiveClientSeed(0, wrong))
    said = entries_of(table.records)[-1].what
    assert said == 'Ann adds to the chance: "x"; seat 1 \\u202e\\x1b[2J\\x9b1m\\nBen"'
    sent = {"type": "a\nb", "c\r": "heads; coin dime", "d": {"e\x00": "x\ty"}}
    received = [*table.records, Record(NOON, 0, ActionReceived(0, sent, "k\x07"))]
    said = entries_of(received)[-1].what
    assert said == r'Ann sends: "a\nb", c\r "heads; coin dime", d {e\x00 "x\ty"}; key "k\x07"'


def test_an_unknown_seat_has_no_name() -> None:
    table = seated(GAMES["dollar-prize"]).when(START)
    records: list[Record[Event]] = [
        *table.records,
        Record(NOON, 0, ActionReceived(7, {"type": "vote", "for": 9, "to": -1})),
        Record(NOON, 0, AwaitingChanged((2, -1))),
    ]
    received, awaiting = entries_of(records)[-2:]
    assert (received.actor, received.what) == (
        "seat 7",
        "seat 7 sends: vote for elimination, for seat 9, to -1",
    )
    assert awaiting.what == "The match waits for seat 2, seat -1"


def test_too_deeply_nested_values_are_omitted() -> None:
    deep: object = 1
    for _ in range(200):
        deep = [deep]
    table = seated(GAMES["dollar-prize"]).when(START)
    records = [*table.records, Record(NOON, 0, ActionReceived(0, {"type": "x", "y": deep}))]
    assert entries_of(records)[-1].what == "Ann sends: x, y [[[[[[…]]]]]]"


TABLE = directed_match()
ENTRIES = entries_of(TABLE.records)


def of_type(name: str, entries: list[TimelineEntry]) -> list[TimelineEntry]:
    return [entry for entry in entries if entry.type == f"match.{name}.1"]


@pytest.mark.parametrize("name", ["started", "phase-closed", "draw-refused", "sealed-draw-settled"])
def test_a_moderator_is_named(name: str) -> None:
    assert {entry.actor for entry in of_type(name, ENTRIES)} == {"moderator Eve"}


def test_keys_are_told_in_words() -> None:
    kinds = ("key-issued", "moderator-key-issued", "key-ended", "moderator-key-ended")
    assert [entry.what for kind in kinds for entry in of_type(kind, ENTRIES)] == [
        "Ann gets one more key; key id a000000000000001",
        "Mo gets a moderator's key; key id a000000000000002",
        "A moderator's key is issued; key id a000000000000003",
        "A key of Ann ends; key id a000000000000001",
        "A key of Ben ends; key id c000000000000000",
        "A moderator's key ends; key id a000000000000002",
    ]
    assert {e.actor for e in of_type("moderator-key-issued", ENTRIES)} == {
        "organiser Eve", "organiser (key f1f1f1f1f1f1f1f1)",
    }  # fmt: skip


@pytest.mark.parametrize("viewer", [PUBLIC_VIEWER, 0, 1])
def test_nobody_else_learns_a_name(viewer: Viewer) -> None:
    seen = timeline_for(ENTRIES, viewer)
    assert {entry.actor for entry in of_type("started", seen)} == {"moderator"}
    assert not any("Eve" in f"{entry.actor} {entry.what}" for entry in seen)
    assert timeline_for(ENTRIES, MODERATOR) == ENTRIES


PAGES = (range(1, 2), range(2, 12), range(40, 41), range(1, 1))


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How many sentences were made."""
    made: Counter[str] = Counter()

    def counting(owner: Any, name: str) -> None:
        honest: Callable[..., Any] = getattr(owner, name)

        def counted(*given: Any) -> Any:
            made[name] += 1
            return honest(*given)

        monkeypatch.setattr(owner, name, counted)

    counting(event_text, "account")
    return made


@pytest.mark.parametrize("name", NAMES)
def test_a_page_is_that_part_of_the_whole(name: str, made: Counter[str]) -> None:
    entries = whole(name)
    for page in PAGES:
        made.clear()
        found = timeline(shown_whole(records(name)), page)
        assert made["account"] == len(found)
        assert found == [one for one in entries if one.number in page]


@pytest.mark.parametrize("name", NAMES)
def test_the_times_alone_take_no_words(name: str, made: Counter[str]) -> None:
    entries = whole(name)
    made.clear()
    times = [(one.number, one.record, one.recorded) for one in entries]
    assert dated(list(shown_whole(records(name)))) == times
    assert not made
