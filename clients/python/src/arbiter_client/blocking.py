"""The service, for programs without an event loop: the same as the asynchronous classes, whose
methods say what each does."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import httpx

from arbiter_client.answers import (
    Accepted,
    Action,
    CreatedMatch,
    Event,
    Game,
    GameSummary,
    Invitation,
    Menu,
    NewKey,
    Receipt,
    Result,
    Taken,
    Ticket,
    View,
)
from arbiter_client.blocking_transport import BlockingTransport, iterated, run
from arbiter_client.bot import Choose
from arbiter_client.calls import Calls
from arbiter_client.client import MatchRow, Service, address
from arbiter_client.match import AsyncMatch
from arbiter_client.play import AsyncPlay
from arbiter_client.retries import Retries
from arbiter_client.transport import TIMEOUT


class Arbiter:
    """An Arbiter service, and a key to it if there is one: `AsyncArbiter` that blocks."""

    def __init__(
        self,
        url: str,
        key: str | None = None,
        *,
        retries: Retries = Retries(),  # noqa: B008  frozen
        http: httpx.Client | None = None,
    ) -> None:
        transport = BlockingTransport(address(url), http or httpx.Client(timeout=TIMEOUT))
        self._service = Service(Calls(transport, key, retries))

    def __enter__(self) -> "Arbiter":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes its connections."""
        run(self._service.close())

    def games(self) -> tuple[GameSummary, ...]:
        """Every game that can be played."""
        return run(self._service.games())

    def game(self, game: str) -> Game:
        """A game, with its schemas and its rules."""
        return run(self._service.game(game))

    def matches(
        self,
        game: str | None = None,
        status: str | None = None,
        name: str | None = None,
        tournament: str | None = None,
    ) -> Iterator[MatchRow]:
        """The public list of matches, newest first. `name` is that of a seat."""
        return iterated(self._service.matches(game, status, name, tournament))

    def create_match(
        self,
        game: str,
        seats: Sequence[str],
        options: dict[str, Any] | None = None,
        **more: Any,
    ) -> CreatedMatch:
        """Creates a match with seats for people of these names, as an organiser."""
        return run(self._service.create_match(game, seats, options, **more))

    def match(self, match_id: str, key: str | None = None) -> "Match":
        """A match, by its own key if one is given. Asks nothing of the service."""
        return Match(self._service.match(match_id, key))

    def accept(self, link: str) -> Accepted:
        """The key to a seat, by the link of an invitation. It can be had once: keep it."""
        return run(self._service.accept(link))

    def renew_key(self) -> str:
        """Makes the key its holder's: it ends, and the new one is returned, which nobody else has.
        Keep it."""
        return run(self._service.renew_key())


class Match:
    """A match, as the holder of a key plays, watches or moderates it: `AsyncMatch` that blocks."""

    def __init__(self, match: AsyncMatch) -> None:
        self._match = match

    @property
    def id(self) -> str:
        """The id of the match."""
        return self._match.id

    @property
    def receipts(self) -> list[Receipt]:
        """The receipt of everything that was put on record by this object."""
        return self._match.receipts

    def view(self, as_: str | None = None, at: int | None = None) -> View:
        """What an audience sees, by default the key's own, now or after its first `at` events."""
        return run(self._match.view(as_, at))

    def menu(self) -> Menu:
        """What the seat may do now."""
        return run(self._match.menu())

    def act(
        self, action: Action, *, key: str | None = None, if_match: View | str | None = None
    ) -> Taken:
        """Sends an action, and keeps its receipt. It counts once, however often it is sent."""
        return run(self._match.act(action, key=key, if_match=if_match))

    def follow(self, after: int | View = 0, as_: str | None = None) -> Iterator[Event]:
        """The audience's events behind a number or a view, each once, to the end of the match."""
        return iterated(self._match.follow(after, as_))

    def play(self, after: View) -> "Play":
        """The seat's events behind a view, and its actions in between."""
        return Play(self._match.play(after))

    def bot(
        self, choose: Choose, on_event: Callable[[Event], object] | None = None
    ) -> Result | None:
        """Plays the seat to the end of the match by `choose(menu, view)`; returns the result."""
        return run(self._match.bot(choose, on_event))

    def ticket(self, as_: str | None = None) -> Ticket:
        """A ticket to the stream of an audience, for a browser."""
        return run(self._match.ticket(as_))

    def seed(self, text: str) -> Taken:
        """Adds to the chance of the match, before its start."""
        return run(self._match.seed(text))

    def note(self) -> str:
        """The signed note of the creation, which names the first commitment to the seed."""
        return run(self._match.note())

    def start(self) -> Taken:
        """Starts the match, as its moderator or as an organiser."""
        return run(self._match.start())

    def close_phase(self, if_match: View | str | None = None) -> Taken:
        """Ends the phase as its deadline would, as a moderator."""
        return run(self._match.close_phase(if_match))

    def draw(self, draw_id: str, outcome: list[Any]) -> Taken:
        """Enters what a draw has shown at the table, as a moderator."""
        return run(self._match.draw(draw_id, outcome))

    def invite(self, seat: int, expires_in: int | None = None) -> Invitation:
        """A link by which somebody gets a key to the seat, as an organiser."""
        return run(self._match.invite(seat, expires_in))

    def new_key(self, role: str, name: str | None = None) -> NewKey:
        """One more key, for a `moderator` or for `seat:N`, as an organiser."""
        return run(self._match.new_key(role, name))


class Play:
    """A seat at a match: iterate for its events, and `act` in between. `AsyncPlay` that blocks."""

    def __init__(self, play: AsyncPlay) -> None:
        self._play = play

    def __enter__(self) -> "Play":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the stream."""
        run(self._play.close())

    def __iter__(self) -> Iterator[Event]:
        return iterated(aiter(self._play))

    def act(
        self, action: Action, *, key: str | None = None, if_match: View | str | None = None
    ) -> Taken:
        """Sends an action, and keeps its receipt. It counts once, however often it is sent."""
        return run(self._play.act(action, key=key, if_match=if_match))
