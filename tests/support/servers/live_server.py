"""A real server on the loopback interface, and a client with readable test methods."""

import asyncio
import json
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import httpx
import pytest
from litestar.types import ASGIApp
from msgspec.structs import replace

from service.app import create_app
from service.auth.keyring import ORGANISERS
from service.auth.request_guard import RequestGuard
from service.clock import Clock
from service.instance import Instance
from service.observability.instrumentation import NO_INSTRUMENTATION, Instrumentation
from service.observability.readiness import Probe
from service.observability.request_log import InstrumentedApp
from service.server.web_server import Server
from service.setting_types import OriginsSetting
from service.settings import Limits, ServerSettings
from tests.support.servers.instance_settings import ORGANISER_KEY, settings_in
from tests.support.servers.server_thread import client_of, running

SSE, NDJSON = "text/event-stream", "application/x-ndjson"

SILENCE = 10.0
"""Seconds without a byte after which a stream has failed: before a ping would hide it."""

Json = dict[str, Any]
Answer = httpx.Response


def body_of(answer: Answer, *statuses: int) -> Json:
    """The body of an answer, which must have one of these statuses."""
    assert answer.status_code in statuses, answer.text
    body: Json = answer.json()
    return body


@dataclass(frozen=True)
class Client:
    """A client that sends requests, with a key or without one."""

    http: httpx.Client
    key: str | None = None

    def headers(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        own = {} if self.key is None else {"Authorization": f"Bearer {self.key}"}
        return own | dict(more or {})

    def get(self, path: str, headers: Mapping[str, str] | None = None, **query: Any) -> Answer:
        asked = {name.rstrip("_"): value for name, value in query.items() if value is not None}
        # An empty mapping would replace the query in the path.
        return self.http.get(path, params=asked or None, headers=self.headers(headers))

    def post(
        self,
        path: str,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        once: str | None = None,
    ) -> Answer:
        """Posts JSON, under the idempotency key `once` if there is one."""
        sent = None if body is None else json.dumps(body).encode()
        repeatable = {} if once is None else {"Idempotency-Key": once}
        return self.send("POST", path, sent, repeatable | dict(headers or {}))

    def send(
        self,
        method: str,
        path: str,
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        return self.http.request(method, path, content=content, headers=self.headers(headers))


@dataclass(frozen=True)
class Player:
    """What one party does at one match, or another `kind` of thing: a seat, a moderator, an
    organiser or a passer-by."""

    client: Client
    match: str
    kind: str = "matches"

    @property
    def path(self) -> str:
        return f"/v1/{self.kind}/{self.match}"

    def view(
        self,
        as_: str | None = None,
        at: int | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        return self.client.get(f"{self.path}/view", headers, as_=as_, at=at)

    def menu(self) -> Answer:
        return self.client.get(f"{self.path}/actions")

    def act(self, action: Any, headers: Mapping[str, str] | None = None) -> Answer:
        return self.client.post(f"{self.path}/actions", action, headers)

    def events(
        self, as_: str | None = None, after: int | None = None, limit: int | None = None
    ) -> Answer:
        return self.client.get(f"{self.path}/events", as_=as_, after=after, limit=limit)

    def start(self) -> Answer:
        return self.client.post(f"{self.path}/start")

    def draw(self, draw_id: str, outcome: Any) -> Answer:
        return self.client.post(f"{self.path}/draws", {"id": draw_id, "outcome": outcome})

    def close_phase(self, headers: Mapping[str, str] | None = None) -> Answer:
        return self.client.post(f"{self.path}/close-phase", None, headers)

    @contextmanager
    def stream(
        self, headers: Mapping[str, str] | None = None, **query: Any
    ) -> Iterator[httpx.Response]:
        """The open stream; it has begun when the context is entered."""
        asked = {name.rstrip("_"): value for name, value in query.items() if value is not None}
        sent = self.client.headers(headers)
        with self.client.http.stream(
            "GET", f"{self.path}/stream", params=asked, headers=sent, timeout=SILENCE
        ) as response:
            yield response

    def try_stream(self, headers: Mapping[str, str] | None = None, **query: Any) -> Answer:
        """The whole answer if it is an error; nothing is read of an opened stream."""
        with self.stream(headers, **query) as response:
            if response.is_error:
                response.read()
            return response


@dataclass(frozen=True)
class LiveMatch:
    """A match on the server, and all its participants."""

    id: str
    keys: tuple[str, ...]
    moderator_key: str
    seats: tuple[Player, ...]
    moderator: Player
    organiser: Player
    judge: Player
    anyone: Player

    def audiences(self) -> dict[str, Player]:
        named = {f"seat:{n}": seat for n, seat in enumerate(self.seats)}
        return {"public": self.anyone, "moderator": self.moderator} | named


@dataclass(frozen=True)
class Live:
    """A server under test. `instance` is its inside, for faults that cannot be sent over HTTP;
    `server` and `guard` are what its operator sees of it."""

    url: str
    instance: Instance
    http: httpx.Client
    loop: asyncio.AbstractEventLoop
    server: Server
    guard: RequestGuard

    @property
    def organiser(self) -> Client:
        return Client(self.http, ORGANISER_KEY)

    @cached_property
    def judge(self) -> Client:
        """An organiser with a name, to whom the operator has given a key: who makes the matches and
        tournaments, and seconds what is ruled with the service's own key."""
        [key] = self.instance.keyring.issue(ORGANISERS, ["org"], "Judge Judy")
        return Client(self.http, key)

    @property
    def anyone(self) -> Client:
        return Client(self.http)

    @property
    def port(self) -> int:
        return httpx.URL(self.url).port or 80

    def bearing(self, key: str) -> Client:
        return Client(self.http, key)

    def create(self, game: str, seats: Sequence[str] = ("Ann", "Ben"), **more: Any) -> LiveMatch:
        """A match that has been created and not started."""
        return created(self.organiser, game, seats, judge=self.judge, **more)

    def match(self, match_id: str, keys: tuple[str, ...], moderator_key: str) -> LiveMatch:
        return match_of(self.organiser, self.judge, match_id, keys, moderator_key)

    def started(self, game: str, seats: Sequence[str] = ("Ann", "Ben"), **more: Any) -> LiveMatch:
        return started(self.create(game, seats, **more))

    def run(self, calling: Callable[[], object]) -> None:
        """Runs something on the server's own loop, and returns when it is done."""

        async def call() -> None:
            calling()

        self.do(call())

    def do(self, doing: Coroutine[Any, Any, None]) -> None:
        """Does something that takes time on the server's own loop."""
        asyncio.run_coroutine_threadsafe(doing, self.loop).result(60)


def match_of(
    organiser: Client, judge: Client, match_id: str, keys: tuple[str, ...], moderator_key: str
) -> LiveMatch:
    """A match and its participants, by their keys."""

    def player(key: str | None) -> Player:
        return Player(Client(organiser.http, key), match_id)

    return LiveMatch(
        match_id,
        keys,
        moderator_key,
        tuple(map(player, keys)),
        player(moderator_key),
        Player(organiser, match_id),
        Player(judge, match_id),
        player(None),
    )


def created(
    organiser: Client,
    game: str,
    seats: Sequence[str] = ("Ann", "Ben"),
    judge: Client | None = None,
    **more: Any,
) -> LiveMatch:
    """A match that has been created and not started."""
    # Whoever made a tournament adds its matches.
    maker = organiser if "tournament" in more else judge or organiser
    sent = {"game": game, "seats": list(seats), **more}
    answer = body_of(maker.post("/v1/matches", sent), 201)
    keys = tuple(seat["key"] for seat in answer["seats"])
    return match_of(organiser, judge or organiser, answer["id"], keys, answer["moderator_key"])


def started(match: LiveMatch) -> LiveMatch:
    body_of(match.moderator.start(), 201)
    return match


@dataclass(frozen=True)
class Setup:
    """What an operator sets up around the application, and what a test wraps it `within`."""

    probes: Mapping[str, Probe] | None = None
    instrumentation: Instrumentation = NO_INSTRUMENTATION
    guard: RequestGuard = field(default_factory=RequestGuard)
    within: Callable[[ASGIApp], ASGIApp] = lambda app: app


@contextmanager
def serving(
    data: Path,
    clock: Clock | None = None,
    setup: Setup | None = None,
    origins: Sequence[str] = (),
    **more: Any,
) -> Iterator[Live]:
    """A server with its data in the folder `data`, in a thread and on a loop of its own, that pages
    of `origins` may call. `more` are other settings."""
    more.setdefault("limits", Limits(open_tables=1_000))
    more["server"] = ServerSettings(origins=OriginsSetting(origins))
    settings = replace(settings_in(data), organiser_key=ORGANISER_KEY, **more)
    setup = setup or Setup()
    instance = Instance(settings, clock, setup.instrumentation)

    def around(app: ASGIApp) -> ASGIApp:
        return InstrumentedApp(setup.within(app), setup.instrumentation)

    app = create_app(instance, probes=setup.probes, guard=setup.guard)
    server = Server(app, instance, around)
    with running(server) as (loop, url), client_of(url) as http:
        assert http.get("/healthz").status_code == 200
        yield Live(url, instance, http, loop, server, setup.guard)


@pytest.fixture(scope="session")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """One server for all tests of a folder: they only use it over HTTP."""
    with serving(tmp_path_factory.mktemp("live")) as server:
        yield server
