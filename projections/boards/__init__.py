"""The board of every game, by its id: each module of this package defines the `BOARDS` of a
game."""

from collections.abc import Iterable, Mapping
from typing import Any

from domain.games import GAMES
from domain.match.state import AnyGame
from domain.registry import file_of, module_values
from domain.requirements import same_names
from projections.audience.board import Boards


def boards_in(
    package: str, paths: Iterable[str], games: Mapping[str, AnyGame]
) -> dict[str, Boards[Any]]:
    """The boards of a package. Raises ImportError for a game without one, for a board of an unknown
    game, and for a view that shares the name of a Struct with the game's actions."""
    boards: dict[str, Boards[Any]] = module_values(package, paths, "BOARDS", games)
    for name, game in games.items():
        if name not in boards:
            where = f"projections/boards/{file_of(name)}"
            raise ImportError(f"the game {name} has no board: write {where}")
        for shared_name in same_names(game.Action, boards[name].view):
            raise ImportError(
                f"{name}: two Structs of its actions and its view are called {shared_name}"
            )
    return boards


BOARDS = boards_in(__name__, __path__, GAMES)
