# Made from the asynchronous classes by `make blocking-client`: change those.
"""A match, with what its key allows."""

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any

from arbiter_client.answers import (
    Choose,
    Event,
    Menu,
    Receipt,
    Result,
    Taken,
    Ticket,
    View,
)
from arbiter_client.blocking.bot import played
from arbiter_client.blocking.calls import Calls
from arbiter_client.blocking.commitments import Commitments
from arbiter_client.blocking.direction import Directed
from arbiter_client.blocking.feed import Feed, Stream
from arbiter_client.blocking.play import Play
from arbiter_client.blocking.published_keys import PublishedKeys
from arbiter_client.directing import Ruled
from arbiter_client.problems import Refused
from arbiter_client.requests import Request, condition, decoded, encoded, once, only


class Match(Directed):
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

    def view(self, as_: str | None = None, at: int | None = None) -> View:
        """What an audience sees: by default the key's own, and now; or after its first `at` events.
        `as_` is `public`, `seat:N` or `moderator`."""
        return self.get("view", View, as_=as_, at=at)

    def menu(self) -> Menu:
        """What the seat may do now."""
        return self.get("actions", Menu)

    def act(
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
        self._commitments.know()
        return self._submitted("actions", action, {**once(key), **condition(if_match)})

    def follow(self, after: int | View = 0, as_: str | None = None) -> Generator[Event, None]:
        """The audience's events behind a number or a view, as they happen, to the end of the match:
        each once, however often the connection is cut. Raises HistoryWentBack if they are not those
        that were there before."""
        known = (after.seq, after.incarnation) if isinstance(after, View) else (after, None)
        shows = self._commitments if as_ is None else None
        return Feed(self._calls, Stream(self._path, as_), *known, shows).events()

    def play(self, after: View) -> Play:
        """The seat's events behind a view, and its actions in between."""
        known = (after.seq, after.incarnation, self._commitments)
        feed = Feed(self._calls, Stream(self._path), *known)
        return Play(feed, self)

    def bot(
        self, choose: Choose, on_event: Callable[[Event], object] | None = None
    ) -> Result | None:
        """Plays the seat to the end of the match; returns the result, or None if it is void.

        `choose(menu, view)` is asked for an action, or for an awaitable of one, whenever the match
        waits for the seat: in a sealed phase once. It raises what `choose` raises, and Refused if
        it chooses what the rules do not allow. `on_event` is called with each event of the seat
        from now on.
        """
        return played(self, choose, on_event)

    def ticket(self, as_: str | None = None) -> Ticket:
        """A ticket to the stream of an audience, for a browser."""
        return self._post("stream-tickets", Ticket, only(as_=as_), {})

    def seed(self, text: str) -> Taken:
        """Adds to the chance of the match, before its start, once the commitment to the service's
        own seed has been read, which the receipt must name. Raises WrongCommitment."""
        self._commitments.know()
        self._commitments.read()
        return self._submitted("client-seeds", {"seed": text}, {})

    def start(self) -> Taken:
        """Starts the match, as its moderator or as an organiser."""
        return self._ordered("start", None, {}, repeatable=False)

    def close_phase(self, if_match: View | str | None = None) -> Taken:
        """Ends the phase as its deadline would, as a moderator. With the moderator's view it closes
        the phase that was seen, or is Stale."""
        seen = condition(if_match)
        return self._ordered("close-phase", None, seen, repeatable=bool(seen))

    def draw(self, draw_id: str, outcome: Sequence[Any]) -> Taken:
        """Enters what a draw has shown at the table, as a moderator."""
        body = {"id": draw_id, "outcome": outcome}
        return self._ordered("draws", body, {}, repeatable=False)

    def note(self) -> str:
        """The signed note of the creation, which names the first commitment to the seed. Anybody
        may have it."""
        return self._commitments.know()

    def _checked(self, ruled: Ruled) -> Ruled:
        self._commitments.check_order(ruled.note)
        return ruled

    def _submitted(self, what: str, body: Any, headers: Mapping[str, str]) -> Taken:
        """What is answered to what a seat sends, once its receipt has been kept and checked."""
        try:
            taken = self._sent(what, body, headers)
        except Refused as refused:
            if refused.problem.receipt is not None:
                self.receipts.append(refused.problem.receipt)
                self._commitments.check(refused.problem.receipt)
            raise
        self._commitments.check(taken.receipt)
        return taken

    def _ordered(
        self, what: str, body: Any, headers: Mapping[str, str], repeatable: bool = True
    ) -> Taken:
        """The same for what a moderator or an organiser orders."""
        taken = self._sent(what, body, headers, repeatable)
        self._commitments.check_order(taken.receipt.note, taken.receipt)
        return taken

    def _sent(
        self, what: str, body: Any, headers: Mapping[str, str], repeatable: bool = True
    ) -> Taken:
        request = Request("POST", self._address(what), {}, headers, encoded(body), repeatable)
        taken = decoded(self._calls.answer(request), Taken)
        self.receipts.append(taken.receipt)
        return taken
