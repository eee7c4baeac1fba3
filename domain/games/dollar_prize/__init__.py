"""Dollar Prize: two lines of coins, a steal every round, and a prize for the first to a dollar."""

from domain.games.dollar_prize.rules import GAME

__all__ = ["GAME"]
