"""What a seat may ask in Grouping Black & White."""

from typing import Annotated

from msgspec import Meta, Struct

from domain.game import Whole

Tiles = Annotated[tuple[Whole, ...], Meta(max_length=32)]
"""More than there are, so that a group of the wrong size is told apart from what is no group."""


class NameStarter(Struct, frozen=True, tag="name_starter", forbid_unknown_fields=True):
    """Who starts the first round."""

    seat: Whole


class Group(Struct, frozen=True, tag="group", forbid_unknown_fields=True):
    """Sorts the own tiles; `use_order` spends that item, `ante_increase` is what the ante should
    grow by, which it does if the other seat says the same."""

    a: Tiles
    b: Tiles
    c: Tiles
    use_order: bool = False
    ante_increase: Whole | None = None


class Raise(Struct, frozen=True, tag="raise", forbid_unknown_fields=True):
    """Meets the other bet and puts `by` chips on top of it."""

    by: Whole


class Call(Struct, frozen=True, tag="call", forbid_unknown_fields=True):
    """Meets the other bet; both tiles are shown."""


class Fold(Struct, frozen=True, tag="fold", forbid_unknown_fields=True):
    """Gives the round up."""


class Peek(Struct, frozen=True, tag="peek", forbid_unknown_fields=True):
    """Spends that item on the other seat's number."""


Action = NameStarter | Group | Raise | Call | Fold | Peek
