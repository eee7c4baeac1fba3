"""What happens in 12 Chips. The tags are the storage format."""

from collections.abc import Mapping

from msgspec.structs import replace

from domain.events import Event as BaseEvent
from domain.events import PublicEvent, SealedEvent, SeatEvent
from domain.games.twelve_chips.chips import Chips, Colour


class RoundBegan(PublicEvent, frozen=True, tag="twelve-chips.round-began.1"):
    """All chips are shuffled again; `starter` will start the first trick."""

    round: int
    starter: int


class Hand(SeatEvent, frozen=True):
    """Four chips of one seat, sorted. Where seats enter their hands, moderators are shown none."""

    chips: Chips

    def masked(self) -> "Hand":
        """The event as moderators are shown it."""
        return replace(self, chips=())


class HandDealt(Hand, frozen=True, tag="twelve-chips.hand-dealt.1"):
    """The seat picked up its four chips, sorted."""


class HandEntered(Hand, frozen=True, tag="twelve-chips.hand-entered.1"):
    """The seat said which four chips it was dealt, sorted; its last entry counts."""


class ChipsSetAside(SealedEvent, frozen=True, tag="twelve-chips.chips-set-aside.1"):
    """These chips, sorted, were not dealt and stay hidden for the round."""

    chips: Chips


class DealCompleted(PublicEvent, frozen=True, tag="twelve-chips.deal-completed.1"):
    """Every seat has four chips. `backs` are each hand's colours, if the backs show them."""

    backs: tuple[tuple[Colour, ...], ...] | None


class TrickBegan(PublicEvent, frozen=True, tag="twelve-chips.trick-began.1"):
    """`starter` is to play the first chip; tricks count from 1 in each round."""

    trick: int
    starter: int


class ChipPlayed(PublicEvent, frozen=True, tag="twelve-chips.chip-played.1"):
    """A chip went from the seat's hand to the centre."""

    seat: int
    chip: int


class TrickWon(PublicEvent, frozen=True, tag="twelve-chips.trick-won.1"):
    """All have played; the seat has the highest chip and takes first."""

    seat: int


class ChipWon(PublicEvent, frozen=True, tag="twelve-chips.chip-won.1"):
    """The winner of the trick took this chip; it is in front of the winner, out of play."""

    seat: int
    chip: int


class ChipTaken(PublicEvent, frozen=True, tag="twelve-chips.chip-taken.1"):
    """A chip went from the centre to the hand of a seat that did not win the trick."""

    seat: int
    chip: int


class RoundScored(PublicEvent, frozen=True, tag="twelve-chips.round-scored.1"):
    """All hands were opened.

    `chips` are each seat's four, sorted, front and hand together; `sums` are plain sums; each of
    the `winners` got a token.
    """

    chips: tuple[Chips, ...]
    sums: tuple[int, ...]
    winners: tuple[int, ...]

    def discloses(self) -> Mapping[type[BaseEvent], tuple[str, ...]]:
        """All moves are public, so the last chips of a seat show those that it was dealt."""
        return {HandDealt: ("chips",)}


class ChipsMiscounted(PublicEvent, frozen=True, tag="twelve-chips.chips-miscounted.1"):
    """The hands that seats entered cannot be those of one set of chips: of the `doubled` there are
    more than the set has, of the `missing` fewer."""

    doubled: Chips
    missing: Chips


Event = (
    RoundBegan
    | HandDealt
    | HandEntered
    | ChipsSetAside
    | DealCompleted
    | TrickBegan
    | ChipPlayed
    | TrickWon
    | ChipWon
    | ChipTaken
    | RoundScored
    | ChipsMiscounted
)
