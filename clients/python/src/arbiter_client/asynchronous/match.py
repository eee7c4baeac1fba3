"""A match, with what its key allows."""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from typing import Any

from arbiter_client.answers import AsyncChoose, Event, Menu, Receipt, Result, Taken, Ticket, View
from arbiter_client.asynchronous.bot import played
from arbiter_client.asynchronous.calls import Calls
from arbiter_client.asynchronous.commitments import Commitments, PublishedKeys
from arbiter_client.asynchronous.direction import Directed
from arbiter_client.asynchronous.feed import Feed
from arbiter_client.directing import Ruled
from arbiter_client.problems import Refused
from arbiter_client.requests import Request, condition, decoded, encoded, once, only


class AsyncMatch(Directed):
    """A match, as the holder of a key plays, watches or moderates it.

    All methods raise ProblemError for what the service refuses, and Disconnected when it cannot be
    reached. `receipts` has the receipt of everything that was put on record by this object. They
    are checked: WrongCommitment is raised where one of a seat does not name the commitment to the
    seed that was shown, and WrongSignature where none of the service's keys has signed one.
    """

    def __init__(self, calls: Calls, match_id: str, keys: PublishedKeys) -> None:
        super().__init__(calls, f"/v1/matches/{match_id}")
        self.id = match_id
        self.receipts: list[Receipt] = []
        self._commitments = Commitments(calls, match_id, self._path, keys)

    async def view(self, as_: str | None = None, at: int | None = None) -> View:
        """What an audience sees: by default the key's own, and now; or after its first `at` events.
        `as_` is `public`, `seat:N` or `moderator`."""
        return await self.get("view", View, as_=as_, at=at)

    async def menu(self) -> Menu:
        """What the seat may do now."""
        return await self.get("actions", Menu)

    async def act(
        self,
        action: Mapping[str, Any],
        *,
        key: str | None = None,
        if_match: View | str | None = None,
    ) -> Taken:
        """Sends an action, and keeps its receipt. It counts once, however often it has to be sent.

        In a sealed phase look at `receipt.valid`. With a view in `if_match` it is Stale if the seat
        has seen another event since. `key` is its idempotency key, by default a new one. Raises
        Refused if the rules do not allow it, and WrongCommitment.
        """
        await self._commitments.know()
        return await self._submitted("actions", action, {**once(key), **condition(if_match)})

    def follow(self, after: int | View = 0, as_: str | None = None) -> AsyncGenerator[Event, None]:
        """The audience's events after a number or a view, as they happen, to the end of the match:
        each once, however often the connection is cut. Raises HistoryWentBack if they are not those
        that were there before."""
        known = (after.seq, after.incarnation) if isinstance(after, View) else (after, None)
        shows = self._commitments if as_ is None else None
        return Feed(self._calls, self._path, as_, *known, shows).events()

    def play(self, after: View) -> "AsyncPlay":
        """The seat's events after a view, and its actions in between."""
        known = (after.seq, after.incarnation, self._commitments)
        return AsyncPlay(Feed(self._calls, self._path, None, *known), self)

    async def bot(
        self, choose: AsyncChoose, on_event: Callable[[Event], object] | None = None
    ) -> Result | None:
        """Plays the seat to the end of the match; returns the result, or None if it is void.

        `choose(menu, view)` is asked for an action, or for an awaitable of one, whenever the match
        waits for the seat: in a sealed phase once. It raises what `choose` raises, and Refused if
        it chooses what the rules do not allow. `on_event` is called with each event of the seat
        from now on.
        """
        return await played(self, choose, on_event)

    async def ticket(self, as_: str | None = None) -> Ticket:
        """A ticket to the stream of an audience, for a browser."""
        return await self._post("stream-tickets", Ticket, only(as_=as_), {})

    async def seed(self, text: str) -> Taken:
        """Adds to the chance of the match, before its start, once the commitment to the service's
        own seed has been read, which the receipt must name. Raises WrongCommitment."""
        await self._commitments.know()
        await self._commitments.read()
        return await self._submitted("client-seeds", {"seed": text}, {})

    async def start(self) -> Taken:
        """Starts the match, as its moderator or as an organiser."""
        return await self._ordered("start", None, {}, repeatable=False)

    async def close_phase(self, if_match: View | str | None = None) -> Taken:
        """Ends the phase as its deadline would, as a moderator. With the moderator's view it closes
        the phase that was seen, or is Stale."""
        seen = condition(if_match)
        return await self._ordered("close-phase", None, seen, repeatable=bool(seen))

    async def draw(self, draw_id: str, outcome: Sequence[Any]) -> Taken:
        """Enters what a draw has shown at the table, as a moderator."""
        body = {"id": draw_id, "outcome": outcome}
        return await self._ordered("draws", body, {}, repeatable=False)

    async def note(self) -> str:
        """The signed note of the creation, which names the first commitment to the seed. Anyone
        may have it."""
        return await self._commitments.know()

    async def _checked(self, ruled: Ruled) -> Ruled:
        await self._commitments.check_order(ruled.note)
        return ruled

    async def _submitted(self, what: str, body: Any, headers: Mapping[str, str]) -> Taken:
        """What is answered to what a seat sends, once its receipt has been kept and checked."""
        try:
            taken = await self._sent(what, body, headers)
        except Refused as refused:
            if refused.problem.receipt is not None:
                self.receipts.append(refused.problem.receipt)
                await self._commitments.check(refused.problem.receipt)
            raise
        await self._commitments.check(taken.receipt)
        return taken

    async def _ordered(
        self, what: str, body: Any, headers: Mapping[str, str], repeatable: bool = True
    ) -> Taken:
        """The same for what a moderator or an organiser orders."""
        taken = await self._sent(what, body, headers, repeatable)
        await self._commitments.check_order(taken.receipt.note, taken.receipt)
        return taken

    async def _sent(
        self, what: str, body: Any, headers: Mapping[str, str], repeatable: bool = True
    ) -> Taken:
        request = Request("POST", self._address(what), {}, headers, encoded(body), repeatable)
        taken = decoded(await self._calls.answer(request), Taken)
        self.receipts.append(taken.receipt)
        return taken


class AsyncPlay:
    """A seat at a match: iterate for its events, each once, and `act` in between. It is for one
    task at a time."""

    def __init__(self, feed: Feed, match: AsyncMatch) -> None:
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
