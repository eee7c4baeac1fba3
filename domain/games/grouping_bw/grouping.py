"""Groupings: how nine tiles are sorted into A, B and C, and how far the next grouping may
differ."""

from collections.abc import Sequence
from typing import Literal, NamedTuple, cast

from msgspec import Struct

from domain.chance.draws import Draw, Outcome, Part, Shuffle, orders

Numbers = tuple[int, ...]
GroupName = Literal["a", "b", "c"]

NUMBERS: Numbers = tuple(range(9))
SIZES = (2, 3, 4)
"""How many tiles A, B and C have."""

Limits = Sequence[int]
"""How many numbers may leave A, B and C."""


class Grouping(Struct, frozen=True, gc=False):
    """The numbers in each group, ascending."""

    a: Numbers
    b: Numbers
    c: Numbers


def in_groups(row: Sequence[int]) -> Grouping:
    """The first two of nine numbers are A, the next three B, the last four C.

    >>> in_groups((8, 0, 3, 2, 1, 7, 6, 5, 4))
    Grouping(a=(0, 8), b=(1, 2, 3), c=(4, 5, 6, 7))
    """
    return Grouping(tuple(sorted(row[:2])), tuple(sorted(row[2:5])), tuple(sorted(row[5:])))


Colour = Literal["black", "white"]
Colours = tuple[Colour, Colour]
"""The colours of seat 0's and seat 1's tiles."""

Order = tuple[GroupName, ...]
"""The groups in the order in which they are played."""

GROUP_NAMES: Order = ("a", "b", "c")
ROUNDS = len(NUMBERS)
"""Rounds in a pass: one for each tile."""

EIGHT = 8


class TileRow(NamedTuple):
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


def read_rows(outcome: Outcome) -> tuple[TileRow, ...]:
    """The row of each seat."""
    return tuple(_row(outcome[first : first + 4]) for first in range(0, len(outcome), 4))


def _row(shuffles: Outcome) -> TileRow:
    a, b, c, order = cast(tuple[Numbers, Numbers, Numbers, Order], shuffles)
    group = {"a": a, "b": b, "c": c}
    first, second, third = order
    return TileRow((*group[first], *group[second], *group[third]), order)


def grouping_asked(set_: int, seat: int) -> Draw:
    """The groups of a seat that has not made any, from all tiles shuffled; sealed."""
    return Draw(f"set{set_}/grouping/{seat}", (Shuffle(NUMBERS),))


def read_grouping(outcome: Outcome) -> Grouping:
    """All tiles in a row, cut after the second and the fifth."""
    return in_groups(cast(Numbers, orders(outcome)[0]))


def is_partition(a: Numbers, b: Numbers, c: Numbers) -> bool:
    """Rule 1: every number from 0 to 8 is in one group, and the groups have their sizes."""
    return (len(a), len(b), len(c)) == SIZES and set(NUMBERS) == {*a, *b, *c}


def leavers(old: Grouping, new: Grouping) -> tuple[int, int, int]:
    """How many numbers leave A, B and C on the way from `old` to `new`."""
    return (
        len(set(old.a).difference(new.a)),
        len(set(old.b).difference(new.b)),
        len(set(old.c).difference(new.c)),
    )


def may_become(old: Grouping, new: Grouping, limits: Limits | None) -> bool:
    """Rule 1: without limits any grouping may follow any other; no change always may."""
    return limits is None or all(
        leaver_count <= most for leaver_count, most in zip(leavers(old, new), limits, strict=True)
    )


FIRST = Grouping((0, 1), (2, 3, 4), (5, 6, 7, 8))
"""Example for a seat without a grouping."""

_WAYS = (
    (0, 1, 2, 3, 4, 5, 6, 7, 8),  # unchanged
    (2, 1, 0, 3, 4, 5, 6, 7, 8),  # A and B exchange one
    (0, 8, 2, 3, 4, 5, 6, 7, 1),  # A and C exchange one
    (0, 1, 2, 6, 4, 5, 3, 7, 8),  # B and C exchange one
    (7, 1, 2, 0, 4, 5, 6, 3, 8),  # one goes from A to B, one from B to C, one from C to A
    (3, 1, 2, 7, 4, 5, 6, 0, 8),  # the other way round
    (0, 5, 2, 3, 8, 1, 6, 7, 4),  # C exchanges one with A and one with B
    (0, 1, 5, 6, 4, 2, 3, 7, 8),  # B and C exchange two
    (7, 5, 3, 8, 0, 1, 2, 4, 6),
    (8, 7, 6, 5, 4, 3, 2, 1, 0),
)
"""Where the tiles of a new grouping come from in the old one, counted through A, B and C."""


def some_regroupings(old: Grouping, limits: Limits | None) -> tuple[Grouping, ...]:
    """A few groupings that may follow `old`, which is the first of them."""
    row = (*old.a, *old.b, *old.c)
    ways = (in_groups([row[place] for place in way]) for way in _WAYS)
    return tuple(new for new in ways if may_become(old, new, limits))
