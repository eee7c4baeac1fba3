"""Matches of Together We Survive that bots play."""

from random import Random
from typing import Any

import msgspec

from domain.commands import EnterDraw, PassDeadline, Start
from domain.games.together.options import Options
from domain.games.together.rules import GAME
from projections.audience import AudienceState, see_all
from projections.menu import entries
from service.cli.bots.together import choose
from tests.support.tables.game_strategies import menu, outcome
from tests.support.tables.match_table import MatchTable, seated


def played(seed: int, seats: int, phases: int, options: Options | None = None) -> MatchTable:
    """A match between bots that know only their own views as on the wire, up to the deadline of
    this many phases; in the last of them they have submitted."""
    rng = Random(seed)
    chosen = options or Options(garnets=(1,) * seats)
    table = seated(GAME, seats, chosen, clock="rules").when(Start())
    for number in range(phases):
        if table.match.status == "running":
            phase(table, rng, ends=number < phases - 1)
    return table


def phase(table: MatchTable, rng: Random, *, ends: bool) -> None:
    draw = table.draw
    if draw is not None:
        table.when(EnterDraw(draw.id, outcome(draw, rng)))
        return
    waits = table.match.awaiting.phase
    for seat in table.match.awaiting.seats:
        table.accepted(seat, msgspec.convert(choice(table, seat, rng), GAME.Action))
    if ends and table.match.status == "running" and table.match.awaiting.phase == waits:
        table.when(PassDeadline(), table.due)


def choice(table: MatchTable, seat: int, rng: Random) -> dict[str, Any]:
    """The next action of the seat's bot; all its arguments have been on the wire."""
    view = see_all(AudienceState(seat), table.records).board
    offers = msgspec.to_builtins(entries(GAME, menu(table, seat)))
    return choose(msgspec.json.decode(msgspec.json.encode(view)), offers, seat, rng)
