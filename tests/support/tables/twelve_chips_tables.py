"""Tables of 12 Chips with chosen hands, and random tables."""

from collections.abc import Sequence
from itertools import chain
from typing import Any

from domain.games.twelve_chips.actions import Play, Take
from domain.games.twelve_chips.chips import Chips, chips_for, is_red
from domain.games.twelve_chips.options import Options
from domain.games.twelve_chips.rules import GAME
from domain.menu import OneOf
from tests.support.tables.game_table import Table

SEATS = (2, 3, 4)


def new(seats: int = 2, **options: Any) -> Table:
    """A table that waits for its first deal; any four chips make a hand."""
    return Table(GAME, seats, Options(**{"deal": "random", **options}))


def deal(table: Table, *hands: Sequence[int]) -> Table:
    """Chance deals these hands, one for each seat; the remaining chips are in ascending order."""
    rest = list(chips_for(len(hands)))
    for chip in chain(*hands):
        rest.remove(chip)
    order = [*chain(*hands), *rest]
    if len(table.draw.parts) == 1:
        return table.drawn(order)
    reds, blues = filter(is_red, order), (chip for chip in order if not is_red(chip))
    return table.drawn(list(reds), list(blues))


def dealt(*hands: Sequence[int], **options: Any) -> Table:
    """A table where the first trick begins with these hands."""
    return deal(new(len(hands), **options), *hands)


def chips_on_offer(table: Table, seat: int) -> Chips:
    """The chips on the seat's menu; it has one kind of action at a time, or none."""
    offers = table.menu(seat)
    assert len(offers) <= 1
    return tuple(chip for offer in offers for chip in values(offer.fields["chip"]))


def values(field: Any) -> tuple[Any, ...]:
    assert isinstance(field, OneOf)
    return field.values


def trick(table: Table, *chips: int, takes: Sequence[int]) -> Table:
    """The seats whose turn it is play these chips, then take those."""
    for chip in chips:
        table.act(table.awaits.seats[0], Play(chip))
    for chip in takes:
        table.act(table.awaits.seats[0], Take(chip))
    return table


def play_round_keeping_hands(table: Table) -> Table:
    """A round of two in which seat 1 wins every trick against the 1 of seat 0, both take their own
    chips back and so end with the hands they were dealt. Seat 1 then has won the last trick."""
    for chip in table.state.hands[1]:
        starts = table.state.starter
        trick(table, *((1, chip) if starts == 0 else (chip, 1)), takes=(chip, 1))
    return table
