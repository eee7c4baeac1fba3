"""Finds games by their files, and texts next to modules.

Each module of a registered package belongs to one game. The id of the game is the module's name
with `-` for `_`: `domain/games/twelve_chips/` and `projections/boards/twelve_chips.py` both belong
to `twelve-chips`. No list of games is kept by hand.
"""

from collections.abc import Container, Iterable
from importlib import import_module
from pkgutil import get_data, iter_modules
from types import ModuleType
from typing import Any


def modules(package: str, paths: Iterable[str]) -> dict[str, ModuleType]:
    """The modules of a package by the id of their game, in alphabetical order. `paths` is the
    `__path__` of the package."""
    names = sorted(module.name for module in iter_modules(paths))
    return {game_of(name): import_module(f"{package}.{name}") for name in names}


def module_values(
    package: str, paths: Iterable[str], name: str, games: Container[str]
) -> dict[str, Any]:
    """The value of a name in each module of a package, by the id of its game. Raises ImportError if
    a module does not define it, or belongs to none of `games`."""
    values = {}
    for game, module in modules(package, paths).items():
        if game not in games:
            where = f"domain/games/{file_of(game)}"
            raise ImportError(f"{module.__name__} is for the game {game}: there is no {where}")
        if not hasattr(module, name):
            raise ImportError(f"{module.__name__} offers no {name}")
        values[game] = getattr(module, name)
    return values


def game_of(module: str) -> str:
    """The id of the game to which a module of this name belongs."""
    return module.replace("_", "-")


def file_of(game: str) -> str:
    """The name of the files that belong to a game."""
    return f"{game.replace('-', '_')}.py"


def text_beside(module: str, name: str) -> str:
    """The content of a text file of this name in the folder of a module."""
    content = get_data(module, name)
    assert content is not None, "modules are loaded from files"
    return content.decode()
