"""What a client sends in a simulation, and what it notes of the answers."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from hashlib import sha256
from random import Random
from typing import Any, TypeVar
from uuid import UUID

import msgspec

from domain.game import Refused
from domain.match.commands import Act, Command, Conflict
from domain.tournament.state import KeyedRequest
from projections.audience.disclosure import Viewer
from service.application.idempotency import RequestInFlight, StoredAnswer
from service.application.keys.invitations import UnknownInvitation
from service.application.matches.command_queue import (
    AlreadyExists,
    CommandResponse,
    PreconditionFailed,
)
from service.application.matches.match_sessions import UnknownPosition
from service.application.matches.seat_limits import LimitReached
from service.event_store.errors import (
    ConcurrencyConflict,
    StoreUnavailable,
    UnknownMatch,
    UnknownTournament,
)
from service.http.requests.idempotency import REFUSALS
from tests.simulation.refusals import CommandRequest, code_of, refused_since
from tests.simulation.simulated_process import ConnectionLost, SimulatedProcess
from tests.simulation.simulated_world import KnownMatch, World
from tests.simulation.simulation_history import (
    Answered,
    Created,
    Denied,
    Done,
    DoneKind,
    Failed,
    LineRead,
    Viewed,
)
from tests.simulation.simulation_plan import Step

T = TypeVar("T")

Handler = Callable[[SimulatedProcess], Awaitable[None]]

NO_CONTENT = StoredAnswer(204, {}, b"")

AGAIN = (ConnectionLost, StoreUnavailable, ConcurrencyConflict, RequestInFlight)
"""Errors after which a client sends a repeatable request again."""

FINAL = (
    Conflict, PreconditionFailed, LimitReached, Refused, AlreadyExists, UnknownMatch,
    UnknownTournament, UnknownPosition, UnknownInvitation,
)  # fmt: skip
"""Errors that are an answer."""

LONGEST_PAUSE = 2.0
"""Longest pause in seconds before a request is sent again."""


class Client:
    """A client that does one step, with luck of its own."""

    def __init__(self, world: World, step: Step) -> None:
        self.world, self.step = world, step
        self.chance = Random(f"{world.plan.seed}/step/{step.number}")

    def any_match(self) -> KnownMatch | None:
        """A match, the newer the more likely."""
        known = self.world.matches
        return self.chance.choice(known[-4:]) if known else None

    async def copies(self, send: Callable[[], Awaitable[object]]) -> None:
        """Sends a request, sometimes twice at the same time."""
        await self.together(*[send] * self.chance.choice((1, 1, 2)))

    async def together(self, *sent: Callable[[], Awaitable[object]]) -> None:
        """Sends requests at the same time. Errors that are an answer are in the history."""

        async def attempt(send: Callable[[], Awaitable[object]]) -> None:
            try:
                await send()
            except (*AGAIN, *FINAL) as error:
                self.failed(self.step.kind, error)

        await asyncio.gather(*map(attempt, sent))

    async def copy(
        self, match: KnownMatch, sent: Act, seat: int, expected: frozenset[int] | None
    ) -> None:
        """Sends an action; under a key until it is answered, otherwise once."""
        send = partial(self.executed, match.id, sent, seat, expected)
        try:
            await (self.once(send) if sent.key is None else self.again(send))
        except (*AGAIN, *FINAL) as error:
            self.failed("act", error)

    async def execute(self, match: KnownMatch, command: Command, viewer: Viewer) -> None:
        """Sends a command once."""
        await self.once(partial(self.executed, match.id, command, viewer, None))

    async def executed(
        self,
        match: UUID,
        command: Command,
        viewer: Viewer,
        expected: frozenset[int] | None,
        process: SimulatedProcess,
    ) -> CommandResponse:
        """Executes a command in a process, and notes the answer."""
        process.received += 1
        receipt, begun, clock = process.received, self.world.now, process.clock.now()
        before = self.world.on_record(match)
        try:
            answer = await process.instance.matches.execute(match, command, viewer, expected)
        except (Conflict, PreconditionFailed) as error:
            request, code = CommandRequest(match, command, viewer, expected), code_of(error)
            right = refused_since(before, self.world.record(match), request, code)
            self.world.add(
                Denied(self.world.now, self.step.number, process.name, match, code, right)
            )
            raise
        key = command.key if isinstance(command, Act) else None
        self.world.add(
            Answered(
                self.world.now,
                begun,
                self.step.number,
                process.name,
                receipt,
                clock,
                match,
                viewer,
                key,
                answer,
                self.world.on_record(match),
            )
        )
        return answer

    async def once(self, handle: Callable[[SimulatedProcess], Awaitable[T]]) -> T:
        """Sends a request to any instance, once."""
        return await self.world.network.request(self.instance(), handle)

    async def again(self, handle: Callable[[SimulatedProcess], Awaitable[T]]) -> T:
        """Sends a request to any instance, until it is answered."""
        pause = 0.05
        while True:
            try:
                return await self.once(handle)
            except AGAIN:
                await asyncio.sleep(self.chance.uniform(0, pause))
                pause = min(2 * pause, LONGEST_PAUSE)

    async def remembered(self, name: str, does: Handler, acknowledged: Handler) -> None:
        """Does something under an idempotency key, as routes do, until it is answered. A refusal
        leaves the key free for another request."""

        async def sent(process: SimulatedProcess) -> None:
            async def execute(_: int | None) -> StoredAnswer:
                await does(process)
                return NO_CONTENT

            remember = process.instance.idempotency.remember
            await remember(request_of(name, name), execute, REFUSALS, _no_length)
            await acknowledged(process)

        async def another(process: SimulatedProcess) -> None:
            remember = process.instance.idempotency.remember
            await remember(request_of(name, "another"), _nothing, REFUSALS, _no_length)

        try:
            await self.again(sent)
        except FINAL:
            await self.again(another)
            raise

    async def viewed(
        self, match: UUID, viewer: Viewer, seq: int | None, process: SimulatedProcess
    ) -> int:
        """Reads a view in a process; returns its number."""
        begun = self.world.now
        shown, view = await process.instance.sessions.view(match, viewer, seq)
        self.world.add(
            Viewed(
                self.world.now,
                begun,
                self.step.number,
                process.name,
                match,
                viewer,
                shown,
                seq is not None,
                view,
                self.world.on_record(match),
            )
        )
        return shown

    def line(
        self, process: SimulatedProcess, match: UUID, viewer: Viewer, after: int, line: bytes
    ) -> None:
        """Notes a line that was read."""
        world = self.world
        world.add(
            LineRead(
                world.now,
                self.step.number,
                process.name,
                match,
                viewer,
                after,
                line,
                world.on_record(match),
            )
        )

    def created(self, what: str, created: UUID, tournament: UUID | None) -> None:
        """Notes that something was created."""
        on_record = self.world.on_record(created)
        self.world.add(
            Created(self.world.now, self.step.number, what, created, tournament, on_record)
        )

    def done(
        self, process: SimulatedProcess, kind: DoneKind, subject: UUID, name: str, more: str = ""
    ) -> None:
        """Notes what a process has acknowledged."""
        done = Done(self.world.now, self.step.number, process.name, kind, subject, name, more)
        self.world.add(done)

    def failed(self, what: str, error: Exception) -> None:
        """Notes an error."""
        self.world.add(Failed(self.world.now, self.step.number, what, code_of(error)))

    def instance(self) -> int:
        """Any instance."""
        return self.chance.randrange(self.world.plan.shape.instances)


async def _nothing(_: int | None) -> StoredAnswer:
    return NO_CONTENT


async def _no_length() -> int:
    return 0


def request_of(key: str, content: Any) -> KeyedRequest:
    """A request under a key, with this content."""
    return KeyedRequest(key, sha256(msgspec.json.encode(content)).digest())
