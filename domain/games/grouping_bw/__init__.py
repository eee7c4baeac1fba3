"""Grouping Black & White: two players bet on tiles that neither of them sees."""

from domain.games.grouping_bw.rules import GAME

__all__ = ["GAME"]
