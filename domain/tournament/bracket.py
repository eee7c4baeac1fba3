"""The bracket of an elimination: which matches there are, and who has come into each.

A slot is a match of the bracket; its two sides are seeds, or come from earlier slots. The rounds of
a stage fill the slots: a round has the slots whose players are known by then and undecided.
"""

from collections.abc import Mapping, Sequence, Set
from itertools import chain
from typing import Literal, NamedTuple


class Side(NamedTuple):
    """Where a player of a slot comes from: a seed (from 0), or the winner or loser of a slot."""

    kind: Literal["seed", "winner", "loser"]
    number: int


class Slot(NamedTuple):
    """A match of the bracket. `round` is its column in the winners' bracket (positive), in the
    losers' bracket (negative), or 0 for a match about the third place. A loser is out with
    `loser_rank`, None if they go on; the higher rank is the better place."""

    number: int
    round: int
    sides: tuple[Side, Side]
    loser_rank: int | None
    winner_rank: int | None = None
    again: bool = False
    """Whether it is the second final, played only if the winner of the winners' bracket lost the
    first."""


Bracket = Sequence[Slot]


def seed_order(size: int) -> list[int]:
    """The seeds in the order of their lines in a bracket of `size`, a power of two: the best two
    can meet in the final only."""
    order = [0]
    while len(order) < size:
        count = 2 * len(order)
        order = [line for seed in order for line in (seed, count - 1 - seed)]
    return order


def bracket_of(players: int, losses: int = 1, *, third_place: bool = False) -> Bracket:
    """The bracket for any number of players from two."""
    size = 1 << max(1, (players - 1).bit_length())
    slots: list[Slot] = []
    columns = _winners(size, slots, out=losses == 1)
    if losses == 2:
        _losers(columns, slots)
    elif third_place and len(columns) > 1:
        first, second = columns[-2]
        sides = (Side("loser", first), Side("loser", second))
        rank = 2 * len(columns)
        slots.append(Slot(len(slots), 0, sides, rank - 2, rank - 1))
    return slots


def _winners(size: int, slots: list[Slot], *, out: bool) -> list[Sequence[int]]:
    """Adds the winners' bracket; returns the slots of each column. With one loss a loser is `out`,
    ranked by the column."""
    lines = [Side("seed", seed) for seed in seed_order(size)]
    columns: list[Sequence[int]] = []
    while len(lines) > 1:
        column = []
        number = len(columns) + 1
        final = len(lines) == 2
        for first, second in zip(lines[::2], lines[1::2], strict=True):
            rank = 2 * number if out else None
            column.append(len(slots))
            slots.append(
                Slot(
                    len(slots),
                    number,
                    (first, second),
                    rank,
                    2 * number + 2 if final and out else None,
                )
            )
        lines = [Side("winner", slot) for slot in column]
        columns.append(column)
    return columns


def _losers(columns: Sequence[Sequence[int]], slots: list[Slot]) -> None:
    """Adds the losers' bracket and the finals: the losers of a column come in the reversed order of
    its slots."""
    lines = [Side("loser", slot) for slot in columns[0]]
    number = 0
    for depth, column in enumerate(columns):
        if depth:
            losers = (Side("loser", slot) for slot in reversed(column))
            number, lines = _column(slots, number, list(zip(lines, losers, strict=True)))
        if len(lines) > 1:
            number, lines = _column(slots, number, list(zip(lines[::2], lines[1::2], strict=True)))
    unbeaten = Side("winner", columns[-1][0])
    final = len(slots)
    rank = number + 1
    round_ = len(columns) + 1
    slots.append(Slot(final, round_, (unbeaten, lines[0]), None))
    sides = (Side("winner", final), Side("loser", final))
    slots.append(Slot(final + 1, round_ + 1, sides, rank, rank + 1, again=True))


def _column(
    slots: list[Slot], number: int, pairs: Sequence[tuple[Side, Side]]
) -> tuple[int, list[Side]]:
    """Adds a column of the losers' bracket; a loser there is out."""
    number += 1
    first = len(slots)
    slots += (Slot(first + i, -number, pair, number) for i, pair in enumerate(pairs))
    return number, [Side("winner", first + i) for i in range(len(pairs))]


# Who has come into a bracket.


class SlotOutcome(NamedTuple):
    """Who won a slot and who lost it; None where there was no one. Where no one won, all its
    players are `out`, and wherever someone who was out already played in a player's place, that
    player is."""

    winner: int | None
    loser: int | None
    out: tuple[int, ...] = ()


def places_taken(
    ready: Sequence[tuple[int, int]], pairs: Sequence[tuple[int, ...]], free: Set[int]
) -> Mapping[int, int]:
    """Who plays in whose place where other `pairs` than those that were `ready` were published, and
    these players were `free`."""
    ready_pairs, paired_players = {frozenset(pair) for pair in ready}, frozenset(chain(*pairs))
    changed_pairs = [pair for pair in pairs if frozenset(pair) not in ready_pairs]
    instead: dict[int, int] = {}
    for players in ready:
        if frozenset(players) in map(frozenset, pairs) or not changed_pairs:
            continue
        if paired_players.isdisjoint(players) and not free >= {*players}:
            continue  # Whose opponent has left goes on without a match.
        pair = min(changed_pairs, key=lambda other: {*other}.isdisjoint(players))
        changed_pairs.remove(pair)
        leavers = [player for player in players if player not in pair]
        instead |= zip(leavers, (player for player in pair if player not in players), strict=True)
    return instead


class Progress:
    """A bracket while its slots are decided, in the order of the rounds."""

    def __init__(self, bracket: Bracket, seeds: Sequence[int]) -> None:
        self.bracket = bracket
        self.outcomes: dict[int, SlotOutcome] = {}
        self._seeds: Mapping[int, int] = dict(enumerate(seeds))
        self._moved: dict[Side, int] = {}
        self._replaced: dict[int, list[int]] = {}
        self._settle()

    def players(self, slot: Slot) -> tuple[int | None, int | None] | None:
        """The players of a slot; None until both sides are decided."""
        return self.so_far(slot) if all(map(self._is_known, slot.sides)) else None

    def so_far(self, slot: Slot) -> tuple[int | None, int | None]:
        """The players of a slot who are known: None for others, and for none."""
        first, second = (self._of(side) if self._is_known(side) else None for side in slot.sides)
        return first, second

    def ready(self) -> list[tuple[Slot, tuple[int, int]]]:
        """The undecided slots whose two players are known."""
        slots = []
        for slot in self.bracket:
            players = None if slot.number in self.outcomes else self.players(slot)
            if players is not None and players[0] is not None and players[1] is not None:
                slots.append((slot, (players[0], players[1])))
        return slots

    def move(self, instead: Mapping[int, int]) -> None:
        """Puts players in the places of others, who get the places that are left; where there is
        none they are out. Before the first match is decided byes move, too."""
        if not any(outcome.loser is not None or outcome.out for outcome in self.outcomes.values()):
            self.outcomes.clear()
        undecided = [slot for slot in self.bracket if slot.number not in self.outcomes]
        places = [(slot, side) for slot in undecided for side in slot.sides if self._is_known(side)]
        standing = {self._of(side): (slot, side) for slot, side in places}
        arrivals = [
            arrival
            for arrival in instead.values()
            if arrival not in instead and arrival in standing
        ]
        leavers = [player for player in instead if player not in instead.values()]
        for player, other in {**instead, **dict(zip(arrivals, leavers, strict=False))}.items():
            self._moved[standing[player][1]] = other
        for player in leavers[len(arrivals) :]:
            self._replaced.setdefault(standing[player][0].number, []).append(player)
        self._settle()

    def decide(self, slot: Slot, winner: int | None) -> None:
        """Decides a ready slot; without a winner no one goes on."""
        players = [player for player in self.players(slot) or () if player is not None]
        replaced = tuple(self._replaced.get(slot.number, ()))
        if winner is None:
            self.outcomes[slot.number] = SlotOutcome(None, None, (*players, *replaced))
        else:
            loser = next(player for player in players if player != winner)
            self.outcomes[slot.number] = SlotOutcome(winner, loser, replaced)
        self._settle()

    def pass_over(self, here: Set[int]) -> None:
        """Decides the slots of which no player is here, and those that they lead to."""
        while empty_slots := [slot for slot, players in self.ready() if here.isdisjoint(players)]:
            for slot in empty_slots:
                self.decide(slot, None)

    def rank_of_losers(self, slot: Slot) -> int:
        """The rank of those who are out in a slot although its loser would go on: that of the slot
        where the loser would."""
        if slot.loser_rank is not None:
            return slot.loser_rank
        leads = (other for other in self.bracket if Side("loser", slot.number) in other.sides)
        return self.rank_of_losers(next(leads))

    def _is_known(self, side: Side) -> bool:
        return side.kind == "seed" or side.number in self.outcomes

    def _of(self, side: Side) -> int | None:
        if side in self._moved:
            return self._moved[side]
        if side.kind == "seed":
            return self._seeds.get(side.number)
        outcome = self.outcomes[side.number]
        return outcome.winner if side.kind == "winner" else outcome.loser

    def _settle(self) -> None:
        """Decides every slot that needs no match: it has one player or none, or is a second final
        after the unbeaten player has won the first."""
        for slot in self.bracket:
            players = None if slot.number in self.outcomes else self.players(slot)
            if players is None:
                continue
            if None in players:
                winner = players[1] if players[0] is None else players[0]
                self.outcomes[slot.number] = SlotOutcome(winner, None)
            elif slot.again and players[0] == self._unbeaten(slot):
                self.outcomes[slot.number] = SlotOutcome(*players)

    def _unbeaten(self, slot: Slot) -> int | None:
        """Who came to the first final from the winners' bracket."""
        final = self.bracket[slot.number - 1]
        return self._of(final.sides[0])
