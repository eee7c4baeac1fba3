"""What the tests know of Dollar Prize."""

from domain.games.dollar_prize.coins import VALUE, total
from domain.games.dollar_prize.events import CoinPlaced, PenniesDealt
from tests.support.game_support import GameSupport, Recording, Shown
from tests.support.tables.match_table import MatchTable

RECIPES = ("five_pennies", "two_nickels", "nickel_and_two_dimes", "five_pennies_and_two_dimes")


def coins_are_conserved(table: MatchTable) -> None:
    """Coins on the table came from the setup or were placed: nothing else adds a cent."""
    placed = sum(sum(e.pennies) for e in table.events if isinstance(e, PenniesDealt))
    placed += sum(VALUE[e.coin] for e in table.events if isinstance(e, CoinPlaced))
    assert sum(map(total, table.match.game.lines)) == placed
    assert table.match.game.round <= 97


FIELDS = "round phase to_act sides lines totals converted placed last_flips result"

SUPPORT = GameSupport(
    limits={"first_player": (0, 1), "tie_reflips": (0, 10), "turn_seconds": (1, 31_536_000)},
    shown=[Shown({}, FIELDS)],
    conserved=coins_are_conserved,
    short=("21", {}),
    other_luck="13",
    variety=[{}, {"first_player": 1, "tie_reflips": 3}],
    refused=[{"type": "end_turn"}, {"type": "keep"}],
    tried=[
        {"type": "end_turn"},
        {"type": "keep"},
        {"type": "exchange", "coins": ["penny"] * 5},
        {"type": "exchange", "coins": ["nickel", "nickel"]},
        *({"type": "choose_side", "side": side} for side in ("heads", "tails")),
        *({"type": "place", "coin": c} for c in ("penny", "nickel", "dime", "quarter")),
        *({"type": "convert", "recipe": recipe} for recipe in RECIPES),
    ],
    recording=Recording({"turn_seconds": 30, "tie_reflips": 2}),
    bundles=(
        (2, {}),
        (2, {"first_player": 1, "tie_reflips": 0, "turn_seconds": 30}),
        (2, {"down_conversion": "listed", "tie_reflips": 3}),
    ),
)
