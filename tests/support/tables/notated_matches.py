"""Random matches for the tests of the notation, and what is compared of them."""

from collections.abc import Sequence
from functools import lru_cache
from random import Random
from typing import get_args

import msgspec

from domain.events import Event, Record
from domain.games import GAMES
from domain.match.batches import numbered
from domain.match.events import Chance, MatchCreated
from domain.match.live import live
from domain.match.state import AnyGame
from tests.support.tables.directing import START
from tests.support.tables.game_strategies import step
from tests.support.tables.match_table import MatchTable

STEPS = 150

ODD_NAMES = ('Jörg "the Bot"', "draw", "12", "A; ]")
OF_ITS_OWN = ("[Match", "[Created", "[Chance", "[Clock")
"""What differs when a match is played again: its id, its times, and where its chance came from."""

Records = Sequence[Record[Event]]


@lru_cache
def played(name: str, variant: int, chance: Chance = "manual") -> MatchTable:
    """A random match, played out or broken off."""
    game = GAMES[name]
    rng = Random(f"notation/{name}/{variant}/{chance}")
    seats = game.seats[min(variant, len(game.seats) - 1)]
    options = game.complete(msgspec.convert(game.variants[variant], game.Options), seats)
    names = (*ODD_NAMES, *(f"Player {number}" for number in range(4, seats)))[:seats]
    said = msgspec.json.decode(msgspec.json.encode(options))
    created = MatchCreated(name, game.rules_version, said, seats, chance, "rules", game.records[0])
    table = MatchTable(game, created, names=names).when(START)
    for _ in range(STEPS):
        if table.match.over:
            break
        step(table, rng)
    return table


def game_events(game: AnyGame, records: Records) -> list[Event]:
    """The events of the game that are not undone."""
    left, kinds = live(numbered(records), game.sealed_phase), get_args(game.Event)
    return [event for event in left if isinstance(event, kinds)]


def lines(text: str) -> list[str]:
    """The lines of a notation without remarks, and without what is the match's own."""
    own = [line.partition(" ;")[0] for line in text.splitlines()]
    return [line for line in own if not line.startswith((";", *OF_ITS_OWN))]
