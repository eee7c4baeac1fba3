"""The bot of 12 Chips plays by its view and its menu alone."""

from random import Random
from typing import Any

import msgspec
import pytest

from domain.draws import Draw, Item, Shuffle
from domain.games.twelve_chips.options import Options
from domain.games.twelve_chips.rules import GAME
from projections.boards.twelve_chips import BOARDS
from projections.disclosure import may_see
from projections.menu import entries
from service.cli.bots.twelve_chips import choose
from tests.support.tables.game_table import Table


def shuffled(awaited: Draw, rng: Random) -> list[list[Item]]:
    shuffles = [part for part in awaited.parts if isinstance(part, Shuffle)]
    return [rng.sample(part.items, len(part.items)) for part in shuffles]


def menu(table: Table, seat: int) -> Any:
    """The seat's menu as it is on the wire."""
    return msgspec.to_builtins(entries(table.game, table.menu(seat)))


def seen(table: Table, seat: int) -> Any:
    """The seat's view as it is on the wire."""
    board = BOARDS.initial(table.options, len(table.state.tokens), seat)
    for event in table.events:
        board = BOARDS.evolve(board, event, seat, 0) if may_see(seat, event) else board
    return msgspec.json.decode(msgspec.json.encode(board))


def played(seed: int, seats: int = 3, actions: int = 10_000) -> Table:
    """A match between bots that know only their own views, up to this many actions."""
    rng = Random(seed)
    table = Table(GAME, seats, Options(hand_colours_public=bool(seed % 2)))
    while table.result is None and actions:
        if table.awaits.draw:
            table.drawn(*shuffled(table.draw, rng))
            continue
        seat = table.awaits.seats[0]
        action = choose(seen(table, seat), menu(table, seat), seat, rng)
        table.act(seat, msgspec.convert(action, GAME.Action))
        actions -= 1
    return table


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_bots_play_a_match_to_its_end(seats: int) -> None:
    assert played(seats, seats).result is not None
