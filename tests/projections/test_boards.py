"""What holds for the boards of every game, at every step of any match."""

from itertools import chain
from random import Random
from typing import Any, NamedTuple

import msgspec
import pytest

from domain.games import GAMES
from domain.match_events import ActionRefused, MatchStarted
from projections.audience import AudienceState, see_all
from projections.board import Boards
from projections.boards import BOARDS
from projections.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from tests.support.tables.directing import START
from tests.support.tables.game_strategies import sizes, step
from tests.support.tables.match_table import seated

MOST_STEPS = 150


class Shown(NamedTuple):
    """The fields of a game's boards, in their order, with some options."""

    game: str
    options: dict[str, Any]
    public: str
    seat: str = ""
    moderator: str = ""

    def to(self, viewer: Viewer) -> tuple[str, ...]:
        own = {PUBLIC_VIEWER: "", MODERATOR: self.moderator}.get(str(viewer), self.seat)
        return (*self.public.split(), *own.split())


DOLLAR = "round phase to_act sides lines totals converted placed last_flips result"
CHIPS = "round trick phase starter to_act centre fronts hand_sizes tokens last_round result"
GROUPING = "set pass round phase ante starter to_act stacks bets pot colours history result"
ITEMS = "groups items told order"
BY_SEAT = "groups_by_seat items_by_seat tiles orders"
TOGETHER = (
    "round phase deadline groups stage kicked_out votes b_tokens winners losers tokens_of_life"
    " candidates garnets_awarded"
)
OWN = "tokens garnets submissions standing"
OF_SEATS = "tokens_by_seat garnets_by_seat standing_by_seat"
DICE = "round phase to_act dice_left bid bids last_round"

SHOWN = [
    Shown("dollar-prize", {}, DOLLAR),
    Shown("twelve-chips", {}, CHIPS, "hand", "hands undealt"),
    Shown(
        "twelve-chips",
        {"hand_colours_public": True},
        f"{CHIPS} hand_colours",
        "hand",
        "hands undealt",
    ),
    Shown("grouping-bw", {"variant": "final-match-2"}, GROUPING, ITEMS, BY_SEAT),
    Shown("grouping-bw", {"own_tile_visible": True}, GROUPING, f"{ITEMS} own_tile", BY_SEAT),
    Shown("together", {}, TOGETHER, OWN, OF_SEATS),
    Shown("liars-dice", {}, DICE, "dice", "hands"),
]
EVERY_BOARD = pytest.mark.parametrize("shown", SHOWN, ids=lambda shown: shown.game)


@EVERY_BOARD
def test_an_audience_has_its_fields_and_the_public_ones_are_the_same_for_all(shown: Shown) -> None:
    """So what is hidden moves nothing but the fields of those who may see it."""
    game, rng = GAMES[shown.game], Random(7)
    options = msgspec.convert(shown.options, game.Options)
    public = shown.to(PUBLIC_VIEWER)
    for seats in sizes(game):
        table = seated(game, seats, options).when(START)
        states = {v: AudienceState(v) for v in (PUBLIC_VIEWER, MODERATOR, *range(seats))}
        seen = 0
        for _ in range(MOST_STEPS):
            for record in table.records[seen:]:
                states = {viewer: see_all(state, [record]) for viewer, state in states.items()}
                boards = {
                    v: msgspec.to_builtins(BOARDS[shown.game].show(s.board))
                    for v, s in states.items()
                    if s.board
                }
                for viewer, board in boards.items():
                    assert tuple(board) == shown.to(viewer)
                    assert [board[name] for name in public] == [*boards[PUBLIC_VIEWER].values()]
            assert boards.keys() == states.keys()
            seen = len(table.records)
            if table.match.status == "running":
                step(table, rng)


@pytest.mark.parametrize("game", GAMES)
def test_the_view_can_be_described(game: str) -> None:
    described = msgspec.json.schema(BOARDS[game].view)["$defs"]["Board"]["properties"]
    viewers: tuple[Viewer, ...] = (PUBLIC_VIEWER, 0, MODERATOR)
    shown = (one.to(viewer) for one in SHOWN if one.game == game for viewer in viewers)
    assert set(described) == set(chain.from_iterable(shown))


@EVERY_BOARD
@pytest.mark.parametrize("viewer", [PUBLIC_VIEWER, 0, MODERATOR])
def test_events_that_do_not_concern_the_table_change_nothing(shown: Shown, viewer: Viewer) -> None:
    game, boards = GAMES[shown.game], BOARDS[shown.game]
    seats = game.seats[0]
    board = boards.initial(msgspec.convert(shown.options, game.Options), seats, viewer)
    for event in (MatchStarted(), ActionRefused(0, "not_your_turn")):
        assert boards.evolve(board, event, viewer, 0) is board


class Counting(msgspec.Struct, frozen=True):
    """A state that holds nothing to hide."""

    events: int


def test_a_state_is_its_own_view_unless_it_says_how_it_is_shown() -> None:
    plain = Boards(Counting, lambda *_: Counting(0), lambda state, *_: Counting(state.events + 1))
    assert plain.show(Counting(3)) == Counting(3)
