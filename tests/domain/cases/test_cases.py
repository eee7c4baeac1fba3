"""A case: what is said in it, how it is closed, and when it is appealed (/docs/cases)."""

from collections.abc import Callable, Sequence

import pytest

from domain.cases import state as cases
from domain.cases.state import (
    Attachment,
    Case,
    CaseAppealed,
    CaseClosed,
    CaseOpened,
    CasePublished,
    CaseStated,
    PartyAdded,
    Speaker,
    fold_case,
    size_of,
)
from domain.events import Event, Record
from domain.match.commands import Conflict
from domain.people import Actor
from tests.support.instants import NOON
from tests.support.tables.match_table import MATCH

PLAYERS = ("Ann", "Ben")
ANN = Speaker("seat", 0, None, "key-ann")
MOD = Speaker("moderator", None, "Eve", "key-eve")
EVE, FINN = Actor("Eve", "key-eve"), Actor("Finn", "key-finn")
OPENED = CaseOpened(MATCH, 7, ANN, "The coin had left the table.")
SAID = CaseStated("s1", ANN, "Ben saw it.", Attachment("a" * 64))
CLOSED = CaseClosed(None, "It stands.", "Eve", (EVE.person,))
APPEALED = CaseAppealed(ANN, "Nobody asked the witness.")

Decide = Callable[[Case], Sequence[Event]]


def given(*events: Event) -> Case:
    """A case with these events, all at noon."""
    return fold_case([Record(NOON, 0, event) for event in (OPENED, *events)])


def refused(case: Case, code: str, decide: Decide) -> None:
    with pytest.raises(Conflict, match=code):
        decide(case)


def test_the_seat_that_opens_a_case_is_a_party() -> None:
    case = given()
    assert (case.parties, case.about, case.is_open, case.public) == ((0,), 7, True, False)


def test_a_moderator_who_opens_a_case_is_no_party() -> None:
    assert (
        fold_case([Record(NOON, 0, CaseOpened(MATCH, None, MOD, "Both complain."))]).parties == ()
    )


def test_what_is_said_is_recorded_while_the_case_is_open() -> None:
    assert cases.state(given(), SAID) == [SAID]
    refused(given(CLOSED), "case_closed", lambda case: cases.state(case, SAID))


def test_what_a_seat_says_is_counted_in_bytes() -> None:
    case = given(SAID, CLOSED, APPEALED)
    assert case.said_by(0) == sum(size_of(said) for said in (OPENED, SAID, APPEALED))
    assert (case.said_by(1), given(CaseStated("s2", MOD, "Hm.", None)).said_by(0)) == (
        0,
        size_of(OPENED),
    )


def test_a_seat_becomes_a_party_once() -> None:
    added = PartyAdded(1, EVE)
    assert cases.add_party(given(), 1, EVE) == [added]
    assert given(added).parties == (0, 1)
    assert cases.add_party(given(added), 1, FINN) == []
    refused(given(CLOSED), "case_closed", lambda case: cases.add_party(case, 1, EVE))


def test_a_case_is_published_once_open_or_closed() -> None:
    assert cases.publish(given(CLOSED), EVE) == [CasePublished(EVE)]
    assert given(CasePublished(EVE)).public
    assert cases.publish(given(CasePublished(EVE)), FINN) == []


def test_a_note_closes_a_case_once() -> None:
    assert cases.close(given(), PLAYERS, "It stands.", EVE) == [CLOSED]
    refused(given(CLOSED), "case_closed", lambda case: cases.close(case, PLAYERS, "Again.", FINN))


def test_a_ruling_closes_a_case_once() -> None:
    people = (EVE.person, FINN.person)
    assert cases.closed_by_ruling(given(), "r", people) == [CaseClosed("r", None, None, people)]
    refused(given(CLOSED), "case_closed", lambda case: cases.closed_by_ruling(case, "r", people))


def test_a_player_closes_no_case() -> None:
    ann = Actor(PLAYERS[0], "key")
    refused(given(), "moderator_plays", lambda case: cases.close(case, PLAYERS, "Mine.", ann))


@pytest.mark.parametrize(
    ("case", "at", "code"),
    [
        (given(), NOON, "case_open"),
        (given(CLOSED), NOON + cases.APPEAL_TIME, "appeal_too_late"),
        (given(CLOSED, APPEALED), NOON, "already_appealed"),
        (given(CLOSED, APPEALED, CLOSED), NOON, "already_appealed"),
    ],
    ids=["open", "late", "appealed", "decided"],
)
def test_a_case_is_not_appealed(case: Case, at: int, code: str) -> None:
    refused(case, code, lambda case: cases.appeal(case, APPEALED, at))


def test_a_closed_case_is_appealed_until_its_time_is_over() -> None:
    last = NOON + cases.APPEAL_TIME - 1
    assert cases.appeal(given(CLOSED), APPEALED, last) == [APPEALED]
    assert given(CLOSED, APPEALED).is_open
    assert cases.appeal_until(given(CLOSED)) == NOON + cases.APPEAL_TIME
    assert [cases.appeal_until(given(*done)) for done in ((), (CLOSED, APPEALED, CLOSED))] == [
        None,
        None,
    ]


def test_who_closed_a_case_does_not_decide_its_appeal() -> None:
    case = given(CLOSED, APPEALED)
    for actor in (EVE, Actor("EVE", "another key")):
        with pytest.raises(Conflict, match="own_ruling"):
            cases.close(case, PLAYERS, "It stands.", actor)
    assert cases.close(case, PLAYERS, "It does not.", FINN)
