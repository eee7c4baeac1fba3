"""Grouping Black & White in the terminal: every audience's table can be drawn."""

from io import StringIO
from random import Random
from typing import Any

import pytest
from rich.console import Console

from domain.games.grouping_bw.actions import Call, Fold, Raise
from projections.boards.grouping_bw import BOARDS, Board
from projections.disclosure import Viewer, may_see
from service.cli.boards.grouping_bw import draw
from tests.support.cli.grouping_bw_bots import played, seen, wire
from tests.support.tables.game_table import Table
from tests.support.tables.grouping_bw_tables import ASCENDING, DESCENDING, dealt, move, new

NAMES = ("[bold]Ann", "C" * 64)
VIEWERS: tuple[Viewer, ...] = ("public", 0, 1, "moderator")


def text(view: Any, names: tuple[str, ...] = NAMES) -> str:
    console = Console(record=True, width=80, file=StringIO())
    console.print(draw(view, names))
    return console.export_text()


def final(**options: Any) -> Table:
    return new("final-match-2", own_tile_visible=True, **options)


@pytest.mark.parametrize("viewer", VIEWERS)
@pytest.mark.parametrize("actions", [0, 1, 2, 3, 6, 30, 5_000])
def test_every_position_of_every_audience_fits_into_80_columns(
    viewer: Viewer, actions: int
) -> None:
    drawn = text(seen(played(final(), 5, actions)[0], viewer))
    assert "Grouping Black & White · set" in drawn
    assert "[bold]Ann" in drawn
    assert max(map(len, drawn.splitlines())) <= 80


@pytest.mark.parametrize("viewer", VIEWERS)
def test_every_prefix_of_a_match_can_be_drawn(viewer: Viewer) -> None:
    table, rng = final(chips=(14, 14)), Random(2)
    while table.result is None:
        move(table, rng)
    board = BOARDS.initial(table.options, 2, viewer)
    for event in table.events:
        if may_see(viewer, event):
            board = BOARDS.evolve(board, event, viewer, 0)
            text(wire(board))


@pytest.mark.parametrize("view", [None, {}, dict.fromkeys(Board.__struct_encode_fields__)])
def test_absent_and_null_fields_leave_places_empty(view: Any) -> None:
    assert "not begun" in text(view)


def test_a_seat_without_a_name_is_called_by_its_number() -> None:
    assert "seat 1" in text(seen(new(), "public"), ("Ann",))


def test_tiles_are_backs_but_for_a_moderator() -> None:
    table = dealt(DESCENDING, ASCENDING)
    assert text(seen(table, "public")).count(" ? ") == 2
    assert "Row" not in text(seen(table, 0))
    drawn = text(seen(table, "moderator"))
    assert " 8   7   6   5   4   3   2   1   0   ABC" in drawn
    assert " ? " not in drawn


def test_a_seat_sees_its_groups_items_order_and_the_numbers_shown_to_it() -> None:
    table, _ = played(final(), 3, 12)
    drawn = text(seen(table, 0))
    for label in ("Groups", "Own tile", "Items"):
        assert label in drawn
        assert label not in text(seen(table, "public"))
    assert "Order     " in text(seen(table, 1))
    folded = dealt(ASCENDING, DESCENDING).act(0, Fold())
    assert "Seen      1.1.1  8" in text(seen(folded, 0))
    assert "Seen" not in text(seen(folded, 1))


def test_the_last_rounds_show_how_they_ended() -> None:
    table = dealt((8, 1, 2, 3, 4, 5, 6, 7, 0), DESCENDING, fold_8_penalty=8, chips=(20, 30))
    table.act(0, Fold()).act(1, Raise(2)).act(0, Call())
    drawn = text(seen(table, "public"), ("Ann", "Ben"))
    assert "Ann folded an 8" in drawn
    assert "11 : 31" in drawn
    assert "called" in drawn
    assert " 1   7 " in drawn


def test_a_result_names_the_winner() -> None:
    view = seen(played(new(), 6)[0], "public")
    view["result"]["winners"] = [1]
    assert "Won by Ben" in text(view, ("Ann", "Ben"))
