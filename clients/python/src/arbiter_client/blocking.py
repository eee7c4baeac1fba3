"""The classes for programs without an event loop: those for one, over a network that blocks.

Nothing in those classes waits but their network. Over one that blocks, each of their coroutines
runs to its end in one step, without a loop.
"""

import time
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Callable,
    Coroutine,
    Generator,
    Iterator,
    Mapping,
)
from functools import wraps
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

import httpx

from arbiter_client.answers import Choose, Event, Receipt, Result, View
from arbiter_client.asynchronous.calls import Calls, Resource
from arbiter_client.asynchronous.client import Service as AsyncService
from arbiter_client.asynchronous.match import AsyncMatch, AsyncPlay
from arbiter_client.asynchronous.rulings import Ruleable
from arbiter_client.asynchronous.tournament import AsyncTournament
from arbiter_client.asynchronous.transport import Channel, Lines
from arbiter_client.requests import Answer, Request
from arbiter_client.retries import Retries
from arbiter_client.transport import SILENCE, address, answered, built, network, settings

P = ParamSpec("P")
T = TypeVar("T")
Own = TypeVar("Own", bound=Resource)


def done(work: Coroutine[Any, Any, T]) -> T:
    """What a coroutine returns that does not wait."""
    try:
        work.send(None)
    except StopIteration as end:
        result: T = end.value
        return result
    work.close()
    raise RuntimeError("this waits for an event loop: use the classes for one")


def each(found: AsyncGenerator[T, None]) -> Generator[T, None, None]:
    """What an asynchronous generator gives that does not wait."""
    try:
        while True:
            try:
                one = done(found.__anext__())
            except StopAsyncIteration:
                return
            yield one
    finally:
        done(found.aclose())


def blocking(
    method: Callable[Concatenate[Any, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[Any, P], T]:
    """The method without waiting."""

    @wraps(method)
    def call(self: Any, /, *args: P.args, **named: P.kwargs) -> T:
        return done(method(self._own, *args, **named))

    return call


def iterating(
    method: Callable[Concatenate[Any, P], AsyncGenerator[T, None]],
) -> Callable[Concatenate[Any, P], Generator[T, None, None]]:
    """The same of a method that gives many."""

    @wraps(method)
    def call(self: Any, /, *args: P.args, **named: P.kwargs) -> Generator[T, None, None]:
        return each(method(self._own, *args, **named))

    return call


class _Resource(Generic[Own]):
    def __init__(self, own: Own) -> None:
        self._own = own

    def request(
        self,
        method: str,
        path: str,
        kind: type[T],
        *,
        body: Any = None,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> T:
        """See AsyncArbiter."""
        sent = self._own.request(method, path, kind, body=body, query=query, headers=headers)
        return done(sent)

    def get(self, path: str, kind: type[T], **query: Any) -> T:
        """See AsyncArbiter."""
        return done(self._own.get(path, kind, **query))

    def rows(
        self, path: str, name: str, kind: type[T], /, **query: Any
    ) -> Generator[T, None, None]:
        """See AsyncArbiter."""
        return each(self._own.rows(path, name, kind, **query))


class _Ruleable(_Resource[Own]):
    preview = blocking(Ruleable.preview)
    rule = blocking(Ruleable.rule)
    rulings = iterating(Ruleable.rulings)
    preview_second = blocking(Ruleable.preview_second)
    second = blocking(Ruleable.second)
    withdraw = blocking(Ruleable.withdraw)
    open_case = blocking(Ruleable.open_case)
    cases = iterating(Ruleable.cases)
    case = blocking(Ruleable.case)
    say = blocking(Ruleable.say)
    add_party = blocking(Ruleable.add_party)
    publish_case = blocking(Ruleable.publish_case)
    close_case = blocking(Ruleable.close_case)
    appeal = blocking(Ruleable.appeal)


class Match(_Ruleable[AsyncMatch]):
    """A match, as the holder of a key plays, watches or moderates it: see AsyncMatch."""

    view = blocking(AsyncMatch.view)
    menu = blocking(AsyncMatch.menu)
    act = blocking(AsyncMatch.act)
    follow = iterating(AsyncMatch.follow)
    ticket = blocking(AsyncMatch.ticket)
    seed = blocking(AsyncMatch.seed)
    start = blocking(AsyncMatch.start)
    close_phase = blocking(AsyncMatch.close_phase)
    draw = blocking(AsyncMatch.draw)
    note = blocking(AsyncMatch.note)
    ready = blocking(AsyncMatch.ready)
    ask = blocking(AsyncMatch.ask)
    consent = blocking(AsyncMatch.consent)
    invite = blocking(AsyncMatch.invite)
    new_key = blocking(AsyncMatch.new_key)
    issued_keys = iterating(AsyncMatch.issued_keys)
    end_key = blocking(AsyncMatch.end_key)
    events = iterating(AsyncMatch.events)
    timeline = iterating(AsyncMatch.timeline)
    reads = iterating(AsyncMatch.reads)
    bundle = blocking(AsyncMatch.bundle)
    checkpoint = blocking(AsyncMatch.checkpoint)
    notation = blocking(AsyncMatch.notation)

    @property
    def id(self) -> str:
        """Its id."""
        return self._own.id

    @property
    def receipts(self) -> list[Receipt]:
        """The receipts of everything that was put on record by this object."""
        return self._own.receipts

    def play(self, after: View) -> "Play":
        """See AsyncMatch."""
        return Play(self._own.play(after))

    def bot(
        self, choose: Choose, on_event: Callable[[Event], object] | None = None
    ) -> Result | None:
        """See AsyncMatch; `choose` returns an action."""
        return done(self._own.bot(choose, on_event))


class Play:
    """A seat at a match: see AsyncPlay."""

    def __init__(self, own: AsyncPlay) -> None:
        self._own = own

    act = blocking(AsyncPlay.act)
    close = blocking(AsyncPlay.close)

    def __enter__(self) -> "Play":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[Event]:
        return each(self._own.__aiter__())


class Tournament(_Ruleable[AsyncTournament]):
    """A tournament, as the holder of a key sees it or runs it: see AsyncTournament."""

    view = blocking(AsyncTournament.view)
    enter = blocking(AsyncTournament.enter)
    enter_all = blocking(AsyncTournament.enter_all)
    roster = blocking(AsyncTournament.roster)
    open_registration = blocking(AsyncTournament.open_registration)
    close_registration = blocking(AsyncTournament.close_registration)
    register = blocking(AsyncTournament.register)
    appoint = blocking(AsyncTournament.appoint)
    appoint_organiser = blocking(AsyncTournament.appoint_organiser)
    organisers = blocking(AsyncTournament.organisers)
    new_key = blocking(AsyncTournament.new_key)
    invite = blocking(AsyncTournament.invite)
    remove = blocking(AsyncTournament.remove)
    assign = blocking(AsyncTournament.assign)
    take = blocking(AsyncTournament.take)
    post_garnets = blocking(AsyncTournament.post_garnets)
    ledger = iterating(AsyncTournament.ledger)
    reads = iterating(AsyncTournament.reads)
    keys = iterating(AsyncTournament.keys)
    announcement = blocking(AsyncTournament.announcement)
    export = blocking(AsyncTournament.export)
    withdraw_player = blocking(AsyncTournament.withdraw_player)
    rename_player = blocking(AsyncTournament.rename_player)
    withhold_name = blocking(AsyncTournament.withhold_name)
    return_player = blocking(AsyncTournament.return_player)
    ask_bye = blocking(AsyncTournament.ask_bye)
    open_check_in = blocking(AsyncTournament.open_check_in)
    check_in = blocking(AsyncTournament.check_in)
    give_seed = blocking(AsyncTournament.give_seed)
    add_stage = blocking(AsyncTournament.add_stage)
    stages = blocking(AsyncTournament.stages)
    draft = blocking(AsyncTournament.draft)
    publish = blocking(AsyncTournament.publish)
    draw_lots = blocking(AsyncTournament.draw_lots)
    round = blocking(AsyncTournament.round)
    withdraw_round = blocking(AsyncTournament.withdraw_round)
    absences = blocking(AsyncTournament.absences)
    forfeit = blocking(AsyncTournament.forfeit)
    give_time = blocking(AsyncTournament.give_time)
    standings = blocking(AsyncTournament.standings)
    bracket = blocking(AsyncTournament.bracket)
    close_stage = blocking(AsyncTournament.close_stage)
    close_tournament = blocking(AsyncTournament.close_tournament)

    @property
    def id(self) -> str:
        """Its id."""
        return self._own.id


class Service(_Resource[AsyncService]):
    """An Arbiter service, however it is reached."""

    def __init__(self, calls: Calls) -> None:
        super().__init__(AsyncService(calls))

    games = blocking(AsyncService.games)
    game = blocking(AsyncService.game)
    matches = iterating(AsyncService.matches)
    create_match = blocking(AsyncService.create_match)
    tournaments = iterating(AsyncService.tournaments)
    create_tournament = blocking(AsyncService.create_tournament)
    accept = blocking(AsyncService.accept)
    renew_key = blocking(AsyncService.renew_key)
    close = blocking(AsyncService.close)

    def match(self, match_id: str, key: str | None = None) -> Match:
        """See AsyncArbiter."""
        return Match(self._own.match(match_id, key))

    def tournament(self, tournament_id: str, key: str | None = None) -> Tournament:
        """See AsyncArbiter."""
        return Tournament(self._own.tournament(tournament_id, key))


class Arbiter(Service):
    """An Arbiter service, and a key to it if there is one: see AsyncArbiter. `http` is a client of
    httpx that blocks."""

    def __init__(
        self,
        url: str,
        key: str | None = None,
        *,
        retries: Retries = Retries(),  # noqa: B008  frozen
        http: httpx.Client | None = None,
    ) -> None:
        transport = BlockingTransport(address(url), http or httpx.Client(**settings(url)))
        super().__init__(Calls(transport, key, retries))

    def __enter__(self) -> "Arbiter":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class BlockingTransport:
    """Sends requests by a client of httpx that blocks."""

    def __init__(self, url: str, http: httpx.Client) -> None:
        self._url = url
        self._http = http

    async def send(self, request: Request) -> Answer:
        with network():
            response = self._http.send(built(self._http, self._url, request))
        return answered(response, response.content)

    async def stream(self, request: Request) -> tuple[Answer, Channel | None]:
        with network():
            sent = built(self._http, self._url, request, SILENCE)
            response = self._http.send(sent, stream=True)
            if response.status_code != 200:
                return answered(response, response.read()), None

        async def close() -> None:
            response.close()

        return answered(response), Lines(_chunks(response), close)

    async def pause(self, seconds: float) -> None:
        time.sleep(seconds)  # noqa: ASYNC251  there is no loop to hold up

    async def close(self) -> None:
        self._http.close()


async def _chunks(response: httpx.Response) -> AsyncIterator[bytes]:
    for chunk in response.iter_bytes():
        yield chunk
