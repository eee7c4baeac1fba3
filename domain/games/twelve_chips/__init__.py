"""12 Chips."""

from domain.games.twelve_chips.rules import GAME

__all__ = ["GAME"]
