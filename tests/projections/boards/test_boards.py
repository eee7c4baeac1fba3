"""What holds for the boards of every game, at every step of any match."""

from collections.abc import Mapping
from itertools import chain
from random import Random
from typing import Any

import msgspec
import pytest

from domain.games import GAMES
from domain.match.events import ActionRefused, MatchStarted
from projections.audience.board import Boards
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from projections.audience.view import AudienceState, see_all
from projections.boards import BOARDS
from tests.support.game_support import Shown
from tests.support.games import SUPPORT
from tests.support.tables.directing import START
from tests.support.tables.game_strategies import sizes, step
from tests.support.tables.match_table import seated

MOST_STEPS = 150


def at_first(name: str, variant: Mapping[str, Any]) -> Shown:
    """The fields that the boards begin with in a variant."""
    game, boards = GAMES[name], BOARDS[name]
    options, seats = msgspec.convert(variant, game.Options), game.seats[0]
    viewers: tuple[Viewer, ...] = (PUBLIC_VIEWER, 0, MODERATOR)
    views = [
        msgspec.to_builtins(boards.show(boards.initial(options, seats, viewer)))
        for viewer in viewers
    ]
    public, *others = views
    own = [" ".join(field for field in view if field not in public) for view in others]
    return Shown(dict(variant), " ".join(public), *own)


SHOWN = {
    name: support.shown or [at_first(name, variant) for variant in GAMES[name].variants]
    for name, support in SUPPORT.items()
}
EVERY_BOARD = pytest.mark.parametrize(
    ("name", "shown"), [(name, shown) for name, listed in SHOWN.items() for shown in listed]
)


@EVERY_BOARD
def test_an_audience_has_its_fields_and_the_public_ones_are_the_same_for_all(
    name: str, shown: Shown
) -> None:
    """So what is hidden moves nothing but the fields of those who may see it."""
    game, rng = GAMES[name], Random(7)
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
                    v: msgspec.to_builtins(BOARDS[name].show(s.board))
                    for v, s in states.items()
                    if s.board
                }
                for viewer, board in boards.items():
                    assert set(board) == set(shown.to(viewer))
                    assert [board[field] for field in public] == [
                        boards[PUBLIC_VIEWER][field] for field in public
                    ]
            assert boards.keys() == states.keys()
            seen = len(table.records)
            if table.match.status == "running":
                step(table, rng)


@pytest.mark.parametrize("game", GAMES)
def test_the_view_can_be_described(game: str) -> None:
    described = msgspec.json.schema(BOARDS[game].view)["$defs"]["Board"]["properties"]
    viewers: tuple[Viewer, ...] = (PUBLIC_VIEWER, 0, MODERATOR)
    shown = set(chain(*(one.to(viewer) for one in SHOWN[game] for viewer in viewers)))
    assert shown == set(described) if SUPPORT[game].shown else shown <= set(described)


@EVERY_BOARD
@pytest.mark.parametrize("viewer", [PUBLIC_VIEWER, 0, MODERATOR])
def test_events_that_do_not_concern_the_table_change_nothing(
    name: str, shown: Shown, viewer: Viewer
) -> None:
    game, boards = GAMES[name], BOARDS[name]
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
