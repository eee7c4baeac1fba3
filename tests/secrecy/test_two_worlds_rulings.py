"""Two worlds, with and without hidden rulings: whoever may not know of them is shown the same."""

from collections.abc import Iterator
from itertools import islice
from random import Random

import pytest
from msgspec.structs import replace

from domain.games import GAMES
from domain.match.commands import Command
from domain.match.events import ActionReceived
from domain.rulings.commands import ConsentToRuling, RulingCommand, SecondRuling, WithdrawRuling
from domain.rulings.kinds import (
    Change,
    Note,
    PauseMatch,
    ReplaceSeat,
    Rewind,
    RuleResult,
    VoidMatch,
)
from projections.audience.disclosure import PUBLIC_VIEWER, Viewer
from projections.evidence.timeline import shown_whole, timeline, timeline_for
from tests.support.tables.directing import START
from tests.support.tables.game_strategies import next_input
from tests.support.tables.match_table import MatchTable, seated
from tests.support.tables.ruling_tables import ANN, EVE, FINN, a_result, rule
from tests.support.tables.together_tables import a
from tests.support.tables.together_tables import started as sealed_phase
from tests.support.worlds import differences, received_by

STEPS = 12
"""Inputs of a match at most."""
TOLD = 0
"""The seat that is told something which no one else is told."""

SEALED: list[RulingCommand] = [
    rule("a", ReplaceSeat(1, "Zoe")),
    rule("b", Note("sealed", "They sit together.", "warning"), FINN),
    rule("c", VoidMatch()),
    WithdrawRuling("a", FINN),
    rule("d", RuleResult(a_result(2), "forfeit")),
]
"""For moderators alone."""

TO_ONE_SEAT: list[RulingCommand] = [
    rule("a", Note(f"seat:{TOLD}", "Do not talk.", "warning")),
    rule("b", Note(f"seat:{TOLD}", "It stands.", "uphold"), FINN, appeals="a"),
]
"""For one seat alone."""

TO_ALL_SEATS: list[RulingCommand] = [
    rule("a", VoidMatch(), ask_seats=True),
    ConsentToRuling("a", 0),
    WithdrawRuling("a", EVE),
]
"""For the seats; who consents is for moderators."""


def started(name: str) -> MatchTable:
    game = GAMES[name]
    return seated(game, game.seats[0], chance="server", clock="rules").when(START)


def first_inputs(name: str) -> Iterator[tuple[int, Command]]:
    """The first inputs of a match, so few that it goes on."""
    table, rng = started(name), Random(name)
    for _ in range(STEPS):
        at, command = next_input(table, rng)
        if table.when(command, at).match.status != "running":
            return
        yield at, command


def worlds(name: str, hidden: list[RulingCommand]) -> tuple[MatchTable, MatchTable]:
    """A match, and the same with these rulings before its first inputs, or after them."""
    one, other = started(name), started(name)
    rulings = (_fitting(command, len(one.seats)) for command in hidden)
    for at, command in first_inputs(name):
        for ruling in islice(rulings, 1):
            other.when(ruling)
        for table in (one, other):
            table.when(command, at)
    for ruling in rulings:
        other.when(ruling)
    assert len(other.records) > len(one.records)
    return one, other


def _fitting(command: RulingCommand, seats: int) -> RulingCommand:
    if getattr(command, "id", None) == "d":
        return rule("d", RuleResult(a_result(seats), "forfeit"))
    return command


def shown_the_same(one: MatchTable, other: MatchTable, viewer: Viewer) -> None:
    assert differences(received_by(one, viewer), received_by(other, viewer)) == []
    lines = [
        [
            (entry.number, entry.what, entry.at, entry.actor, entry.cause, entry.input)
            for entry in timeline_for(timeline(shown_whole(table.records)), viewer)
        ]
        for table in (one, other)
    ]
    assert lines[0] == lines[1]


EVERY_GAME = pytest.mark.parametrize("name", GAMES)


@EVERY_GAME
def test_what_moderators_rule_among_themselves_changes_nothing_for_anybody(name: str) -> None:
    one, other = worlds(name, SEALED)
    for viewer in (PUBLIC_VIEWER, *one.seats):
        shown_the_same(one, other, viewer)


@EVERY_GAME
def test_what_one_seat_is_told_changes_nothing_for_the_others(name: str) -> None:
    one, other = worlds(name, TO_ONE_SEAT)
    others: list[Viewer] = [PUBLIC_VIEWER, *(seat for seat in one.seats if seat != TOLD)]
    for viewer in others:
        shown_the_same(one, other, viewer)
    assert "lines" in differences(received_by(one, TOLD), received_by(other, TOLD))


@EVERY_GAME
def test_what_the_seats_are_asked_changes_nothing_for_the_public(name: str) -> None:
    one, other = worlds(name, TO_ALL_SEATS)
    shown_the_same(one, other, PUBLIC_VIEWER)


@EVERY_GAME
def test_what_a_seat_asks_for_changes_nothing_for_the_public(name: str) -> None:
    given_up: list[RulingCommand] = [
        rule("a", PauseMatch(), ANN, ask_seats=True),
        ConsentToRuling("a", 1),
        WithdrawRuling("a", ANN),
    ]
    one, other = worlds(name, given_up)
    shown_the_same(one, other, PUBLIC_VIEWER)


def test_no_seat_learns_who_has_consented_to_what_another_asks_for() -> None:
    asked: list[RulingCommand] = [rule("a", VoidMatch(), ANN, ask_seats=True)]
    none, one, other = (worlds("together", asked)[1] for _ in range(3))
    one.when(ConsentToRuling("a", 1))
    other.when(ConsentToRuling("a", 2)).when(ConsentToRuling("a", 3))
    for viewer in (PUBLIC_VIEWER, *none.seats):
        shown_the_same(none, one, viewer)
        shown_the_same(none, other, viewer)


def test_nor_with_which_key_it_was_asked() -> None:
    ways = (ANN, replace(ANN, key_id="another"))
    one, other = (
        worlds("together", [rule("a", VoidMatch(), way, ask_seats=True)])[1] for way in ways
    )
    for viewer in (PUBLIC_VIEWER, *one.seats):
        shown_the_same(one, other, viewer)


@EVERY_GAME
def test_no_seat_learns_who_has_consented(name: str) -> None:
    asked: list[RulingCommand] = [rule("a", VoidMatch(), ask_seats=True), ConsentToRuling("a", 0)]
    other_asked = [asked[0], ConsentToRuling("a", 1)]
    one, other = worlds(name, asked)[1], worlds(name, other_asked)[1]
    for viewer in (PUBLIC_VIEWER, *one.seats):
        shown_the_same(one, other, viewer)


def test_a_public_ruling_after_hidden_ones_has_the_number_that_it_would_have_had() -> None:
    one, other = worlds("dollar-prize", SEALED)
    for table in (one, other):
        table.when(rule("public", PauseMatch()))
    for viewer in (PUBLIC_VIEWER, *one.seats):
        shown_the_same(one, other, viewer)


@EVERY_GAME
def test_nobody_learns_whether_the_last_seat_consented_or_a_moderator_seconded(name: str) -> None:
    *consents, last = (ConsentToRuling("a", seat) for seat in range(GAMES[name].seats[0]))
    asked: list[RulingCommand] = [rule("a", VoidMatch(), ask_seats=True), *consents]
    one, other = worlds(name, asked)[1], worlds(name, asked)[1]
    one.when(SecondRuling("a", FINN))
    other.when(last)
    assert one.match.status == other.match.status == "void"
    for viewer in (PUBLIC_VIEWER, *one.seats):
        shown_the_same(one, other, viewer)


def test_no_seat_learns_whether_another_was_struck_with_it() -> None:
    one, other = (sealed_phase("AAAABB").act(0, a(1)).act(1, a(2)) for _ in range(2))
    acted = [n for n, event in enumerate(one.events, 1) if isinstance(event, ActionReceived)]
    for table, struck in ((one, acted[1:]), (other, acted)):
        strikes = tuple(Change(strike=n) for n in struck)
        table.when(rule("a", Rewind(None, strikes))).when(SecondRuling("a", FINN))
    assert len(other.records) > len(one.records)
    shown_the_same(one, other, 1)
    shown_the_same(one, other, PUBLIC_VIEWER)
