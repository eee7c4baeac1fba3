"""What can happen in Grouping Black & White. The tags are the storage format."""

from collections.abc import Mapping
from typing import Literal

from domain.events import Event as BaseEvent
from domain.events import PublicEvent, SealedEvent, SeatEvent
from domain.games.grouping_bw.grouping import Colours, Grouping, Numbers, Order

Pair = tuple[int, int]
"""One number a seat."""

End = Literal["call", "fold", "allin", "sudden_death"]
NumberSource = Literal["fold", "peek"]


class StarterNamed(PublicEvent, frozen=True, tag="grouping-bw.starter-named.1"):
    """The seat named who starts the first round, or starts it because nobody was named in time."""

    seat: int
    starter: int


class SetBegan(PublicEvent, frozen=True, tag="grouping-bw.set-began.1"):
    """Both seats group their tiles; `ante` is what they will pay, unless they agree on more."""

    set: int
    ante: int


class GroupsSubmitted(SeatEvent, frozen=True, tag="grouping-bw.groups-submitted.1"):
    """The seat submitted these groups; its last submission counts."""

    groups: Grouping
    use_order: bool
    ante_increase: int | None


class OrderUsed(SeatEvent, frozen=True, tag="grouping-bw.order-used.1"):
    """The seat has spent the item: it will see the order of its groups."""


class GroupingEnded(PublicEvent, frozen=True, tag="grouping-bw.grouping-ended.1"):
    """The groups of this set are final. By agreement the ante grew by `increase`, which may be 0,
    to `ante`."""

    increase: int
    ante: int


class GroupsDrawn(SeatEvent, frozen=True, tag="grouping-bw.groups-drawn.1"):
    """The seat had made no groups in time, so chance made them."""

    groups: Grouping


class PassBegan(PublicEvent, frozen=True, tag="grouping-bw.pass-began.1"):
    """All tiles are shuffled and laid again with the same groups, for the `number`-th time in this
    set; the first time has no event."""

    number: int


class TilesLaid(SealedEvent, frozen=True, tag="grouping-bw.tiles-laid.1"):
    """The nine tiles of each seat, in the order in which they will be played, and the order of the
    groups in them."""

    tiles: tuple[Numbers, ...]
    orders: tuple[Order, ...]


class OrderTold(SeatEvent, frozen=True, tag="grouping-bw.order-told.1"):
    """The seat saw the order of its groups in this pass."""

    order: Order


class RoundBegan(PublicEvent, frozen=True, tag="grouping-bw.round-began.1"):
    """The next tile of each seat is played; `starter` bets first. Rounds count from 1 in each
    pass."""

    round: int
    colours: Colours
    starter: int


class OwnTileTold(SeatEvent, frozen=True, tag="grouping-bw.own-tile-told.1"):
    """The seat sees the number of its own tile, by that option."""

    number: int


class AntesPaid(PublicEvent, frozen=True, tag="grouping-bw.antes-paid.1"):
    """Each seat has put in `chips`: the ante, or the smaller stack."""

    chips: int


class AnteMissed(PublicEvent, frozen=True, tag="grouping-bw.ante-missed.1"):
    """These seats have less than the ante; if both have equally little, sudden death begins."""

    seats: tuple[int, ...]


class SuddenDeathBegan(PublicEvent, frozen=True, tag="grouping-bw.sudden-death-began.1"):
    """From this round on tiles are shown without bets until one of them is higher."""


class Raised(PublicEvent, frozen=True, tag="grouping-bw.raised.1"):
    """The seat met the other bet and added `by` chips."""

    seat: int
    by: int


class Called(PublicEvent, frozen=True, tag="grouping-bw.called.1"):
    """The seat met the other bet."""

    seat: int


class Folded(PublicEvent, frozen=True, tag="grouping-bw.folded.1"):
    """The seat gave up the round."""

    seat: int


class NumberTold(SeatEvent, frozen=True, tag="grouping-bw.number-told.1"):
    """The seat saw the other seat's number, because it folded or spent its peek."""

    number: int
    by: NumberSource


class RoundEnded(PublicEvent, frozen=True, tag="grouping-bw.round-ended.1"):
    """All bets are settled.

    `stacks` are the seats' chips then, `discarded` is how many chips left the game, `numbers` are
    both tiles if they were shown; `folded_8` says that an 8 was folded where that is penalised.
    """

    end: End
    winner: int | None
    folder: int | None
    numbers: Pair | None
    stacks: Pair
    discarded: int
    folded_8: bool

    def discloses(self) -> Mapping[type[BaseEvent], tuple[str, ...]]:
        return {} if self.numbers is None else {OwnTileTold: ("number",), NumberTold: ("number",)}


class GameWon(PublicEvent, frozen=True, tag="grouping-bw.game-won.1"):
    """The other seat is out of chips, could not pay the ante, or lost in sudden death."""

    seat: int


Event = (
    StarterNamed
    | SetBegan
    | GroupsSubmitted
    | OrderUsed
    | GroupingEnded
    | GroupsDrawn
    | PassBegan
    | TilesLaid
    | OrderTold
    | RoundBegan
    | OwnTileTold
    | AntesPaid
    | AnteMissed
    | SuddenDeathBegan
    | Raised
    | Called
    | Folded
    | NumberTold
    | RoundEnded
    | GameWon
)
