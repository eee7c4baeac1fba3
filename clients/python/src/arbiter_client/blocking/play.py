# Made from the asynchronous classes by `make blocking-client`: change those.
"""A seat's play: what it is told, by a stream, and what it does, by requests."""

from collections.abc import Generator, Mapping
from typing import TYPE_CHECKING, Any

from arbiter_client.answers import Event, Taken, View
from arbiter_client.blocking.feed import Feed

if TYPE_CHECKING:
    from arbiter_client.blocking.match import Match


class Play:
    """A seat at a match: iterate for its events, each once, and `act` in between. It is for one
    task at a time."""

    def __init__(self, feed: Feed, match: "Match") -> None:
        self._feed = feed
        self._match = match

    def __enter__(self) -> "Play":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the stream."""
        self._feed.close()

    def __iter__(self) -> Generator[Event, None]:
        while not self._feed.over:
            event = self._feed.event()
            if event is not None:
                yield event

    def act(
        self,
        action: Mapping[str, Any],
        *,
        key: str | None = None,
        if_match: View | str | None = None,
    ) -> Taken:
        """Sends an action, as `Match.act` does."""
        return self._match.act(action, key=key, if_match=if_match)
