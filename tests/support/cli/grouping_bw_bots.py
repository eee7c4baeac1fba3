"""Matches of Grouping Black & White that bots play."""

from collections import Counter
from random import Random
from typing import Any

import msgspec

from domain.games.grouping_bw.rules import GAME
from projections.boards.grouping_bw import BOARDS
from projections.disclosure import may_see
from projections.menu import entries
from service.cli.bots.grouping_bw import choose
from tests.support.tables.game_table import Table
from tests.support.tables.grouping_bw_tables import move

MOST_ACTIONS = 5_000


def seen(table: Table, seat: int) -> Any:
    """The seat's view as on the wire."""
    board = BOARDS.initial(table.options, 2, seat)
    for event in table.events:
        board = BOARDS.evolve(board, event, seat, 0) if may_see(seat, event) else board
    return msgspec.json.decode(msgspec.json.encode(board))


def chosen(table: Table, seat: int, rng: Random) -> dict[str, Any]:
    """The bot's action for its view and menu as on the wire."""
    menu = msgspec.to_builtins(entries(GAME, table.menu(seat)))
    return choose(seen(table, seat), menu, seat, rng)


def played(table: Table, seed: int, actions: int = MOST_ACTIONS) -> tuple[Table, Counter[str]]:
    """A match between two bots, up to this many actions, and the actions."""
    rng, did = Random(seed), Counter[str]()
    while table.result is None and actions:
        if table.awaits.draw:
            move(table, rng)
            continue
        waited = table.state.standing.missing if table.offered(0) == {"group"} else None
        seat = (waited or table.awaits.seats)[0]
        action = chosen(table, seat, rng)
        did[action["type"]] += 1
        did["order"] += bool(action.get("use_order"))
        table.act(seat, msgspec.convert(action, GAME.Action))
        actions -= 1
    return table, did
