"""News of other instances: which streams have grown. Who needs the data reads the log."""

from typing import Protocol
from uuid import UUID


class News(Protocol):
    """Receives the news of other instances. Its methods neither wait nor fail."""

    @property
    def wanted(self) -> bool:
        """Whether anybody here would do anything about news."""

    def grown(self, stream: UUID) -> None:
        """A match or a tournament has grown, or a ticket was used, on another instance."""

    def any_may_have_grown(self) -> None:
        """It is unknown which have grown."""


class Notifications(Protocol):
    """Notifies other instances, and passes on what they notify while `run` runs."""

    @property
    def alive(self) -> bool:
        """Whether this instance receives what the others notify."""

    def notify(self, stream: UUID) -> None:
        """Lets the others know that a stream has grown, or a ticket was used. It neither waits nor
        fails."""

    async def run(self) -> None:
        """Runs for as long as the service does."""
