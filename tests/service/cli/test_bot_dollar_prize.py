"""The bot of Dollar Prize, in whole games of the bot against itself."""

import random
from typing import Any

import msgspec
import pytest

from domain.games.dollar_prize.options import Options
from domain.games.dollar_prize.rules import GAME
from projections import menu
from projections.boards.dollar_prize import BOARDS
from service.cli.bots.dollar_prize import choose
from tests.support.tables.game_table import Table


def on_the_wire(value: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(value))


def view(table: Table, seat: int) -> dict[str, Any]:
    board = BOARDS.initial(table.options, 2, seat)
    for event in table.events:
        board = BOARDS.evolve(board, event, "public", 0)
    shown: dict[str, Any] = on_the_wire(board)
    return shown


def played(options: Options, seed: int) -> Table:
    """A game of two bots, to its end."""
    rng = random.Random(seed)
    table = Table(GAME, 2, options)
    while table.result is None:
        if table.awaits.draw is not None:
            table.drawn(*(rng.choice(("heads", "tails")) for _ in table.draw.parts))
        else:
            (seat,) = table.awaits.seats
            offers = on_the_wire(menu.entries(GAME, table.menu(seat)))
            chosen = choose(view(table, seat), offers, seat, rng)
            table.act(seat, msgspec.convert(chosen, GAME.Action))
    return table


@pytest.mark.parametrize("seed", range(6))
def test_bots_get_on(seed: int) -> None:
    table = played(Options(down_conversion="any" if seed % 2 else "listed"), seed)
    assert table.state.round < 40
