"""What a seat can do in 12 Chips. Chips are named by their number."""

from typing import Annotated

from msgspec import Meta, Struct

from domain.game import Whole


class Enter(Struct, frozen=True, tag="enter", forbid_unknown_fields=True):
    """Rule 1: says which four chips the seat was dealt; the last hand entered counts."""

    chips: Annotated[
        tuple[Whole, ...], Meta(description="The numbers of the four chips of the hand.")
    ]


class Play(Struct, frozen=True, tag="play", forbid_unknown_fields=True):
    """Rule 2: puts a chip of the hand in the centre, face up."""

    chip: Annotated[Whole, Meta(description="The number of a chip of the seat's hand.")]


class Take(Struct, frozen=True, tag="take", forbid_unknown_fields=True):
    """Rule 4: takes a chip from the centre."""

    chip: Annotated[Whole, Meta(description="The number of a chip that may be taken.")]


Action = Enter | Play | Take
