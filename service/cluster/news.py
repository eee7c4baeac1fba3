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
