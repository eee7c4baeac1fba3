"""What the tests know of 12 Chips."""

from collections.abc import Sequence
from itertools import chain
from random import Random
from typing import NamedTuple

from domain.chance.draws import Outcome, orders
from domain.events import Event
from domain.games.twelve_chips.chips import HAND, chips_for, is_red
from domain.games.twelve_chips.events import ChipPlayed, ChipsSetAside, RoundScored
from domain.match.events import DrawSettled, SealedDrawSettled
from projections.audience.disclosure import Viewer
from tests.support.game_support import GameSupport, Recording, Shown
from tests.support.tables.match_table import MatchTable

DRAWN = DrawSettled | SealedDrawSettled
"""A deal is sealed; if it were public, the comparison of two worlds should find that."""


class ChipPosition(NamedTuple):
    """The position of a chip in the shuffles of a deal."""

    part: int
    at: int


def other_deals(table: MatchTable, viewer: Viewer, rng: Random) -> dict[str, Outcome]:
    """Every deal with the chips exchanged that `viewer` has not seen.

    It sees its own hand, what others play, and when a round ends all hands. Never seen are the
    chips set aside, and the order within a hand.
    """
    others: dict[str, Outcome] = {}
    for number, settled in enumerate(table.events):
        if isinstance(settled, DRAWN):
            shuffles = [list(map(int, part)) for part in orders(settled.outcome)]
            for places in _exchangeable(table, viewer, shuffles, table.events[number + 1 :]):
                _exchange(shuffles, places, rng)
            others[settled.id] = tuple(map(tuple, shuffles))
    return others


def _exchangeable(
    table: MatchTable, viewer: Viewer, shuffles: Sequence[Sequence[int]], later: Sequence[Event]
) -> list[list[ChipPosition]]:
    """Groups of positions whose chips may be exchanged: the unseen ones, by colour where colours
    can be seen, and each hand's own order."""
    seats, share = len(table.seats), HAND // len(shuffles)
    hands: dict[int, list[ChipPosition]] = {seat: [] for seat in range(seats)}
    aside: list[ChipPosition] = []
    for part, shuffle in enumerate(shuffles):
        for index in range(len(shuffle)):
            hands.get(index // share, aside).append(ChipPosition(part, index))
    unseen = [*aside]
    for seat, places in hands.items():
        if seat != viewer:
            unseen += _unplayed(shuffles, places, seat, later)
    groups = [unseen]
    if table.options.hand_colours_public or len(shuffles) > 1:
        red = [place for place in unseen if is_red(shuffles[place.part][place.at])]
        groups = [red, [place for place in unseen if place not in red]]
    # After the unseen ones, since the order in a hand decides which chip is at which position.
    return groups + [
        [place for place in hand if place.part == part]
        for hand in hands.values()
        for part in range(len(shuffles))
    ]


def _unplayed(
    shuffles: Sequence[Sequence[int]],
    places: Sequence[ChipPosition],
    seat: int,
    later: Sequence[Event],
) -> list[ChipPosition]:
    """The part of a hand that has not been played by now; nothing once the hands were revealed."""
    kept = list(places)
    for event in later:
        if isinstance(event, RoundScored):
            return []
        if isinstance(event, DRAWN):
            break
        if isinstance(event, ChipPlayed) and event.seat == seat:
            played = [p for p in kept if shuffles[p.part][p.at] == event.chip]
            if played:
                kept.remove(played[0])
    return kept


def _exchange(shuffles: list[list[int]], places: Sequence[ChipPosition], rng: Random) -> None:
    chips = [shuffles[place.part][place.at] for place in places]
    rng.shuffle(chips)
    for (part, index), chip in zip(places, chips, strict=True):
        shuffles[part][index] = chip


def chips_are_conserved(table: MatchTable) -> None:
    """In a round every chip is in a hand, in front of a seat, in the centre or set aside."""
    state = table.match.game
    if state.phase in ("play", "take"):
        aside = [e.chips for e in table.events if isinstance(e, ChipsSetAside)][-1:]
        everywhere = chain(*state.hands, *state.fronts, state.centre, *aside)
        if state.options.hands == "dealt":
            assert tuple(sorted(everywhere)) == chips_for(state.seats)
    assert state.round <= state.seats * (state.options.tokens_to_win - 1) + 1


FIELDS = "round trick phase starter to_act centre fronts hand_sizes tokens last_round result"

SUPPORT = GameSupport(
    limits={"first_starter": (0, 3), "tokens_to_win": (1, 100), "turn_seconds": (1, 86_400)},
    shown=[
        Shown({}, FIELDS, "hand", "hands undealt"),
        Shown({"hand_colours_public": True}, f"{FIELDS} hand_colours", "hand", "hands undealt"),
        Shown({"hands": "entered"}, FIELDS, "hand", "entered"),
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
