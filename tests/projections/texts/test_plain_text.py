"""People in an audit: by their names, which cannot be confused with anyone else."""

import pytest

from domain.events import Event, Record
from domain.games import GAMES
from domain.match.events import ActionReceived, Directed, PhaseClosed
from domain.match.key_events import ModeratorKeyIssued, SeatKeyIssued
from projections.texts.event_text import account
from projections.texts.plain_text import person, quoted
from tests.support.evidence.recorded_timelines import entries_of
from tests.support.instants import NOON
from tests.support.tables.directing import START
from tests.support.tables.match_table import seated


@pytest.mark.parametrize("name", ["Ann", "Ben Lee", "Čeněk", "O'Neill", "J. R.", "Anne-Marie", "7"])
def test_a_name_stands_as_it_is(name: str) -> None:
    assert quoted(name) == name


@pytest.mark.parametrize(
    "name",
    ["clock", "Moderator Eve", "seat 1", "public", "nobody", "Ann, Ben", "Ann; coin dime", "*", ""],
)
def test_a_name_that_could_be_other_words_is_quoted(name: str) -> None:
    assert quoted(name) == f'"{name}"'


def test_a_name_with_joiners_stands_as_it_is_and_no_other_control_does() -> None:
    assert quoted("ශ්\u200dරී") == '"ශ්\u200dරී"'
    assert quoted("An\u200dn") == r'"An\u200dn"'
    assert quoted("An\u202en") == r'"An\u202en"'


def test_a_name_cannot_end_its_own_quotation() -> None:
    assert quoted('x" and "y') == r'"x\" and \"y"'


def test_equal_names_of_a_forged_record_are_told_apart_by_their_seats() -> None:
    assert [person(seat, ("Ann", "Ann", "Cy")) for seat in range(4)] == [
        "seat 0 Ann", "seat 1 Ann", "Cy", "seat 3",
    ]  # fmt: skip


# Who directed.


def closed_by(directed: Event | None) -> list[str | None]:
    """The actors of a phase closed by hand and what is on record after it."""
    after = [] if directed is None else [Record(NOON, 1, directed)]
    created = seated(GAMES["dollar-prize"]).records
    entries = entries_of([*created, Record(NOON, 0, PhaseClosed("turn")), *after])
    return [entry.actor for entry in entries[len(created) :]]


def test_a_moderator_is_named_by_who_directed_the_input() -> None:
    assert closed_by(Directed("Eve", "9f2c")) == ["moderator Eve", "service"]
    assert closed_by(Directed("seat 0", "9f2c")) == ['moderator "seat 0"', "service"]


def test_a_key_without_a_name_is_named_by_its_id() -> None:
    assert closed_by(Directed(None, "9f2c")) == ["moderator (key 9f2c)", "service"]


def test_of_whoever_seconds_it_is_said_whose_the_key_is() -> None:
    theirs = Directed("Eve", "9f2c", "Olga", "0f0f", NOON)
    said = "This was ordered by Eve; key id 9f2c; issued by Olga; issuer 0f0f"
    assert account(theirs, ()) == f"{said}; theirs since 2026-01-01T12:00:00Z"
    issued = Directed("Eve", "9f2c", None, "0f0f", None)
    assert account(issued, ()) == "This was ordered by Eve; key id 9f2c; issuer 0f0f"


def test_a_key_is_renewed_by_its_holder() -> None:
    created = seated(GAMES["dollar-prize"]).when(START).records
    batches = [SeatKeyIssued(0, "bb", "aa"), ModeratorKeyIssued("dd", "Eve", "cc")]
    entries = entries_of([*created, *(Record(NOON, 0, one) for one in batches)])
    assert [entry.actor for entry in entries[-2:]] == ["Ann", "moderator"]
    said = account(batches[0], ("Ann", "Ben"))
    assert said == "Ann gets one more key; key id bb; renews aa"


def test_without_who_directed_the_input_no_moderator_is_named() -> None:
    assert closed_by(None) == ["moderator"]


def test_only_a_moderators_input_is_directed() -> None:
    created = seated(GAMES["dollar-prize"]).when(START).records
    sent = Record(NOON, 0, ActionReceived(0, {"type": "pass"}))
    forged = [*created, sent, Record(NOON, 1, Directed("Eve", "9f2c"))]
    assert entries_of(forged)[-2].actor == "Ann"
