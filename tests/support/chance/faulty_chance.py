"""Chance with one fault each: mistakes that an implementation of the scheme might make.

Every fault is tied to the checks that must find it.
"""

from collections.abc import Iterator

from domain.chance import generator
from tests.support.chance.chance_source import Chance, DrawPosition, Order, commitment


class Stepwise(Chance):
    """The scheme in parts that can be replaced, with no fault yet."""

    def words(self, position: DrawPosition) -> Iterator[int]:
        return generator._words(self.key(position))

    def below(self, n: int, words: Iterator[int]) -> int:
        return generator._below(n, words)

    def shuffled(self, size: int, words: Iterator[int]) -> Order:
        order = list(range(size))
        for last in range(size - 1, 0, -1):
            other = self.below(last + 1, words)
            order[last], order[other] = order[other], order[last]
        return tuple(order)

    def flips(self, position: DrawPosition, count: int) -> list[int]:
        return self.numbers(position, 2, count)

    def orders(self, position: DrawPosition, *sizes: int) -> list[Order]:
        words = self.words(position)
        return [self.shuffled(size, words) for size in sizes]

    def rolls(self, position: DrawPosition, sides: int, count: int) -> list[int]:
        return self.numbers(position, sides, count)

    def numbers(self, position: DrawPosition, n: int, count: int) -> list[int]:
        words = self.words(position)
        return [self.below(n, words) for _ in range(count)]


class Modulo(Stepwise):
    """The top bits of a word mod n; no word is rejected."""

    def __init__(self, bits: int) -> None:
        self.bits = bits

    def below(self, n: int, words: Iterator[int]) -> int:
        return (next(words) >> (32 - self.bits)) % n


class NaiveShuffle(Stepwise):
    """Each position is swapped with any of all positions."""

    def shuffled(self, size: int, words: Iterator[int]) -> Order:
        order = list(range(size))
        for at in range(size - 1, -1, -1):
            other = self.below(size, words)
            order[at], order[other] = order[other], order[at]
        return tuple(order)


class Cycle(Stepwise):
    """Sattolo's shuffle: the items move on by one along a ring through all of them."""

    def shuffled(self, size: int, words: Iterator[int]) -> Order:
        ring = super().shuffled(size, words)
        order = [0] * size
        for at, item in zip(ring, ring[1:] + ring[:1], strict=True):
            order[at] = item
        return tuple(order)


class NeverItself(Stepwise):
    """below(i) where below(i+1) is meant: no item can stay where it is."""

    def shuffled(self, size: int, words: Iterator[int]) -> Order:
        order = list(range(size))
        for last in range(size - 1, 0, -1):
            other = self.below(last, words)
            order[last], order[other] = order[other], order[last]
        return tuple(order)


class OneStepShort(Stepwise):
    """The shuffle ends before its last swap."""

    def shuffled(self, size: int, words: Iterator[int]) -> Order:
        order = list(range(size))
        for last in range(size - 1, 1, -1):
            other = self.below(last + 1, words)
            order[last], order[other] = order[other], order[last]
        return tuple(order)


class CountingCoin(Stepwise):
    """The coin is the lowest bit of a counter."""

    def __init__(self) -> None:
        self.flipped = 0

    def flips(self, position: DrawPosition, count: int) -> list[int]:
        self.flipped += count
        return [at % 2 for at in range(self.flipped - count, self.flipped)]


class FiveSidedCoin(Stepwise):
    """The coin is whether one of five numbers is odd."""

    def flips(self, position: DrawPosition, count: int) -> list[int]:
        return [number % 2 for number in self.numbers(position, 5, count)]


class FirstBlockAgain(Stepwise):
    """The number of the block stays 0."""

    def words(self, position: DrawPosition) -> Iterator[int]:
        stream = super().words(position)
        block = [next(stream) for _ in range(8)]
        while True:
            yield from block


class StreamAnew(Stepwise):
    """Every part of a draw starts the stream from its beginning."""

    def orders(self, position: DrawPosition, *sizes: int) -> list[Order]:
        return [self.shuffled(size, self.words(position)) for size in sizes]

    def numbers(self, position: DrawPosition, n: int, count: int) -> list[int]:
        return [self.below(n, self.words(position)) for _ in range(count)]


class CoinsOfTheCommitment(Stepwise):
    """The coins are the bits of the commitment."""

    def flips(self, position: DrawPosition, count: int) -> list[int]:
        bits = int.from_bytes(commitment(position.match, position.epoch), "big")
        return [bits >> at & 1 for at in range(count)]


class OutcomeAgain(Stepwise):
    """Every other draw gets the outcome of the one before."""

    def __init__(self, phase: int) -> None:
        self.phase = phase

    def key(self, position: DrawPosition) -> bytes:
        repeats = position.draw > 0 and position.draw % 2 != self.phase
        return super().key(position._replace(draw=position.draw - repeats))


class EpochLeftOut(Stepwise):
    """A new epoch under the same seed draws the same again."""

    def key(self, position: DrawPosition) -> bytes:
        return super().key(position._replace(epoch=0))


class MatchLeftOut(Stepwise):
    """Two matches of one seed draw the same."""

    def key(self, position: DrawPosition) -> bytes:
        return super().key(position._replace(match=position.match // 2 * 2))


DRAWS_1_2 = {"coins of draws 1-2, 3-4", "last items of draws 1-2, 3-4"}
DRAWS_2_3 = {"coins of draws 2-3, 4-5", "last items of draws 2-3, 4-5"}
EPOCHS = {"coins of epochs 0-1, 2-3", "coins of epochs 1-2"}
SIDE_BY_SIDE = {"coins 1-2, 3-4", "coins 2-3, 4-5"}
ORDERS = {"orders of 5", "places of 12"}
TWO_ORDERS = {"first items of two orders", "last items of two orders"}

FAULTS: dict[str, tuple[Chance, set[str]]] = {
    "words of 4 bits mod n": (
        Modulo(4),
        {"below 3", "below 6", "below 7", "rolls of 6", "places of 12"},
    ),
    "words of 8 bits mod n": (Modulo(8), {"below 100", "below 1000"}),
    "words of 32 bits mod n": (Modulo(32), {"below 13 * 2^28"}),
    "naive shuffle": (NaiveShuffle(), ORDERS),
    "Sattolo's cycle": (Cycle(), ORDERS),
    "below(i) for below(i+1)": (NeverItself(), {*ORDERS, "places of 52"}),
    "one step short": (OneStepShort(), {*ORDERS, "two orders of 4"}),
    "counting coin": (CountingCoin(), {"faces by place", *SIDE_BY_SIDE}),
    "five-sided coin": (FiveSidedCoin(), {"faces", "faces by place"}),
    "first block again": (FirstBlockAgain(), {"coins a block apart", "last items of two orders"}),
    "stream anew": (StreamAnew(), {*SIDE_BY_SIDE, "two numbers below 6", *TWO_ORDERS}),
    "coins of the commitment": (
        CoinsOfTheCommitment(),
        {"coins of draws 1-2, 3-4", "coins of draws 2-3, 4-5"},
    ),
    "outcome of 1 for 2, of 3 for 4": (OutcomeAgain(0), DRAWS_1_2),
    "outcome of 2 for 3, of 4 for 5": (OutcomeAgain(1), DRAWS_2_3),
    "epoch left out": (EpochLeftOut(), EPOCHS),
    "match left out": (MatchLeftOut(), {"coins of matches of one seed"}),
}
