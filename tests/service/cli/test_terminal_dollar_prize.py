"""Dollar Prize in the terminal, and its bot, in whole games of the bot against itself."""

import random
from collections.abc import Iterator, Mapping
from io import StringIO
from typing import Any

import msgspec
import pytest
from rich.console import Console

from domain.games.dollar_prize.options import Options
from domain.games.dollar_prize.rules import GAME
from domain.match_events import MatchEnded
from projections import menu
from projections.boards.dollar_prize import BOARDS
from service.cli.boards.dollar_prize import draw
from service.cli.bots.dollar_prize import choose
from tests.support.tables.game_table import Table

NAMES = ("Ann", "Ben [red]with a rather long name[/red]")


def rendered(view: Mapping[str, Any], names: tuple[str, ...] = NAMES) -> str:
    console = Console(record=True, width=80, file=StringIO())
    console.print(draw(view, names))
    return console.export_text()


def on_the_wire(value: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(value))


def view(table: Table, seat: int = 0) -> dict[str, Any]:
    board = BOARDS.initial(table.options, 2, seat)
    for event in table.events:
        board = BOARDS.evolve(board, event, "public", 0)
    if table.result is not None:
        board = BOARDS.evolve(board, MatchEnded(table.result), "public", 0)
    shown: dict[str, Any] = on_the_wire(board)
    return shown


def played(options: Options, seed: int) -> Iterator[Table]:
    """A game of two bots, position by position."""
    rng = random.Random(seed)
    table = Table(GAME, 2, options)
    yield table
    while table.result is None:
        if table.awaits.draw is not None:
            table.drawn(*(rng.choice(("heads", "tails")) for _ in table.draw.parts))
        else:
            (seat,) = table.awaits.seats
            offers = on_the_wire(menu.entries(GAME, table.menu(seat)))
            chosen = choose(view(table, seat), offers, seat, rng)
            table.act(seat, msgspec.convert(chosen, GAME.Action))
        yield table


@pytest.mark.parametrize("seed", range(6))
def test_every_position_of_a_game_of_bots_fits_the_terminal(seed: int) -> None:
    for table in played(Options(down_conversion="any" if seed % 2 else "listed"), seed):
        lines = rendered(view(table)).splitlines()
        assert len({len(line) for line in lines}) == 1
        assert len(lines[0]) == 80
    assert table.result is not None
    assert "the prize" in lines[1]
    assert "★" in rendered(view(table))
    assert table.state.round < 40, "the bots do not get on"


def test_bots_play_differently_by_chance() -> None:
    games = [[*played(Options(), seed)][-1].events for seed in range(3)]
    assert games[0] != games[1] != games[2]


def test_the_board_shows_the_next_seat_and_all_coins() -> None:
    shown = rendered(
        {
            "round": 7,
            "phase": "turn",
            "to_act": 1,
            "sides": ["heads", "tails"],
            "lines": [["penny"] * 7 + ["dime"], ["nickel", "quarter"]],
            "totals": [17, 30],
            "converted": False,
            "placed": True,
            "last_flips": [["quarter", "tails"], ["dime", "heads"]],
            "result": None,
        }
    )
    assert "round 7" in shown
    assert "▶  Ben" in shown
    assert "▶  Ann" not in shown
    assert "(1¢) x7 (10¢)" in shown
    assert "(5¢) (25¢)" in shown
    assert "30¢" in shown
    assert "quarter tails, dime heads" in shown


@pytest.mark.parametrize(
    "empty",
    [{}, dict.fromkeys(("round", "phase", "to_act", "sides", "lines", "totals", "result"))],
)
def test_the_board_needs_no_field(empty: Mapping[str, Any]) -> None:
    assert "Seat 1" in rendered(empty, ())


def test_a_shared_prize_is_said_so() -> None:
    result = {"winners": [0, 1], "losers": [], "shared": True, "scores": [100, 100]}
    assert "Ann and Ben share the prize" in rendered(
        {"phase": "over", "result": result}, ("Ann", "Ben")
    )
