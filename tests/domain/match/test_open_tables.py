"""Open tables: seats are taken once, by names that differ, and all are ready when it starts."""

import pytest
from msgspec.structs import replace

from domain.match.commands import BeReady, RenameSeat
from domain.match.events import MatchStarted, SeatNamed, SeatReady
from domain.match.seat_holders import free_seats, holders
from domain.people import OPERATOR
from domain.proof.rejudging import rejudge
from domain.rulings.kinds import VoidMatch
from tests.support.tables import toy_game
from tests.support.tables.directing import START
from tests.support.tables.match_table import MATCH, MatchTable, seated
from tests.support.tables.ruling_tables import rule

BLIND = bytes(16)


def table(seats: int = 2) -> MatchTable:
    """An open table, at which nobody but Ann, who opened it, has a seat."""
    created = replace(seated(toy_game.GAME, seats).match.created, table=True)
    free = (f"Seat {number}" for number in range(2, seats + 1))
    return MatchTable(toy_game.GAME, created, names=("Ann", *free))


def test_a_seat_that_is_free_is_taken_by_name() -> None:
    three = table(3)
    three.when(RenameSeat(1, "Ben", BLIND)).then(SeatNamed(1, "Ben", BLIND))
    assert holders(three.match) == ("Ann", "Ben", "Seat 3")
    assert free_seats(three.match) == [2]


@pytest.mark.parametrize(
    ("seat", "name", "code"),
    [
        (0, "Zoe", "seat_taken"),
        (1, "Zoe", "seat_taken"),
        (2, "Ben", "name_not_allowed"),
        (2, "ANN", "name_not_allowed"),
        (2, " Zoe", "name_not_allowed"),
    ],
)
def test_a_seat_that_is_taken_or_a_name_that_is_had_is_not(seat: int, name: str, code: str) -> None:
    table(3).when(RenameSeat(1, "Ben", BLIND)).conflicts(RenameSeat(seat, name, BLIND), code)


def test_after_another_table_the_first_seat_is_free_too() -> None:
    created = replace(table().match.created, again="the table before")
    two = MatchTable(toy_game.GAME, created, names=("Seat 1", "Seat 2"))
    assert free_seats(two.match) == [0, 1]
    two.when(RenameSeat(0, "Ben", BLIND)).when(RenameSeat(1, "Ann", BLIND))
    assert (free_seats(two.match), holders(two.match)) == ([], ("Ben", "Ann"))


def test_it_starts_when_all_are_ready() -> None:
    two = table().when(RenameSeat(1, "Ben", BLIND))
    two.when(BeReady(1)).then(SeatReady(1))
    two.conflicts(BeReady(1), "already_ready")
    two.when(BeReady(0))
    assert two.effect[:2] == [SeatReady(0), MatchStarted()]
    assert two.match.status == "running"
    two.conflicts(BeReady(0), "already_started")
    assert rejudge(MATCH, two.records, toy_game.GAME) == two.match


def test_nobody_starts_it_for_its_seats_or_rules_for_them() -> None:
    table().conflicts(START, "starts_by_itself")
    table().conflicts(rule("r", VoidMatch()), "rule_of_service")
    table().when(rule("r", VoidMatch(), OPERATOR))
