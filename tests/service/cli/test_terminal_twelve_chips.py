"""12 Chips in the terminal: every audience's table can be drawn, and the bot plays by the menu."""

from io import StringIO
from random import Random
from typing import Any

import msgspec
import pytest
from rich.console import Console

from domain.draws import Draw, Item, Shuffle
from domain.games.twelve_chips.options import Options
from domain.games.twelve_chips.rules import GAME
from domain.match_events import MatchEnded
from projections.boards.twelve_chips import BOARDS, Board
from projections.disclosure import Viewer, may_see
from projections.menu import entries
from service.cli.boards.twelve_chips import draw
from service.cli.bots.twelve_chips import choose
from tests.support.tables.game_table import Table

NAMES = ("Ann", "[bold]Ben", "C" * 64, "Dée")
SEATS = 3


def text(view: Any, names: tuple[str, ...] = NAMES[:SEATS]) -> str:
    console = Console(record=True, width=80, file=StringIO())
    console.print(draw(view, names))
    return console.export_text()


def wire(board: Board) -> Any:
    return msgspec.json.decode(msgspec.json.encode(board))


def shuffled(awaited: Draw, rng: Random) -> list[list[Item]]:
    shuffles = [part for part in awaited.parts if isinstance(part, Shuffle)]
    return [rng.sample(part.items, len(part.items)) for part in shuffles]


def menu(table: Table, seat: int) -> Any:
    """The seat's menu as it is on the wire."""
    return msgspec.to_builtins(entries(table.game, table.menu(seat)))


def seen(table: Table, viewer: Viewer) -> Board:
    board = BOARDS.initial(table.options, len(table.state.tokens), viewer)
    for event in table.events:
        board = BOARDS.evolve(board, event, viewer, 0) if may_see(viewer, event) else board
    return board


def played(seed: int, seats: int = SEATS, actions: int = 10_000) -> Table:
    """A match between bots that know only their own views as on the wire, up to this many
    actions."""
    rng = Random(seed)
    table = Table(GAME, seats, Options(hand_colours_public=bool(seed % 2)))
    while table.result is None and actions:
        if table.awaits.draw:
            table.drawn(*shuffled(table.draw, rng))
            continue
        seat = table.awaits.seats[0]
        action = choose(wire(seen(table, seat)), menu(table, seat), seat, rng)
        table.act(seat, msgspec.convert(action, GAME.Action))
        actions -= 1
    if table.result is not None:
        table.given(MatchEnded(table.result))
    return table


AUDIENCES: tuple[Viewer, ...] = ("public", 0, "moderator")


@pytest.mark.parametrize("viewer", AUDIENCES)
@pytest.mark.parametrize("actions", [0, 1, 4, 40, 10_000])
def test_every_position_of_every_audience_fits_into_80_columns(
    viewer: Viewer, actions: int
) -> None:
    drawn = text(wire(seen(played(5, actions=actions), viewer)))
    assert "12 Chips · round" in drawn
    assert "Ann" in drawn
    assert "[bold]Ben" in drawn
    assert max(map(len, drawn.splitlines())) <= 80


def test_every_prefix_of_a_match_can_be_drawn() -> None:
    board = BOARDS.initial(Options(), 2, "moderator")
    for event in played(2, seats=2, actions=60).events:
        board = BOARDS.evolve(board, event, "moderator", 0)
        text(wire(board), NAMES[:2])


@pytest.mark.parametrize("view", [None, {}, dict.fromkeys(Board.__struct_fields__)])
def test_absent_and_null_fields_leave_places_empty(view: Any) -> None:
    assert "empty" in text(view)


def test_an_own_hand_is_shown_as_chips_and_other_hands_as_backs() -> None:
    table = played(4, actions=1)
    own, public = wire(seen(table, 1)), wire(seen(table, "public"))
    assert "Own hand" in text(own)
    assert "Own hand" not in text(public)
    assert text(public).count(" ? ") == 4 * SEATS - 1


def test_chips_set_aside_are_shown_where_the_view_has_them() -> None:
    table = played(4, seats=2, actions=1)
    assert "Set aside" in text(wire(seen(table, "moderator")), NAMES[:2])
    assert "Set aside" not in text(wire(seen(table, 0)), NAMES[:2])


def test_a_result_names_the_winners() -> None:
    view = wire(seen(played(6), "public"))
    view["result"] = {"winners": [0], "losers": [1, 2], "shared": False, "scores": [3, 1, 1]}
    assert "Won by Ann" in text(view)
    view["result"] = {"winners": [0, 3], "losers": [], "shared": True, "scores": [3, 1, 1, 3]}
    assert "Shared by Ann, Dée" in text(view, NAMES)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_bots_play_a_match_to_its_end(seats: int) -> None:
    assert played(seats, seats).result is not None


def test_bots_with_another_seed_play_other_matches() -> None:
    assert played(1, actions=30).events != played(3, actions=30).events
