"""What a seat may ask in 12 Chips. Chips are named by their number."""

from msgspec import Struct

from domain.game import Whole


class Play(Struct, frozen=True, tag="play", forbid_unknown_fields=True):
    """Rule 2: put a chip of one's hand in the centre, face up."""

    chip: Whole


class Take(Struct, frozen=True, tag="take", forbid_unknown_fields=True):
    """Rule 4: take a chip from the centre."""

    chip: Whole


Action = Play | Take
