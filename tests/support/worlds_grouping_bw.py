"""Deals of Grouping Black & White that an audience cannot distinguish from the real ones.

The groups stay the same, so tiles change places within a group, and groups as a whole: the
announced colours must come out the same, and every number that the audience received.
"""

from collections.abc import Callable, Iterable
from itertools import chain
from random import Random
from typing import cast

from msgspec import Struct

from domain.draws import Outcome, orders
from domain.events import Event
from domain.games.grouping_bw.events import (
    NumberTold,
    OrderTold,
    OwnTileTold,
    RoundBegan,
    RoundEnded,
)
from domain.match_events import DrawSettled, SealedDrawSettled
from projections.disclosure import Viewer, may_see
from tests.support.tables.match_table import MatchTable

DRAWN = DrawSettled | SealedDrawSettled
MOST_TRIES = 120
"""Number of changes tried for a deal; those that would be noticed are not made."""

Order = tuple[str, ...]
Seen = Callable[[int], bool]
"""Whether a number would look the same at this place of a row."""


class Deal(Struct):
    """One seat's shuffles: the order within each group, and the order of the groups."""

    groups: dict[str, list[int]]
    order: Order

    @property
    def row(self) -> list[int]:
        return list(chain.from_iterable(self.groups[name] for name in self.order))


def other_tiles(table: MatchTable, viewer: Viewer, rng: Random) -> dict[str, Outcome]:
    """Every deal with everything changed that `viewer` cannot see. Random groups stay."""
    others: dict[str, Outcome] = {}
    for number, settled in enumerate(table.events):
        if isinstance(settled, DRAWN) and "/pass" in settled.id:
            later = _until_the_next_deal(table.events[number + 1 :])
            visible = [event for event in later if may_see(viewer, event)]
            fines = table.match.game.house.fold_8_penalty > 0
            outcome: list[object] = []
            for seat in (0, 1):
                deal = _deal(settled.outcome[4 * seat : 4 * seat + 4])
                fixed = any(isinstance(e, OrderTold) and e.seat == seat for e in visible)
                _change(deal, _seen(seat, viewer, visible, fines=fines), rng, fixed_order=fixed)
                outcome += [*map(tuple, deal.groups.values()), deal.order]
            others[settled.id] = cast(Outcome, tuple(outcome))
    return others


def _until_the_next_deal(events: Iterable[Event]) -> Iterable[Event]:
    for event in events:
        if isinstance(event, DRAWN):
            return
        yield event


def _deal(shuffles: Outcome) -> Deal:
    a, b, c, order = orders(shuffles)
    groups = {name: [int(n) for n in group] for name, group in zip("abc", (a, b, c), strict=True)}
    return Deal(groups, tuple(map(str, order)))


def _seen(seat: int, viewer: Viewer, visible: Iterable[Event], *, fines: bool) -> list[list[Seen]]:
    """What must hold at each of the nine places of the seat's row."""
    places: list[list[Seen]] = [[] for _ in range(9)]
    place = 0
    for event in visible:
        if isinstance(event, RoundBegan):
            place = event.round - 1
            places[place].append(_coloured(event.colours[seat]))
        elif isinstance(event, RoundEnded) and event.numbers is not None:
            places[place].append(_is(event.numbers[seat]))
        elif isinstance(event, RoundEnded) and event.folder == seat and fines:
            places[place].append(_is(8) if event.folded_8 else _is_not(8))
        elif isinstance(event, OwnTileTold if seat == viewer else NumberTold):
            places[place].append(_is(event.number))
    return places


def _coloured(colour: str) -> Seen:
    return lambda number: ("white" if number % 2 else "black") == colour


def _is(shown: int) -> Seen:
    return lambda number: number == shown


def _is_not(shown: int) -> Seen:
    return lambda number: number != shown


def _change(deal: Deal, seen: list[list[Seen]], rng: Random, *, fixed_order: bool) -> None:
    """Two tiles of a group change places, or all groups do."""
    for _ in range(MOST_TRIES):
        before = {name: list(group) for name, group in deal.groups.items()}, deal.order
        if fixed_order or rng.random() < 0.7:
            group = deal.groups[rng.choice("abc")]
            one, other = rng.sample(range(len(group)), 2)
            group[one], group[other] = group[other], group[one]
        else:
            deal.order = tuple(rng.sample("abc", 3))
            for group in deal.groups.values():
                rng.shuffle(group)
        if not _looks_the_same(deal.row, seen):
            deal.groups, deal.order = before


def _looks_the_same(row: list[int], seen: list[list[Seen]]) -> bool:
    return all(same(number) for number, rules in zip(row, seen, strict=True) for same in rules)
