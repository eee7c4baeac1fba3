"""Chance as the rules see it: they ask for a draw and receive its outcome."""

from collections import Counter
from typing import Annotated, Literal, cast

from msgspec import Meta, Struct

from domain.events import SEALED, AudienceName

Face = Literal["heads", "tails"]
Item = int | str


class Flip(Struct, frozen=True, tag="flip", tag_field="kind"):
    """One coin; its outcome is a face."""

    label: str


class Shuffle(Struct, frozen=True, tag="shuffle", tag_field="kind"):
    """A random order; its outcome is the same items in their new order."""

    items: tuple[Item, ...]


class Roll(Struct, frozen=True, tag="roll", tag_field="kind"):
    """One die of `sides` sides; its outcome is a number from 1 to `sides`."""

    # A word of the stream has 32 bits: it cannot choose between more sides (`randomness`).
    sides: Annotated[int, Meta(ge=1, le=2**32)]
    label: str


Part = Flip | Shuffle | Roll
PartOutcome = Face | int | tuple[Item, ...]
Outcome = tuple[PartOutcome, ...]

DrawnBy = Literal["server", "manual", "ruling"]
"""Who answered a draw: the service's generator, a moderator, or a ruling that rewound the match."""


class Draw(Struct, frozen=True):
    """A request for randomness. `id` is unique in the match. Its id, parts and outcome are shown
    only to its audience: the public or, for a sealed draw, the moderators."""

    id: str
    parts: tuple[Part, ...]
    audience: AudienceName = SEALED


def fits(draw: Draw, outcome: Outcome) -> bool:
    """Whether `outcome` answers `draw`, part by part: a flip with a face, a shuffle with an order,
    a roll with a number."""
    return len(outcome) == len(draw.parts) and all(map(_part_fits, draw.parts, outcome))


def faces(outcome: Outcome) -> tuple[Face, ...]:
    """The outcome of a draw that is all flips."""
    return cast(tuple[Face, ...], outcome)


def orders(outcome: Outcome) -> tuple[tuple[Item, ...], ...]:
    """The outcome of a draw that is all shuffles."""
    return cast(tuple[tuple[Item, ...], ...], outcome)


def numbers(outcome: Outcome) -> tuple[int, ...]:
    """The outcome of a draw that is all rolls."""
    return cast(tuple[int, ...], outcome)


def _part_fits(part: Part, outcome: PartOutcome) -> bool:
    if isinstance(part, Flip):
        return outcome in ("heads", "tails")
    if isinstance(part, Roll):
        # Python treats True as 1; a record must not contain it where a die was rolled.
        return type(outcome) is int and 1 <= outcome <= part.sides
    return isinstance(outcome, tuple) and Counter(map(_exact, outcome)) == Counter(
        map(_exact, part.items)
    )


def _exact(item: Item) -> tuple[type, Item]:
    """Distinguishes 1 from True, which are equal in Python."""
    return type(item), item
