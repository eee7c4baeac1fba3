"""Rulings, section 3: how a settled match counts is corrected, and nothing recorded is changed."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET
from msgspec.structs import replace

from domain.cases.match_events import RecordedCase
from domain.events import PUBLIC, SEALED, Event
from domain.game import Result
from domain.people import Actor, KeyOrigin
from domain.rulings.kinds import Correction
from domain.rulings.life import PENDING
from domain.rulings.state import PastRuling
from domain.rulings.tournament_decide import lapsed
from domain.tournament import ledger
from domain.tournament.commands import AddMatch, PostGarnets, SettleMatch
from domain.tournament.decide import decide
from domain.tournament.events import (
    GarnetsPosted,
    MatchCorrected,
    TournamentDirected,
    TournamentRuled,
    TournamentRulingLapsed,
    TournamentRulingOrdered,
    TournamentRulingProposed,
    TournamentRulingWithdrawn,
)
from domain.tournament.fold import fold, posting
from domain.tournament.ledger import HOUSE, purse, stake
from domain.tournament.state import Tournament
from tests.support.instants import NOON
from tests.support.tables.correction_tables import (
    CUP,
    LOST,
    MO,
    OLGA,
    SHARED,
    WHY,
    WON,
    after,
    correct,
    corrected,
    facts,
    refused,
    second,
    withdraw,
)

ONE = AddMatch("one", "a-game", ("Ann", "Ben"), (3, 0))
PLAYED = after(CUP, ONE, SettleMatch("one", WON, (1, 0), (4, 0)))
"""Ann brought three of her five garnets, spent two of them, and has earned four."""

DIRECTED = [TournamentDirected("Olga", "key-olga"), TournamentDirected("Mo", "key-mo")]


def proposed(state: Tournament = PLAYED, **more: Any) -> Tournament:
    """A pending correction, `r`, by Olga."""
    return fold(state, decide(state, correct("r", **more)))


# Who it takes.


def test_a_correction_waits_for_a_moderator_of_the_match() -> None:
    about = replace(facts(), cases=(RecordedCase("c"),))
    assert decide(PLAYED, correct("r", rule="7", case="c", about=about)) == [
        TournamentRulingProposed("r", Correction("one", LOST), WHY, "7", None, "c", NOON + PENDING),
        DIRECTED[0],
    ]


def test_the_second_person_carries_it_out_in_one_batch() -> None:
    events = decide(proposed(), second("r", MO, facts(balance=(1, 0))))
    assert events == [
        TournamentRuled(1, "correct", "one", WHY, None, None),
        DIRECTED[1],
        TournamentRulingOrdered("r", Correction("one", LOST), None),
        MatchCorrected("one", LOST),
        GarnetsPosted(0, "player", "match", 1, "reversed", "one", 3),
        GarnetsPosted(0, "house", "match", 2, "reversed", "one", 4),
        GarnetsPosted(0, "player", "house", 4, "reversed", "one", 5),
        GarnetsPosted(0, "match", "player", 1, "kept", "one"),
        GarnetsPosted(0, "match", "house", 2, "spent", "one"),
    ]


def test_where_one_person_is_enough_it_is_carried_out_at_once() -> None:
    events = decide(PLAYED, correct("r", about=facts(single=True)))
    assert events[1] == DIRECTED[0] and MatchCorrected("one", LOST) in events


def test_a_key_that_the_organiser_issued_seconds_once_it_is_its_holders() -> None:
    hers = KeyOrigin("OLGA", "her other key")
    by_hers = second("r", replace(MO, origin=hers), facts())
    assert refused(proposed(), by_hers) == "key_not_renewed"
    his = replace(hers, since=1)
    events = decide(proposed(), second("r", replace(MO, origin=his), facts()))
    assert events[1] == TournamentDirected("Mo", "key-mo", "OLGA", "her other key", 1)


@pytest.mark.parametrize("name", ["Ann", "ANN", "Di"])
def test_nobody_rules_where_they_play_or_have_played(name: str) -> None:
    player, about = Actor(name, "k"), facts("Ann", "Ben", "Di")
    assert refused(PLAYED, correct("r", actor=player, about=about)) == "moderator_plays"
    for command in (second, withdraw):
        assert refused(proposed(), command("r", player, about)) == "moderator_plays"


# What is corrected.


def test_before_a_match_is_settled_it_is_not_corrected() -> None:
    state = after(CUP, ONE)
    assert refused(state, correct("r")) == "result_not_final"
    assert refused(state, correct("r", "two")) == "no_such_tournament_match"


@pytest.mark.parametrize(
    "result",
    [
        Result((0,), (1,), False, (3,)),
        Result((0,), (0,), False, (3, 1)),
        Result((2,), (), False, (3, 1)),
        Result((0,), (1,), True, (3, 1)),
    ],
)
def test_a_result_fits_the_match(result: Result) -> None:
    assert refused(PLAYED, correct("r", result=result)) == "result_does_not_fit"


def test_out_of_the_standings_what_was_brought_goes_back() -> None:
    state, events = corrected(PLAYED, "one", None, (1, 0))
    assert state.balances == after(CUP).balances
    assert events[-1] == GarnetsPosted(0, "match", "player", 3, "kept", "one")


def test_with_a_result_garnets_are_kept_as_held_and_none_is_earned() -> None:
    state, _ = corrected(PLAYED, "one", LOST, (1, 0))
    assert state.balances == {HOUSE: -3, purse(0): 3}


def test_a_correction_is_corrected_by_reversing_what_stands_then() -> None:
    once, _ = corrected(PLAYED, "one", None, (1, 0))
    twice, events = corrected(once, "one", LOST, (1, 0))
    assert [event.reverses for event in events if isinstance(event, GarnetsPosted)] == [
        9, UNSET, UNSET,
    ]  # fmt: skip
    assert twice.balances == {HOUSE: -3, purse(0): 3}
    assert twice.rulings.n == 2


def test_a_void_match_can_be_given_a_result() -> None:
    void = after(CUP, ONE, SettleMatch("one", None))
    state, _ = corrected(void, "one", WON, (2, 0))
    assert state.matches["one"].result == WON
    assert state.balances == {HOUSE: -4, purse(0): 4}


def test_what_was_earned_and_spent_meanwhile_is_owed() -> None:
    spent = after(PostGarnets(0, -7, "a fine"), before=PLAYED)
    state, _ = corrected(spent, "one", None)
    assert state.balances == {HOUSE: 2, purse(0): -2}
    assert refused(state, AddMatch("two", "a-game", ("Ann",), (1,))) == "not_enough_garnets"
    assert refused(state, PostGarnets(0, -1, "a fine")) == "not_enough_garnets"
    state = after(AddMatch("two", "a-game", ("Ann",), (0,)), before=state)
    state = after(PostGarnets(0, 1, "a gift"), before=state)
    assert state.balances == {HOUSE: 1, purse(0): -1}


def test_other_matches_and_what_was_paired_stand() -> None:
    paired = after(AddMatch("two", "a-game", ("Ann", "Cy"), (2, 0)), before=PLAYED)
    state, _ = corrected(paired, "one", None)
    assert state.matches["two"] == paired.matches["two"]
    assert state.balances[stake(0, "two")] == 2


# What becomes of a pending one.


def test_a_correction_with_a_known_id_is_a_repeat() -> None:
    assert decide(proposed(), correct("r")) == []


def test_a_pending_correction_is_withdrawn() -> None:
    state = proposed()
    events = decide(state, withdraw("r", MO, facts()))
    assert events == [TournamentRulingWithdrawn("r"), DIRECTED[1]]
    for command in (second, withdraw):
        assert refused(fold(state, events), command("r", MO, facts())) == "not_pending"
        assert refused(state, command("none", MO, facts())) == "no_such_ruling"


def test_a_pending_correction_lapses_after_a_day_at_its_instant() -> None:
    state = proposed()
    assert lapsed(state, NOON + PENDING - 1) == []
    (record,) = lapsed(state, NOON + 2 * PENDING)
    assert (record.at, record.event) == (NOON + PENDING, TournamentRulingLapsed("r"))
    later = fold(state, [record.event])
    assert lapsed(later, NOON + 2 * PENDING) == []
    assert refused(later, second("r", MO, facts())) == "not_pending"


# Appeals.


@pytest.mark.parametrize(
    ("past", "code"),
    [
        (PastRuling("x", "public", 1, (OLGA.person,)), "own_ruling"),
        (PastRuling("x", "sealed", None, (MO.person,)), "not_public"),
        (PastRuling("x"), "no_such_ruling"),
        (PastRuling("y", "public", 1, (MO.person,)), "no_such_ruling"),
    ],
)
def test_a_ruling_on_the_match_itself_is_appealed(past: PastRuling, code: str) -> None:
    about = facts(rulings=(past,))
    assert refused(PLAYED, correct("r", about=about, appeals="x")) == code


def test_a_correction_of_another_match_is_not_appealed() -> None:
    other = after(AddMatch("two", "a", ("Cy",)), SettleMatch("two", None), before=PLAYED)
    state, _ = corrected(other, "two", None)
    eve = Actor("Eve", "key-eve")
    assert refused(state, correct("r", actor=eve, appeals="r0")) == "no_such_ruling"


# Who may see what.


def test_the_public_sees_rulings_and_results_and_nothing_of_proposals_or_garnets() -> None:
    events = [*decide(PLAYED, correct("r")), *corrected(PLAYED, "one", LOST)[1]]
    public = [type(event) for event in events if event.audience == PUBLIC]
    assert public == [TournamentRuled, MatchCorrected]
    for kind in (TournamentRulingProposed, TournamentRulingWithdrawn, TournamentRulingLapsed):
        assert kind.audience == SEALED
    rich = after(CUP, ONE, SettleMatch("one", WON, (3, 0), (0, 9)))
    other = corrected(rich, "one", LOST)[1]
    assert [event for event in events if event.audience == PUBLIC] == [
        event for event in other if event.audience == PUBLIC
    ]


# Whatever happens.

RESULTS = st.sampled_from([WON, LOST, SHARED, None])
HELD = st.tuples(st.integers(0, 2), st.integers(0, 1))


@st.composite
def histories(draw: st.DrawFn) -> tuple[list[Event], list[Result | None]]:
    """The events of a tournament of three matches, settled and corrected in any order, and how each
    of them counts at the end."""
    state, events = after(CUP, PostGarnets(1, 5, "a prize")), list[Event]()
    counts: dict[str, Result | None] = {}
    for match in ("one", "two"):
        added = decide(state, AddMatch(match, "a-game", ("Ann", "Ben"), (2, 1)))
        state, events = fold(state, added), events + added
    for match in draw(st.lists(st.sampled_from(["one", "two"]), max_size=8)):
        result, held = draw(RESULTS), draw(HELD)
        if match in counts:
            then = corrected(state, match, result, held)[1]
            first = decide(state, correct(f"r{len(state.rulings.past)}", match, result))
            then = [*first, *then]
        else:
            then = decide(state, SettleMatch(match, result, held, (draw(st.integers(0, 9)), 0)))
        state, events = fold(state, then), events + then
        counts[match] = result
    return events, [counts.get(match) for match in ("one", "two")]


@given(histories())
def test_all_postings_sum_to_zero_and_each_is_reversed_once(
    history: tuple[list[Event], list[Result | None]],
) -> None:
    events, counted = history
    state, own, reversed_ = after(CUP, PostGarnets(1, 5, "a prize")), Counter[int](), set[Any]()
    own.update({0: 1, 1: 1})
    originals: dict[tuple[int, int], GarnetsPosted] = {}
    for event in events:
        state = fold(state, [event])
        assert sum(state.balances.values()) == 0
        if not isinstance(event, GarnetsPosted):
            continue
        ledger.check_posting(posting(event))
        own[event.seat] += 1
        originals[event.seat, own[event.seat]] = event
        if event.reverses is not UNSET:
            first = originals[event.seat, event.reverses]
            assert (event.debit, event.credit) == (first.credit, first.debit)
            assert (event.amount, event.match) == (first.amount, first.match)
            assert (event.seat, event.reverses) not in reversed_
            reversed_.add((event.seat, event.reverses))
    for match, result in zip(("one", "two"), counted, strict=True):
        assert state.matches[match].result == result
        if state.matches[match].settled:
            assert stake(0, match) not in state.balances and stake(1, match) not in state.balances
