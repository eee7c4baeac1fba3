"""Random matches of any game."""

from collections.abc import Iterator
from random import Random

from domain.games import GAMES
from tests.support.tables.directing import START
from tests.support.tables.game_strategies import refusable, step
from tests.support.tables.match_table import MatchTable, seated


def walk(name: str, seats: int, luck: int = 0) -> Iterator[MatchTable]:
    """A random match, with refused actions and pauses, at each position up to its end.
    `luck` picks one of many."""
    rng = Random(f"{name}/{seats}" if luck == 0 else f"{name}/{seats}/{luck}")
    chance = rng.choice(("server", "manual"))
    table = seated(GAMES[name], seats, chance=chance, clock="rules")  # type: ignore[arg-type]
    yield table
    yield table.when(START)
    while table.match.status == "running":
        if rng.random() < 0.1:
            seat = rng.choice(table.seats)
            if refused := refusable(table, seat):
                yield table.act(seat, rng.choice(refused))
        if rng.random() < 0.05:
            yield table.pause()
            yield table.resume(table.at + 5)
        yield step(table, rng)
