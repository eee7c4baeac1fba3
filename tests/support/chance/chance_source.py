"""Chance as the fairness checks use it: coins, orders and numbers, draw after draw, in many matches
and epochs.

Seeds are small numbers on purpose: any evenness then comes from the scheme and not from the seeds.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple, cast

from domain.chance import generator
from domain.chance.draws import Draw, Flip, Roll, Shuffle, numbers

EPOCHS, DRAWS_OF_EPOCH = 4, 25

Order = tuple[int, ...]


class DrawPosition(NamedTuple):
    """The position of a draw: its match, its epoch, and its number within the epoch."""

    match: int
    epoch: int
    draw: int


class Chance:
    """`arbiter-rng/1` as the domain implements it."""

    def key(self, position: DrawPosition) -> bytes:
        name = generator.draw_name(position.epoch, f"r{position.draw + 1}/steal/1")
        return generator.draw_key(master(position.match, position.epoch), name)

    def flips(self, position: DrawPosition, count: int) -> list[int]:
        """`count` coins of one draw; 0 is heads."""
        draw = Draw("coins", tuple(Flip(str(coin)) for coin in range(count)))
        faces = generator.outcome(draw, self.key(position))
        return [("heads", "tails").index(cast(str, face)) for face in faces]

    def orders(self, position: DrawPosition, *sizes: int) -> list[Order]:
        """The shuffles of one draw, each of the numbers from 0 up to its size."""
        draw = Draw("orders", tuple(Shuffle(tuple(range(size))) for size in sizes))
        return cast(list[Order], list(generator.outcome(draw, self.key(position))))

    def rolls(self, position: DrawPosition, sides: int, count: int) -> list[int]:
        """Dice of one draw; 0 is the first side."""
        draw = Draw("dice", tuple(Roll(sides, str(die)) for die in range(count)))
        return [side - 1 for side in numbers(generator.outcome(draw, self.key(position)))]

    def numbers(self, position: DrawPosition, n: int, count: int) -> list[int]:
        """Numbers from 0 to n-1, from the stream of one draw."""
        words = generator._words(self.key(position))
        return [generator._below(n, words) for _ in range(count)]


def walk(draws: int) -> Iterator[DrawPosition]:
    """At least this many draws, in as many matches as they need."""
    for match in range(-(-draws // (EPOCHS * DRAWS_OF_EPOCH))):
        for epoch in range(EPOCHS):
            for draw in range(DRAWS_OF_EPOCH):
                yield DrawPosition(match, epoch, draw)


@lru_cache(maxsize=8192)
def master(match: int, epoch: int) -> bytes:
    """The key of an epoch's draws; in two matches of every four the seats gave seeds."""
    given = {0: b"alice", 1: b"carol"} if match % 4 > 1 else {}
    heard = generator.transcript(
        match_id(match),
        epoch,
        commitment(match, epoch),
        b"R" * 32,
        b"S" * 32,
        generator.clients(given),
    )
    return generator.master(seed(match), heard)


def commitment(match: int, epoch: int) -> bytes:
    return generator.commit(match_id(match), epoch, seed(match))


def match_id(match: int) -> str:
    return f"0199aa00-0000-7000-8000-{match:012x}"


def seed(match: int) -> bytes:
    """Two matches share each seed, in all their epochs: this must not show either."""
    return (match // 2).to_bytes(32, "big")
