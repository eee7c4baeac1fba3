"""What a seat can do in Grouping Black & White."""

from typing import Annotated

from msgspec import Meta, Struct

from domain.game import Whole

Tiles = Annotated[tuple[Whole, ...], Meta(max_length=32)]
"""Longer than any group, so that a group of the wrong size is refused by the rules and not as a
malformed request."""


class NameStarter(Struct, frozen=True, tag="name_starter", forbid_unknown_fields=True):
    """Names the seat that starts the first round."""

    seat: Annotated[Whole, Meta(description="The seat that starts.")]


class Group(Struct, frozen=True, tag="group", forbid_unknown_fields=True):
    """Sorts the seat's own tiles. `use_order` spends that item; `ante_increase` is how much the
    ante should grow, which it does if the other seat names the same number."""

    a: Annotated[Tiles, Meta(title="Group A", description="The numbers of its tiles.")]
    b: Annotated[Tiles, Meta(title="Group B", description="The numbers of its tiles.")]
    c: Annotated[Tiles, Meta(title="Group C", description="The numbers of its tiles.")]
    use_order: Annotated[
        bool, Meta(description="Spends the item, to see the order of the groups.")
    ] = False
    ante_increase: Annotated[
        Whole | None,
        Meta(description="By how much the ante should grow; it does if both name the same."),
    ] = None


class Raise(Struct, frozen=True, tag="raise", forbid_unknown_fields=True):
    """Meets the other bet and adds `by` chips."""

    by: Annotated[
        Whole, Meta(title="Chips", description="How many chips are added to the other bet.")
    ]


class Call(Struct, frozen=True, tag="call", forbid_unknown_fields=True):
    """Meets the other bet; both tiles are shown."""


class Fold(Struct, frozen=True, tag="fold", forbid_unknown_fields=True):
    """Gives up the round."""


class Peek(Struct, frozen=True, tag="peek", forbid_unknown_fields=True):
    """Spends that item to see the other seat's number."""


Action = NameStarter | Group | Raise | Call | Fold | Peek
