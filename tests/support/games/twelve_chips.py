"""What the tests know of 12 Chips."""

from itertools import chain

from domain.games.twelve_chips.chips import chips_for
from domain.games.twelve_chips.events import ChipsSetAside
from tests.support.game_support import GameSupport, Recording, Shown
from tests.support.tables.match_table import MatchTable
from tests.support.worlds_twelve_chips import other_deals


def chips_are_conserved(table: MatchTable) -> None:
    """In a round every chip is in a hand, in front of a seat, in the centre or set aside."""
    state = table.match.game
    if state.phase in ("play", "take"):
        aside = [e.chips for e in table.events if isinstance(e, ChipsSetAside)][-1:]
        everywhere = chain(*state.hands, *state.fronts, state.centre, *aside)
        assert tuple(sorted(everywhere)) == chips_for(state.seats)
    assert state.round <= state.seats * (state.options.tokens_to_win - 1) + 1


FIELDS = "round trick phase starter to_act centre fronts hand_sizes tokens last_round result"

SUPPORT = GameSupport(
    limits={
        "first_starter": (0, 3),
        "tokens_to_win": (1, 100),
        "turn_seconds": (1, 86_400),
    },
    shown=[
        Shown({}, FIELDS, "hand", "hands undealt"),
        Shown({"hand_colours_public": True}, f"{FIELDS} hand_colours", "hand", "hands undealt"),
    ],
    conserved=chips_are_conserved,
    other_outcomes=other_deals,
    short=("3", {"tokens_to_win": 1}),
    other_luck="38",
    variety=[{}, {"first_starter": 1, "deal": "random", "tokens_to_win": 5}],
    refused=[{"type": "play", "chip": 1}, {"type": "take", "chip": 2}],
    tried=[{"type": kind, "chip": chip} for kind in ("play", "take") for chip in range(14)],
    recording=Recording(
        {"turn_seconds": 30, "hand_colours_public": True, "tokens_to_win": 2}, closed=True
    ),
    bundles=(
        (2, {"tokens_to_win": 1}),
        (3, {"over_21": "halve", "first_starter": 2, "tokens_to_win": 2, "turn_seconds": 20}),
        (4, {"deal": "random", "round_starter": "rotate", "tokens_to_win": 1}),
        (2, {"round_starter": "round_winner", "hand_colours_public": True, "tokens_to_win": 2}),
    ),
)
