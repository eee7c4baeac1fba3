"""The watcher: is told by the parts of the service what they have done, in figures alone."""

from collections.abc import Sequence


class Watcher:
    """Hears how much was done and how long it took; this one keeps nothing of it.

    No match, seat, audience, key or content is ever handed to a watcher, so that none can tell.
    Durations are in seconds.
    """

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """A request was answered: the head of the answer was sent after so long."""

    def stream_opened(self) -> None:
        """A reader follows a match live."""

    def stream_closed(self) -> None:
        """He does not any more."""

    def sent(self, lines: int) -> None:
        """So many lines went to a live reader."""

    def committed(self, rows: int, commands: int, seconds: float) -> None:
        """A transaction put so many rows, of so many commands, on disk."""

    def read(self, seconds: float) -> None:
        """The store has answered a question."""

    def deadline_reported(self, late: float, seconds: float) -> None:
        """A deadline was reported so long after it fell due; that took so long."""

    def signed(self, seconds: float) -> None:
        """A checkpoint was signed."""


class Watchers(Watcher):
    """Several who watch at once."""

    def __init__(self, all_of_them: Sequence[Watcher]) -> None:
        self._all = tuple(all_of_them)

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        for watcher in self._all:
            watcher.answered(method, route, status, seconds)

    def stream_opened(self) -> None:
        for watcher in self._all:
            watcher.stream_opened()

    def stream_closed(self) -> None:
        for watcher in self._all:
            watcher.stream_closed()

    def sent(self, lines: int) -> None:
        for watcher in self._all:
            watcher.sent(lines)

    def committed(self, rows: int, commands: int, seconds: float) -> None:
        for watcher in self._all:
            watcher.committed(rows, commands, seconds)

    def read(self, seconds: float) -> None:
        for watcher in self._all:
            watcher.read(seconds)

    def deadline_reported(self, late: float, seconds: float) -> None:
        for watcher in self._all:
            watcher.deadline_reported(late, seconds)

    def signed(self, seconds: float) -> None:
        for watcher in self._all:
            watcher.signed(seconds)


NOBODY = Watcher()
"""Who watches where the operator has not asked for anybody."""
