"""Positions of Dollar Prize, written short: "ppnq" is two pennies, a nickel and a quarter."""

from typing import Any

from domain.games.dollar_prize.coins import Coin, Line, Row
from domain.games.dollar_prize.events import (
    CoinPlaced,
    PenniesDealt,
    SideChosen,
    StealBegan,
    TurnBegan,
)
from domain.games.dollar_prize.options import Options
from domain.games.dollar_prize.rules import GAME
from tests.support.tables.game_table import Table

LETTERS: dict[str, Coin] = {"p": "penny", "n": "nickel", "d": "dime", "q": "quarter"}


def coins(letters: str) -> Row:
    return tuple(LETTERS[letter] for letter in letters)


def new(**options: Any) -> Table:
    return Table(GAME, 2, Options(**options))


def at_turn(first: str, second: str, *, seat: int = 0, round: int = 3, **options: Any) -> Table:  # noqa: A002
    """A position with these lines, and this seat's turn."""
    lines = [CoinPlaced(0, coin) for coin in coins(first)]
    lines += [CoinPlaced(1, coin) for coin in coins(second)]
    return new(**options).given(
        SideChosen(0, "heads"), PenniesDealt((), (0, 0)), *lines, TurnBegan(round, seat)
    )


def at_steal(first: str, second: str, *, number: int = 1, **options: Any) -> Table:
    """These lines after both turns of round 3, and the coins of a steal go up."""
    return at_turn(first, second, seat=1, **options).given(StealBegan(3, number))


def lines(table: Table) -> tuple[str, str]:
    """The lines in letters."""
    first, second = table.state.lines
    return _spelt(first), _spelt(second)


def _spelt(line: Line) -> str:
    return "".join(letter * count for letter, count in zip("pndq", line, strict=True))
