"""Organisers and moderators of a tournament: appointed, removed (/docs/tournaments#staff)."""

from domain.people import Actor
from domain.tournament.commands import AddMatch, NewTournament
from domain.tournament.decide import decide
from domain.tournament.events import (
    MatchTaken,
    ModeratorRemoved,
    OrganiserAppointed,
    OrganiserRemoved,
)
from domain.tournament.fold import fold
from domain.tournament.staff import (
    GiveMatch,
    NewModerator,
    NewOrganiser,
    RemoveModerator,
    RemoveOrganiser,
    TakeMatch,
)
from domain.tournament.state import NOTHING_YET, moderates
from tests.support.tables.correction_tables import after, refusal

OLGA = Actor("Olga", "k1")


CUP = NewTournament("Cup", ("Ann", "Ben"), ("Mo",))
PAIRED = AddMatch("one", "twelve-chips", ("Ann", "Ben"))


def test_the_first_request_is_the_makers() -> None:
    zoe = Actor("Zoe", "k2")
    made = fold(NOTHING_YET, decide(NOTHING_YET, CUP, by=OLGA))
    assert made.maker == OLGA
    assert fold(made, decide(made, NewModerator("Mia"), by=zoe)).maker == OLGA


def test_an_organiser_is_appointed_and_removed_under_a_number_of_their_own() -> None:
    state = after(CUP)
    assert decide(state, NewOrganiser("Zoe")) == [OrganiserAppointed(0, "Zoe")]
    state = after(NewOrganiser("Zoe"), before=state)
    assert refusal(state, NewOrganiser("ZOE")) == "name_taken"
    assert refusal(state, RemoveOrganiser(1)) == "no_such_organiser"
    assert decide(state, RemoveOrganiser(0)) == [OrganiserRemoved(0)]
    state = after(RemoveOrganiser(0), before=state)
    assert (state.organising, decide(state, RemoveOrganiser(0))) == ([], [])
    assert decide(state, NewOrganiser("Zoe")) == [OrganiserAppointed(1, "Zoe")]


def test_a_moderator_who_is_removed_moderates_nothing_and_gets_nothing() -> None:
    given = after(CUP, PAIRED, GiveMatch("one", 0))
    assert decide(given, RemoveModerator(0)) == [MatchTaken("one", 0), ModeratorRemoved(0)]
    state = after(RemoveModerator(0), before=given)
    assert not moderates(state, 0, "one") and state.in_office == []
    assert decide(state, RemoveModerator(0)) == []
    for command in (GiveMatch("one", 0), RemoveModerator(1)):
        assert refusal(state, command) == "no_such_moderator"
    assert after(NewModerator("Mo"), before=state).in_office == [1]


def test_a_match_is_taken_from_a_moderator_once() -> None:
    given = after(CUP, PAIRED, GiveMatch("one", 0))
    assert decide(given, TakeMatch("one", 0)) == [MatchTaken("one", 0)]
    state = after(TakeMatch("one", 0), before=given)
    assert (decide(state, TakeMatch("one", 0)), state.in_office) == ([], [0])
    assert refusal(state, TakeMatch("one", 9)) == "no_such_moderator"
    assert refusal(state, TakeMatch("two", 0)) == "no_such_tournament_match"
