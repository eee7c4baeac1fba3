"""Matches between bots that anyone may start and watch, kept in memory.

They are no matches of the service: they are played on instances of their own, whose stores are
memory, and are therefore in no list, log, export or backup. A request for one of them is answered
by the same application on that instance, so every read of the API and every page works as it does
for other matches.
"""

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, NamedTuple, cast
from uuid import UUID

import httpx
from litestar.types import ASGIApp, Receive, Scope, Send
from msgspec.structs import replace

from arbiter_client import AsyncArbiter
from service.app import create_app
from service.auth.request_guard import RequestGuard
from service.event_store.database import IN_MEMORY
from service.http.people.lobby import DemoFull
from service.instance import Instance
from service.observability import logs
from service.settings import Settings

MOST = 40
"""Maximum matches of one instance."""

SECONDS = 3600.0
"""How long an instance takes new matches."""


class Begun(NamedTuple):
    """A match that has been started, and its course, which ends with the match."""

    id: UUID
    course: Awaitable[object]


Begin = Callable[[AsyncArbiter, str], Awaitable[Begun]]
"""Starts a match of a game between bots, at a service as its organiser."""


class DemoInstance:
    """An instance in memory, and the matches on it. `_service` reaches it without a network, as the
    organiser with this key."""

    def __init__(self, settings: Settings, guard: RequestGuard) -> None:
        self.key = f"arb_org_{secrets.token_hex(32)}"
        # It signs as the service does, and tells no one else of anything.
        in_memory = replace(
            settings, store=IN_MEMORY, organiser_key=self.key, shared=False, redis=None, demo=False,
            signing=replace(settings.signing, keys=settings.key_folder),
            server=replace(settings.server, origins=()),
        )  # fmt: skip
        self.instance = Instance(in_memory)
        self.app = create_app(self.instance, guard=guard)
        self.matches: set[UUID] = set()
        self._courses: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Runs the instance inside the context; its matches end with it."""
        transport = httpx.ASGITransport(cast(Any, self.app))
        async with (
            self.instance.running(),
            AsyncArbiter(
                "http://demo", self.key, http=httpx.AsyncClient(transport=transport)
            ) as self._service,
        ):
            try:
                yield
            finally:
                await self._end()

    async def start(self, game: str, begin: Begin) -> UUID:
        """Starts a match between bots, which goes on by itself."""
        match_begun = await begin(self._service, game)
        self.matches.add(match_begun.id)
        course = asyncio.create_task(_play_out(match_begun.course))
        self._courses.add(course)
        course.add_done_callback(self._courses.discard)
        return match_begun.id

    async def _end(self) -> None:
        self.instance.stop_streams()
        for course in self._courses:
            course.cancel()
        await asyncio.gather(*self._courses, return_exceptions=True)


class _Opened(NamedTuple):
    """An instance that runs, until when it takes matches, and what ends it."""

    demo: DemoInstance
    until: float
    end: AsyncExitStack


class DemoMatches:
    """Starts matches between bots, and answers what is asked of them.

    One instance takes them for a while. It can be read while it is one of the last two; then the
    memory that they took is free. There is none before the first match is wanted. `seconds` and
    `most` are the limits of one; `now` returns seconds.
    """

    def __init__(
        self,
        settings: Settings,
        guard: RequestGuard,
        begin: Begin,
        most: int = MOST,
        seconds: float = SECONDS,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._chosen, self._guard, self._begin = settings, guard, begin
        self._most, self._seconds, self._now = most, seconds, now
        self._opening = asyncio.Lock()
        self._opened: list[_Opened] = []

    async def start(self, game: str) -> UUID:
        """Starts a match of a game between bots. Raises DemoFull if there are too many."""
        async with self._opening:
            now, taking = self._now(), self._opened[-1] if self._opened else None
            if taking is None or taking.until <= now or taking.demo.instance.broken.is_set():
                taking = await self._open(now)
            elif len(taking.demo.matches) >= self._most:
                raise DemoFull(taking.until - now)
            return await taking.demo.start(game, self._begin)

    def around(self, app: ASGIApp) -> ASGIApp:
        """The application, with the matches of bots besides its own."""

        async def routed(scope: Scope, receive: Receive, send: Send) -> None:
            demo = self._instance_of(scope.get("path", ""))
            await (app if demo is None else demo.app)(scope, receive, send)

        return routed

    @asynccontextmanager
    async def running(self, stopping: asyncio.Event) -> AsyncIterator[None]:
        """Ends all matches when the service begins to stop, or at the end of the context."""
        ending = asyncio.create_task(self._end_at(stopping))
        try:
            yield
        finally:
            stopping.set()
            await ending

    async def _open(self, now: float) -> _Opened:
        while len(self._opened) > 1:
            await self._opened.pop(0).end.aclose()
        # In a thread: making an application takes long enough to hold others up.
        demo = await asyncio.to_thread(DemoInstance, self._chosen, self._guard)
        end = AsyncExitStack()
        await end.enter_async_context(demo.running())
        self._opened.append(_Opened(demo, now + self._seconds, end))
        return self._opened[-1]

    def _instance_of(self, path: str) -> DemoInstance | None:
        """The instance that has the match whose id is in the path."""
        if not self._opened:
            return None
        ids = [UUID(part) for part in path.split("/")[2:4] if _is_id(part)]
        demos = (entry.demo for entry in self._opened if not entry.demo.matches.isdisjoint(ids))
        return next(demos, None)

    async def _end_at(self, stopping: asyncio.Event) -> None:
        await stopping.wait()
        async with self._opening:
            while self._opened:
                await self._opened.pop().end.aclose()


def _is_id(part: str) -> bool:
    try:
        UUID(part)
    except ValueError:
        return False
    return True


async def _play_out(course: Awaitable[object]) -> None:
    """Waits for the end of a match. If its bots fail, it stands still and the log says so."""
    try:
        await course
    except Exception as error:  # noqa: BLE001  no one else waits for it
        logs.failure("demo_match_ended", error)
