"""What can happen in Dollar Prize, all of it in public. The tags are the storage format."""

from typing import Literal

from domain.chance.draws import Face
from domain.events import PublicEvent
from domain.games.dollar_prize.coins import Coin, Flips, Recipe, Row

Phase = Literal["choose_side", "setup", "turn", "steal", "exchange", "over"]
"""The phase of the game; in `setup` and `steal` coins are being flipped."""


class SideChosen(PublicEvent, frozen=True, tag="dollar-prize.side-chosen.1"):
    """The first player picked a side, which settles both; the setup pennies are flipped."""

    seat: int
    side: Face


class PenniesDealt(PublicEvent, frozen=True, tag="dollar-prize.pennies-dealt.1"):
    """The setup pennies fell; `pennies` is how many each seat took."""

    flips: Flips
    pennies: tuple[int, int]


class TurnBegan(PublicEvent, frozen=True, tag="dollar-prize.turn-began.1"):
    """It is this seat's turn; whatever came before is over."""

    round: int
    seat: int


class CoinPlaced(PublicEvent, frozen=True, tag="dollar-prize.coin-placed.1"):
    """A seat puts a coin from the bank on its own side."""

    seat: int
    coin: Coin


class CoinsConverted(PublicEvent, frozen=True, tag="dollar-prize.coins-converted.1"):
    """A seat changes its own coins for one higher coin."""

    seat: int
    recipe: Recipe


class StealBegan(PublicEvent, frozen=True, tag="dollar-prize.steal-began.1"):
    """Coins are flipped for a steal, the `number`-th of this round; from 2 on to break a tie."""

    round: int
    number: int


class CoinsFlipped(PublicEvent, frozen=True, tag="dollar-prize.coins-flipped.1"):
    """The faces of the coins of a steal, from the highest coin down."""

    flips: Flips


class CoinStolen(PublicEvent, frozen=True, tag="dollar-prize.coin-stolen.1"):
    """A coin changed sides. Unless it is a penny, the receiver now says whether to keep it."""

    giver: int
    receiver: int
    coin: Coin


class CoinKept(PublicEvent, frozen=True, tag="dollar-prize.coin-kept.1"):
    """A seat keeps the coin that it has stolen."""

    seat: int
    coin: Coin


class CoinExchanged(PublicEvent, frozen=True, tag="dollar-prize.coin-exchanged.1"):
    """The stolen `coin` went to the bank for lower `coins`, in ascending order."""

    seat: int
    coin: Coin
    coins: Row


class PrizeTaken(PublicEvent, frozen=True, tag="dollar-prize.prize-taken.1"):
    """The richer seat took the prize, or both share it."""

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
