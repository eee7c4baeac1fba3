"""What the tests know of Liar's Dice."""

from random import Random

from domain.chance.draws import Outcome, numbers
from domain.games.liars_dice import RoundEnded
from domain.match.events import DrawSettled, SealedDrawSettled
from projections.audience.disclosure import Viewer
from tests.support.game_support import GameSupport, Recording, Shown
from tests.support.tables.match_table import MatchTable

DRAWN = DrawSettled | SealedDrawSettled
"""Rolls are sealed; if they were public, the comparison of two worlds should find that."""


def dice_are_conserved(table: MatchTable) -> None:
    """Dice leave and come back only by calls; a seat that has rolled has as many as are left."""
    state, ended = table.match.game, [e for e in table.events if isinstance(e, RoundEnded)]
    left = [table.options.dice] * len(table.seats)
    for event in ended:
        if event.shown.lost is not None:
            left[event.shown.lost] -= 1
        if event.shown.gained is not None:
            left[event.shown.gained] += 1
    assert state.dice_left == tuple(left)
    assert all(0 <= dice <= table.options.dice for dice in left)
    assert state.round == 1 + len(ended)
    assert all(len(hand) in (0, dice) for hand, dice in zip(state.hands, left, strict=True))


def other_dice(table: MatchTable, viewer: Viewer, rng: Random) -> dict[str, Outcome]:
    """All dice of other seats that have not been shown; shown dice in another order."""
    shown = sum(isinstance(event, RoundEnded) for event in table.events)
    others: dict[str, Outcome] = {}
    for settled in table.events:
        if isinstance(settled, DRAWN):
            round_, seat = settled.id.removeprefix("round").split("/roll/")
            dice = numbers(settled.outcome)
            known = int(round_) <= shown or int(seat) == viewer
            others[settled.id] = tuple(
                rng.sample(dice, len(dice)) if known else [rng.randint(1, 6) for _ in dice]
            )
    return others


FIELDS = "round phase to_act dice_left bid bids last_round"

SUPPORT = GameSupport(
    limits={"dice": (1, 6), "first_player": (0, 5), "turn_seconds": (5, 31_622_400)},
    shown=[Shown({}, FIELDS, "dice", "hands")],
    conserved=dice_are_conserved,
    other_outcomes=other_dice,
    seats=3,
    short=("1", {"dice": 1}),
    variety=[{}, {"dice": 2, "exact_call": True}, {"first_player": 1, "wild_ones": False}],
    refused=[{"type": "challenge"}, {"type": "bid", "count": 40, "face": 6}],
    tried=[
        {"type": "challenge"},
        {"type": "exact"},
        *({"type": "bid", "count": n, "face": face} for n in (0, 1, 2, 10, 11) for face in (1, 6)),
    ],
    recording=Recording({"turn_seconds": 30, "dice": 2, "exact_call": True}, seats=3),
    bundles=(
        (2, {"dice": 2}),
        (3, {"dice": 2, "turn_seconds": 20, "first_player": 2, "exact_call": True}),
        (6, {"dice": 1, "wild_ones": False}),
        (2, {"exact_call": True, "wild_ones": False, "dice": 3}),
    ),
)
