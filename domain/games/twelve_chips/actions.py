"""What a seat can do in 12 Chips. Chips are named by their number."""

from msgspec import Struct

from domain.game import Whole


class Play(Struct, frozen=True, tag="play", forbid_unknown_fields=True):
    """Rule 2: puts a chip of the hand in the centre, face up."""

    chip: Whole


class Take(Struct, frozen=True, tag="take", forbid_unknown_fields=True):
    """Rule 4: takes a chip from the centre."""

    chip: Whole


Action = Play | Take
