"""Every game that can be played, by its id, and every event that can be in a record.

A game is a module or a package of this package that defines `GAME`; README.md says how to add one.
"""

from collections.abc import Iterable
from typing import Any, Union

import msgspec

from domain.cases.state import CaseStreamEvent
from domain.match.events import MatchCreated, MatchEvent
from domain.match.state import AnyGame
from domain.proof.log_events import LogEvent
from domain.registry import modules
from domain.tournament.events import TournamentEvent


def warm_up(types: Iterable[Any]) -> None:
    """Makes msgspec inspect these types now. By default it does so at their first use; if a second
    thread uses one meanwhile, it finds it half inspected and the process crashes (msgspec 0.22)."""
    for kind in types:
        msgspec.msgpack.Decoder(kind)


OlderRules = dict[tuple[str, int], AnyGame]


def games_in(package: str, paths: Iterable[str]) -> tuple[dict[str, AnyGame], OlderRules]:
    """The games of a package by their ids, and their older rules. Raises ImportError for a module
    that does not define the game it is named after."""
    games: dict[str, AnyGame] = {}
    older: OlderRules = {}
    for name, module in modules(package, paths).items():
        game: AnyGame | None = getattr(module, "GAME", None)
        if game is None:
            raise ImportError(f"{module.__name__} offers no GAME")
        if game.id != name:
            raise ImportError(f"{module.__name__} is for the game {name} and offers {game.id}")
        games[name] = game
        for rules in getattr(module, "OLDER", ()):
            if rules.id != name or rules.rules_version >= game.rules_version:
                raise ImportError(f"{module.__name__}: OLDER holds no older rules of {name}")
            older[name, rules.rules_version] = rules
    return games, older


GAMES, OLDER = games_in(__name__, __path__)
"""The games; and, by game and version, the older rules: no new match is played by them, but old
matches were, so they stay. A module defines them as `OLDER`."""


def rules_of(created: MatchCreated) -> AnyGame:
    """The rules to which a match is pinned. Raises KeyError for rules that are not here."""
    game = GAMES.get(created.game)
    if game is not None and game.rules_version == created.rules_version:
        return game
    return OLDER[created.game, created.rules_version]


RULES = (*GAMES.values(), *OLDER.values())
"""All rules, current and older."""

_EVENTS = tuple(game.Event for game in RULES)

AnyEvent: Any = Union[MatchEvent, CaseStreamEvent, TournamentEvent, LogEvent, *_EVENTS]

warm_up(type_ for game in RULES for type_ in (game.Options, game.Action))
