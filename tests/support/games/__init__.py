"""What the tests know of each game: each module offers the `SUPPORT` of a game, and may be missing.

`tests/support/game_support.py` describes the fields and their defaults.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from domain.game import Refused
from domain.games import GAMES
from domain.match.state import AnyGame
from domain.registry import module_values
from tests.support.game_support import GameSupport, Json, names

_OWN: dict[str, GameSupport] = module_values(__name__, __path__, "SUPPORT", GAMES)

SUPPORT: dict[str, GameSupport] = {game: _OWN.get(game, GameSupport()) for game in GAMES}


DRAWING = [game for game, support in SUPPORT.items() if support.draws]
"""The games in whose matches something is drawn."""


def fewest(game: str) -> tuple[str, ...]:
    """As many people as a match of the game needs."""
    return tuple(names(GAMES[game].seats[0]))


def usual(game: str) -> tuple[str, ...]:
    """The players at a table of the game."""
    return tuple(names(SUPPORT[game].seats or GAMES[game].seats[0]))


def variety(game: str) -> Sequence[Json]:
    """Some sets of options, as they may be given."""
    return SUPPORT[game].variety or [dict(variant) for variant in GAMES[game].variants]


def bundles(game: AnyGame, support: GameSupport) -> Sequence[tuple[int, Json]]:
    """Numbers of seats and options in which every option has two values, as far as its schema names
    them."""
    if support.bundles:
        return support.bundles
    least, most = game.seats[0], game.seats[-1]
    chosen: list[Json] = [{name: value} for name, value in _second_values(game)]
    together = {name: value for one in chosen for name, value in one.items()}
    others = [together] if _allowed(game, most, together) else chosen
    allowed = [one for one in others if _allowed(game, most, one)]
    return [*((least, dict(variant)) for variant in game.variants), *((most, o) for o in allowed)]


def _allowed(game: AnyGame, seats: int, options: Json) -> bool:
    try:
        game.check(msgspec.convert(options, game.Options), seats)
    except Refused:
        return False
    return True


def _second_values(game: AnyGame) -> Iterator[tuple[str, Any]]:
    """Options with a value that is not their default."""
    described = msgspec.json.schema(game.Options)["$defs"][game.Options.__name__]
    for name, schema in described["properties"].items():
        for way in (schema, *schema.get("anyOf", ())):
            for value in _values({**schema, **way}):
                if value != schema.get("default"):
                    yield name, value
                    break
            else:
                continue
            break


def _values(schema: Mapping[str, Any]) -> Iterator[Any]:
    """Some values that a schema allows."""
    yield from schema.get("enum", ())
    if schema.get("type") == "boolean":
        yield from (True, False)
    if schema.get("type") == "integer" and {"minimum", "maximum"} <= schema.keys():
        yield from (schema["minimum"], schema["maximum"])
