"""Instrumentation: the parts of the service report what they have done, as numbers only."""


class Instrumentation:
    """Receives counts and durations; this one ignores them.

    No match, seat, audience, key or content is ever passed to it, so none can leak. Durations are
    in seconds.
    """

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """A request was answered; `seconds` is the time until the head of the response was sent."""

    def stream_opened(self) -> None:
        """A live stream was opened, or a reader waits for an event."""

    def stream_closed(self) -> None:
        """A live stream was closed, or a reader waits no longer."""

    def count_lines(self, lines: int) -> None:
        """Lines were sent to a live stream."""

    def committed(self, rows: int, commands: int, seconds: float) -> None:
        """A transaction was committed, with this many rows of this many commands."""

    def read(self, seconds: float) -> None:
        """The store was read."""

    def deadline_reported(self, late: float) -> None:
        """A deadline was reported `late` seconds after it fell due."""

    def time_signing(self, seconds: float) -> None:
        """A checkpoint was signed."""


NO_INSTRUMENTATION = Instrumentation()
"""Used where the operator has not turned on metrics."""
