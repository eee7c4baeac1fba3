"""What the tests know of Grouping Black & White."""

from collections.abc import Callable, Iterable
from itertools import chain
from random import Random
from typing import cast

from msgspec import Struct

from domain.chance.draws import Outcome, orders
from domain.events import Event
from domain.games.grouping_bw.events import (
    AntesPaid,
    Called,
    NumberTold,
    OrderTold,
    OwnTileTold,
    Pair,
    Raised,
    RoundBegan,
    RoundEnded,
)
from domain.games.grouping_bw.options import House
from domain.match.events import DrawSettled, SealedDrawSettled
from projections.audience.disclosure import Viewer, may_see
from tests.support.game_support import GameSupport, Recording, Shown
from tests.support.tables.grouping_bw_options import options
from tests.support.tables.match_table import MatchTable


def holdings(house: House, events: Iterable[Event]) -> tuple[Pair, Pair, int]:
    """The stacks, the bets, and the chips that left the game, computed by the house rules."""
    stacks, bets, gone = list(house.stacks), [0, 0], 0
    for event in events:
        match event:
            case AntesPaid(chips):
                for seat in (0, 1):
                    _put_in(stacks, bets, seat, chips)
            case Raised(seat, by):
                _put_in(stacks, bets, seat, bets[1 - seat] - bets[seat] + by)
            case Called(seat):
                _put_in(stacks, bets, seat, bets[1 - seat] - bets[seat])
            case RoundEnded():
                gone += _settle(house, stacks, bets, event)
                bets = [0, 0]
    return (stacks[0], stacks[1]), (bets[0], bets[1]), gone


def _put_in(stacks: list[int], bets: list[int], seat: int, chips: int) -> None:
    stacks[seat] -= chips
    bets[seat] += chips


def _settle(house: House, stacks: list[int], bets: list[int], ended: RoundEnded) -> int:
    """Pays out the bets; what is paid to no one has left the game."""
    goes = house.on_call if ended.folder is None else house.on_fold
    before = sum(stacks) + sum(bets)
    if ended.winner is None:
        back = goes == "pot" or stacks == [0, 0]
        paid = bets if back else [0, 0]
    else:
        paid = [0, 0]
        paid[ended.winner] = sum(bets) if goes == "pot" else bets[ended.winner]
    stacks[:] = [stack + chips for stack, chips in zip(stacks, paid, strict=True)]
    if ended.folder is not None and ended.folded_8:
        stacks[ended.folder] -= min(house.fold_8_penalty, stacks[ended.folder])
    return before - sum(stacks)


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


def chips_only_leave(table: MatchTable) -> None:
    """Every chip is where the house rules have sent it; in a pot game none leaves."""
    state = table.match.game
    stacks, bets, gone = holdings(state.house, table.events)
    assert (state.stacks, state.bets, state.discarded) == (stacks, bets, gone)
    assert sum(stacks) + sum(bets) + gone == sum(state.house.stacks)
    assert (
        gone == 0
        or state.house.fold_8_penalty
        or "return" in (state.house.on_fold, state.house.on_call)
    )


FIELDS = "set pass round phase ante starter to_act stacks bets pot colours history result"
ITEMS = "groups items told order"
BY_SEAT = "groups_by_seat items_by_seat tiles orders"

SUPPORT = GameSupport(
    limits={
        "passes_per_set": (1, 10),
        "ante_every_sets": (1, 1_000),
        "raise_cap": (1, 10_000),
        "fold_8_penalty": (0, 10_000),
        "starter_chooser": (0, 1),
        "bet_seconds": (1, 86_400),
        "group_seconds": (1, 86_400),
    },
    shown=[
        Shown({"variant": "final-match-2"}, FIELDS, ITEMS, BY_SEAT),
        Shown({"own_tile_visible": True}, FIELDS, f"{ITEMS} own_tile", BY_SEAT),
    ],
    options=options,
    conserved=chips_only_leave,
    other_outcomes=other_tiles,
    short=("1", {"chips": [1, 1]}),
    other_luck="6",
    variety=[{}, {"chips": [90, 70]}, {"variant": "final-match-2", "raise_cap": 4}],
    refused=[{"type": "fold"}, {"type": "raise", "by": 3}],
    tried=[
        *({"type": "name_starter", "seat": seat} for seat in range(3)),
        *({"type": kind} for kind in ("call", "fold", "peek")),
        *({"type": "raise", "by": by} for by in (0, 1, 10, 11)),
        {"type": "group", "a": [0, 1], "b": [2, 3], "c": [4, 5, 6, 7, 8]},
        {"type": "group", "a": [0, 0], "b": [2, 3, 4], "c": [5, 6, 7, 8]},
        {"type": "group", "a": [0, 9], "b": [2, 3, 4], "c": [5, 6, 7, 8]},
        {"type": "group", "a": [0, 1], "b": [2, 3, 4], "c": [5, 6, 7, 8], "use_order": True},
        {"type": "group", "a": [0, 1], "b": [2, 3, 4], "c": [5, 6, 7, 8], "ante_increase": 1},
    ],
    recording=Recording(
        {
            "variant": "final-match-2",
            "own_tile_visible": True,
            "bet_seconds": 30,
            "passes_per_set": 2,
            "chips": (10, 20),
            "items": (("bonus", "peek", "order"), ("order", "peek")),
            "ante_every_sets": 1,
            "leader_check": True,
            "starter_chooser": 0,
        },
        lateness=0.25,
    ),
    bundles=(
        (2, {}),
        (2, {"variant": "final-match-2"}),
        (2, {"chips": [8, 12], "passes_per_set": 1, "ante_every_sets": 3, "raise_cap": 2}),
        (2, {"on_fold": "return", "on_call": "return", "chips": [10, 10]}),
        (2, {"regroup_limits": [1, 1, 2], "fold_8_penalty": 3, "short_ante": "lose",
             "chips": [9, 9]}),
        (2, {"items": [["bonus", "peek", "order"], ["order"]], "starter_chooser": 0,
             "chips": [12, 12], "own_tile_visible": True}),
        (2, {"variant": "final-match-2", "chips": [15, 15], "ante_increase_allowed": False,
             "leader_check": True, "bet_seconds": 20, "group_seconds": 45}),
    ),
)  # fmt: skip
