"""Chance as the rules see it: they ask for a draw and are handed its outcome."""

from collections import Counter
from typing import Literal

from msgspec import Struct

from domain.events import SEALED, AudienceName

Face = Literal["heads", "tails"]
Item = int | str


class Flip(Struct, frozen=True, tag="flip", tag_field="kind"):
    """One coin; its outcome is a face."""

    label: str


class Shuffle(Struct, frozen=True, tag="shuffle", tag_field="kind"):
    """An order asked of chance; its outcome is the same items in their new order."""

    items: tuple[Item, ...]


Part = Flip | Shuffle
PartOutcome = Face | tuple[Item, ...]
Outcome = tuple[PartOutcome, ...]


class Draw(Struct, frozen=True):
    """A request for randomness. `id` is unique in the match.

    Its id, parts and outcome are shown to its audience only, which is the public or, for a
    sealed draw, the moderators.
    """

    id: str
    parts: tuple[Part, ...]
    audience: AudienceName = SEALED


def fits(draw: Draw, outcome: Outcome) -> bool:
    """Whether `outcome` answers `draw`, part by part: a face a flip, an order a shuffle."""
    return len(outcome) == len(draw.parts) and all(map(_part_fits, draw.parts, outcome))


def _part_fits(part: Part, outcome: PartOutcome) -> bool:
    if isinstance(part, Flip):
        return outcome in ("heads", "tails")
    return isinstance(outcome, tuple) and Counter(map(_exact, outcome)) == Counter(
        map(_exact, part.items)
    )


def _exact(item: Item) -> tuple[type, Item]:
    """Keeps 1 and True apart, which Python holds for equal."""
    return type(item), item
