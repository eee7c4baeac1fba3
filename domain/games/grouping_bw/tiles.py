"""The tiles: their numbers and colours, and how chance lays groups of them in a row."""

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
"""The colours of seat 0's and seat 1's tiles."""

Order = tuple[GroupName, ...]
"""The groups in the order in which they are played."""

GROUP_NAMES: Order = ("a", "b", "c")
ROUNDS = len(NUMBERS)
"""Rounds in a pass: one for each tile."""

EIGHT = 8


class Row(NamedTuple):
    """A seat's nine tiles in the order of a pass, and the order of the groups in them."""

    tiles: Numbers
    order: Order


def colour(number: int) -> Colour:
    return "white" if number % 2 else "black"


def deal_asked(set_: int, pass_: int, groupings: Sequence[Grouping]) -> Draw:
    """Rule 2: each seat's tiles are shuffled within their groups, and so are the groups; all
    sealed."""
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
