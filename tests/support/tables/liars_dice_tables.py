"""Tables of Liar's Dice with chosen dice, and random tables."""

from collections.abc import Sequence
from random import Random
from typing import Any

from domain.games.liars_dice import GAME, Bid, Challenge, Exact, Options, Placed, RoundEnded, Shown
from domain.menu import Between, OneOf
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


def move(table: Table, rng: Random) -> None:
    """One random step: a roll, or an action of the menu."""
    if table.awaits.draw is not None:
        table.drawn(*(rng.randint(1, 6) for _ in table.draw.parts))
        return
    (seat,) = table.awaits.seats
    offer = rng.choice(table.menu(seat))
    if offer.type == "bid":
        count, face = (_value(offer.fields[name], rng) for name in ("count", "face"))
        table.act(seat, Bid(count, face))
    else:
        table.act(seat, {"challenge": Challenge(), "exact": Exact()}[offer.type])


def _value(field: Any, rng: Random) -> Any:
    if isinstance(field, OneOf):
        return rng.choice(field.values)
    assert isinstance(field, Between)
    return rng.randint(field.low, field.high)


def play_out(table: Table, rng: Random) -> Table:
    """Plays at random until the game is over."""
    while table.result is None:
        move(table, rng)
    return table
