"""What happens in 12 Chips. The tags are the storage format."""

from collections.abc import Mapping
from typing import ClassVar

from domain.events import OWN_SEAT, PUBLIC, SEALED
from domain.events import Event as BaseEvent
from domain.games.twelve_chips.chips import Chips, Colour


class RoundBegan(BaseEvent, frozen=True, gc=False, tag="twelve-chips.round-began.1"):
    """All chips are shuffled again; `starter` will start the first trick."""

    audience: ClassVar = PUBLIC
    round: int
    starter: int


class HandDealt(BaseEvent, frozen=True, gc=False, tag="twelve-chips.hand-dealt.1"):
    """The seat picked up its four chips, sorted."""

    audience: ClassVar = OWN_SEAT
    seat: int
    chips: Chips


class ChipsSetAside(BaseEvent, frozen=True, gc=False, tag="twelve-chips.chips-set-aside.1"):
    """These chips, sorted, were not dealt and stay hidden for the round."""

    audience: ClassVar = SEALED
    chips: Chips


class DealCompleted(BaseEvent, frozen=True, gc=False, tag="twelve-chips.deal-completed.1"):
    """Every seat has four chips. `backs` are each hand's colours, if the backs show them."""

    audience: ClassVar = PUBLIC
    backs: tuple[tuple[Colour, ...], ...] | None


class TrickBegan(BaseEvent, frozen=True, gc=False, tag="twelve-chips.trick-began.1"):
    """`starter` is to play the first chip; tricks count from 1 in each round."""

    audience: ClassVar = PUBLIC
    trick: int
    starter: int


class ChipPlayed(BaseEvent, frozen=True, gc=False, tag="twelve-chips.chip-played.1"):
    """A chip went from the seat's hand to the centre."""

    audience: ClassVar = PUBLIC
    seat: int
    chip: int


class TrickWon(BaseEvent, frozen=True, gc=False, tag="twelve-chips.trick-won.1"):
    """All have played; the seat has the highest chip and takes first."""

    audience: ClassVar = PUBLIC
    seat: int


class ChipWon(BaseEvent, frozen=True, gc=False, tag="twelve-chips.chip-won.1"):
    """The winner of the trick took this chip; it is in front of the winner, out of play."""

    audience: ClassVar = PUBLIC
    seat: int
    chip: int


class ChipTaken(BaseEvent, frozen=True, gc=False, tag="twelve-chips.chip-taken.1"):
    """A chip went from the centre to the hand of a seat that did not win the trick."""

    audience: ClassVar = PUBLIC
    seat: int
    chip: int


class RoundScored(BaseEvent, frozen=True, gc=False, tag="twelve-chips.round-scored.1"):
    """All hands were opened.

    `chips` are each seat's four, sorted, front and hand together; `sums` are plain sums; each of
    the `winners` got a token.
    """

    audience: ClassVar = PUBLIC
    chips: tuple[Chips, ...]
    sums: tuple[int, ...]
    winners: tuple[int, ...]

    def discloses(self) -> Mapping[type[BaseEvent], tuple[str, ...]]:
        """All moves are public, so the last chips of a seat show those that it was dealt."""
        return {HandDealt: ("chips",)}


Event = (
    RoundBegan
    | HandDealt
    | ChipsSetAside
    | DealCompleted
    | TrickBegan
    | ChipPlayed
    | TrickWon
    | ChipWon
    | ChipTaken
    | RoundScored
)
