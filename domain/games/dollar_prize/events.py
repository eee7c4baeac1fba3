"""What can happen in Dollar Prize, all of it in public. The tags are the storage format."""

from typing import ClassVar, Literal

from domain.draws import Face
from domain.events import PUBLIC
from domain.events import Event as AnyEvent
from domain.games.dollar_prize.coins import Coin, Flips, Recipe, Row

Phase = Literal["choose_side", "setup", "turn", "steal", "exchange", "over"]
"""The phase of the game; in `setup` and `steal` coins are being flipped."""


class SideChosen(AnyEvent, frozen=True, gc=False, tag="dollar-prize.side-chosen.1"):
    """The first player picked a side, which settles both; the setup pennies are flipped."""

    audience: ClassVar = PUBLIC
    seat: int
    side: Face


class PenniesDealt(AnyEvent, frozen=True, gc=False, tag="dollar-prize.pennies-dealt.1"):
    """The setup pennies fell; `pennies` is how many each seat took."""

    audience: ClassVar = PUBLIC
    flips: Flips
    pennies: tuple[int, int]


class TurnBegan(AnyEvent, frozen=True, gc=False, tag="dollar-prize.turn-began.1"):
    """It is this seat's turn; whatever came before is over."""

    audience: ClassVar = PUBLIC
    round: int
    seat: int


class CoinPlaced(AnyEvent, frozen=True, gc=False, tag="dollar-prize.coin-placed.1"):
    """A seat puts a coin from the bank on its own side."""

    audience: ClassVar = PUBLIC
    seat: int
    coin: Coin


class CoinsConverted(AnyEvent, frozen=True, gc=False, tag="dollar-prize.coins-converted.1"):
    """A seat changes its own coins for one higher coin."""

    audience: ClassVar = PUBLIC
    seat: int
    recipe: Recipe


class StealBegan(AnyEvent, frozen=True, gc=False, tag="dollar-prize.steal-began.1"):
    """Coins are flipped for a steal, the `number`-th of this round; from 2 on to break a tie."""

    audience: ClassVar = PUBLIC
    round: int
    number: int


class CoinsFlipped(AnyEvent, frozen=True, gc=False, tag="dollar-prize.coins-flipped.1"):
    """The faces of the coins of a steal, from the highest coin down."""

    audience: ClassVar = PUBLIC
    flips: Flips


class CoinStolen(AnyEvent, frozen=True, gc=False, tag="dollar-prize.coin-stolen.1"):
    """A coin changed sides. Unless it is a penny, the receiver now says whether to keep it."""

    audience: ClassVar = PUBLIC
    giver: int
    receiver: int
    coin: Coin


class CoinKept(AnyEvent, frozen=True, gc=False, tag="dollar-prize.coin-kept.1"):
    """A seat keeps the coin that it has stolen."""

    audience: ClassVar = PUBLIC
    seat: int
    coin: Coin


class CoinExchanged(AnyEvent, frozen=True, gc=False, tag="dollar-prize.coin-exchanged.1"):
    """The stolen `coin` went to the bank for lower `coins`, in ascending order."""

    audience: ClassVar = PUBLIC
    seat: int
    coin: Coin
    coins: Row


class PrizeTaken(AnyEvent, frozen=True, gc=False, tag="dollar-prize.prize-taken.1"):
    """The richer seat took the prize, or both share it."""

    audience: ClassVar = PUBLIC
    seats: tuple[int, ...]


Event = (
    SideChosen
    | PenniesDealt
    | TurnBegan
    | CoinPlaced
    | CoinsConverted
    | StealBegan
    | CoinsFlipped
    | CoinStolen
    | CoinKept
    | CoinExchanged
    | PrizeTaken
)
