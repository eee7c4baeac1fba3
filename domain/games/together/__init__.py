"""Together We Survive, Together We Prosper: one group is voted off a stage, the other is given
tokens, and everyone has a hand in both."""

from domain.games.together.rules import GAME

__all__ = ["GAME"]
