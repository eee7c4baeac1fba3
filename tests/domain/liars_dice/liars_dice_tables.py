"""Tables of Liar's Dice with chosen dice, and random tables."""

from collections.abc import Sequence
from typing import Any

from domain.games.liars_dice import GAME, Bid, Options, Placed, RoundEnded, Shown
from tests.support.tables.game_table import Table

Dice = tuple[int, ...]


def new(seats: int = 2, **options: Any) -> Table:
    """A table that waits for the first roll."""
    return Table(GAME, seats, Options(**options))


def roll(table: Table, *hands: Sequence[int]) -> Table:
    """Chance rolls these hands for the seats with dice, in their order."""
    for hand in hands:
        table.drawn(*hand)
    return table


def rolled(*hands: Sequence[int], **options: Any) -> Table:
    """A table where the first round begins with these hands. A seat without dice is out."""
    dice = options.pop("dice", max(map(len, hands)))
    table = left_with(tuple(map(len, hands)), dice=dice, **options)
    return roll(table, *filter(None, hands))


def left_with(dice_left: Dice, starter: int | None = None, **options: Any) -> Table:
    """A table where the seats have these dice left, and a round begins: the first, if no one has
    lost a die yet."""
    table = new(len(dice_left), **options)
    if starter is None:
        starter = table.options.first_player
    if set(dice_left) == {table.options.dice}:
        return table
    shown = Shown(((),) * len(dice_left), Placed(0, 1, 1), "challenge", 0, 0, None, None)
    return table.given(RoundEnded(shown, dice_left, starter))


def bid(table: Table, *bids: tuple[int, Any]) -> Table:
    """The seats whose turn it is bid these, one after another."""
    for count, face in bids:
        table.act(table.awaits.seats[0], Bid(count, face))
    return table
