"""Tables of Grouping Black & White with chosen rows, and random tables."""

from collections.abc import Sequence
from typing import Any

from domain.games.grouping_bw.actions import Group, NameStarter
from domain.games.grouping_bw.events import RoundEnded
from domain.games.grouping_bw.grouping import Grouping, Order, in_groups
from domain.games.grouping_bw.options import Options
from domain.games.grouping_bw.rules import GAME
from tests.support.tables.game_table import Table

ASCENDING = (0, 1, 2, 3, 4, 5, 6, 7, 8)
DESCENDING = ASCENDING[::-1]
HIGH, LOW = (6, 1, 0, 2, 3, 4, 5, 7, 8), (3, 1, 0, 2, 4, 5, 6, 7, 8)
"""Rows of which the first wins the first round against the second; the next tiles are equal."""

ABC: Order = ("a", "b", "c")

Row = Sequence[int]


def new(variant: Any = "death-match", **options: Any) -> Table:
    """A table that waits for the name of the first starter."""
    return Table(GAME, 2, Options(variant=variant, **options))


def grouping(variant: Any = "death-match", starter: int = 0, **options: Any) -> Table:
    """A table in its first grouping."""
    table = new(variant, **options)
    return table.act(table.awaits.seats[0], NameStarter(starter))


def said(groups: Grouping, **more: Any) -> Group:
    """The action that submits these groups."""
    return Group(groups.a, groups.b, groups.c, **more)


def group(row: Row, **more: Any) -> Group:
    """The action for the groups that a row consists of, A first."""
    return said(in_groups(row), **more)


def lay(table: Table, *rows: Row) -> Table:
    """Both seats group so that these rows can come, and they come."""
    for seat, row in enumerate(rows):
        table.act(seat, group(row))
    return draw(table, *rows)


def parts_for(*rows: Row) -> tuple[Any, ...]:
    """The outcome of a deal that lays these rows, each of A, B and C one after another."""
    parts: list[Any] = []
    for row in rows:
        parts += [tuple(row[:2]), tuple(row[2:5]), tuple(row[5:]), ABC]
    return tuple(parts)


def draw(table: Table, *rows: Row) -> Table:
    return table.drawn(*parts_for(*rows))


def dealt(
    first: Row, second: Row, variant: Any = "death-match", starter: int = 0, **options: Any
) -> Table:
    """A table in its first round, with these rows of tiles."""
    return lay(grouping(variant, starter, **options), first, second)


def equal_rows(variant: Any = "death-match", starter: int = 0, **options: Any) -> Table:
    """A table where every round is a draw if tiles are shown."""
    return dealt(ASCENDING, ASCENDING, variant, starter, **options)


def ended(table: Table) -> RoundEnded:
    """How the last round ended."""
    return [event for event in table.events if isinstance(event, RoundEnded)][-1]
