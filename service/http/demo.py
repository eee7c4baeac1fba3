"""What starts matches between bots for the pages, where the service offers them."""

from typing import Protocol
from uuid import UUID

from limits import parse

RATE = parse("5/hour")
"""How many such matches one client may start."""


class DemoFull(Exception):
    """There are as many matches between bots as there may be, for so many seconds."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


class StartsDemos(Protocol):
    """Starts matches between bots."""

    async def start(self, game: str) -> UUID:
        """Starts a match of a game. Raises DemoFull if there are too many."""
