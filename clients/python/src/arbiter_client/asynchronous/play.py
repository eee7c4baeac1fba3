"""A seat's play: what it is told, by a stream, and what it does, by requests."""

from collections.abc import AsyncGenerator, Mapping
from typing import TYPE_CHECKING, Any

from arbiter_client.answers import Event, Taken, View
from arbiter_client.asynchronous.feed import Feed

if TYPE_CHECKING:
    from arbiter_client.asynchronous.match import AsyncMatch


class AsyncPlay:
    """A seat at a match: iterate for its events, each once, and `act` in between. It is for one
    task at a time."""

    def __init__(self, feed: Feed, match: "AsyncMatch") -> None:
        self._feed = feed
        self._match = match

    async def __aenter__(self) -> "AsyncPlay":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the stream."""
        await self._feed.close()

    async def __aiter__(self) -> AsyncGenerator[Event, None]:
        while not self._feed.over:
            event = await self._feed.event()
            if event is not None:
                yield event

    async def act(
        self,
        action: Mapping[str, Any],
        *,
        key: str | None = None,
        if_match: View | str | None = None,
    ) -> Taken:
        """Sends an action, as `AsyncMatch.act` does."""
        return await self._match.act(action, key=key, if_match=if_match)
