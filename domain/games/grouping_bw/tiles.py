"""The tiles: their numbers and colours, and how groups of them are laid in a row by chance."""

from collections.abc import Sequence
from typing import Literal, NamedTuple, cast

from domain.draws import Draw, Outcome, Part, Shuffle, orders
from domain.games.grouping_bw.grouping import (
    NUMBERS,
    Grouping,
    GroupName,
    Numbers,
    in_groups,
)

Colour = Literal["black", "white"]
Colours = tuple[Colour, Colour]
"""Of the tiles of seat 0 and seat 1."""

Order = tuple[GroupName, ...]
"""The groups from the first to be played to the last."""

GROUP_NAMES: Order = ("a", "b", "c")
ROUNDS = len(NUMBERS)
"""Rounds in a pass: one for each tile."""

EIGHT = 8


class Row(NamedTuple):
    """A seat's nine tiles as they are laid for a pass, and the order of the groups in it."""

    tiles: Numbers
    order: Order


def colour(number: int) -> Colour:
    return "white" if number % 2 else "black"


def deal_asked(set_: int, pass_: int, groupings: Sequence[Grouping]) -> Draw:
    """Rule 2: each seat's groups are shuffled, and the groups among themselves; all sealed."""
    parts: list[Part] = []
    for groups in groupings:
        parts += map(Shuffle, (groups.a, groups.b, groups.c, GROUP_NAMES))
    return Draw(f"set{set_}/pass{pass_}", tuple(parts))


def laid(outcome: Outcome) -> tuple[Row, ...]:
    """The row of each seat."""
    return tuple(_row(outcome[first : first + 4]) for first in range(0, len(outcome), 4))


def _row(shuffles: Outcome) -> Row:
    a, b, c, order = cast(tuple[Numbers, Numbers, Numbers, Order], shuffles)
    group = {"a": a, "b": b, "c": c}
    first, second, third = order
    return Row((*group[first], *group[second], *group[third]), order)


def grouping_asked(set_: int, seat: int) -> Draw:
    """The groups of a seat that has not made any, from all tiles shuffled; sealed."""
    return Draw(f"set{set_}/grouping/{seat}", (Shuffle(NUMBERS),))


def drawn(outcome: Outcome) -> Grouping:
    """All tiles in a row, cut after the second and the fifth."""
    return in_groups(cast(Numbers, orders(outcome)[0]))
