"""A seat's WebSocket while it is open: actions in, their answers and the seat's lines out."""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Collection, Hashable
from dataclasses import dataclass
from typing import Any, Protocol, cast
from uuid import UUID

from litestar.response.base import ASGIResponse
from litestar.types import Receive, Scope, Send

from service.application.key_reading import KeyReading
from service.auth.grants import Grant
from service.auth.tickets import Ticket
from service.http.accounting import reading_of
from service.http.actions import Seated, Sent, perform, seated_by
from service.http.context import context
from service.http.play_frames import action_frame, answer_frame, end_frame, id_in, is_text
from service.http.problems import HANDLERS, AnyRequest, Failed
from service.http.rate_limiting import count_action
from service.http.streams import watched_by
from service.instance import Instance
from service.observability import logs
from service.streams.forms import WEB_SOCKET as FRAMES
from service.streams.live_stream import Reader

WEB_SOCKET = "arbiter.web_socket"
"""The ASGI extension by which a request becomes a WebSocket (`Upgrade`)."""

OVER, SERVICE_STOPS, FAILED = 1000, 1012, 1011
NOT_TEXT = 1007
KEY_ENDED, HISTORY_WENT_BACK = 4401, 4409
"""Close codes. 1012 asks the client to come back, 4409 to read the match from its beginning."""

NO_MORE = ("key_unknown", "ticket_unknown", "not_allowed")
"""Why a key may act no more: it has ended, or its seat is somebody else's."""


class Socket(Protocol):
    """A WebSocket. What it sends is whole frames."""

    @property
    def open(self) -> bool:
        """Whether neither side has closed it."""

    async def receive(self) -> bytes | None:
        """The next message; None when there will be no more."""

    def write(self, chunk: bytes) -> bool:
        """Writes frames if the client takes them at once, or returns False."""

    def hold(self) -> None:
        """Keeps what is written until something is sent, which follows soon."""

    async def send(self, chunk: bytes) -> None:
        """Writes frames when the client takes them, unless it is gone."""

    def stop_receiving(self) -> None:
        """Ignores what the client sends from now on; what it has sent is still received."""

    def close(self, code: int, reason: str = "") -> None:
        """Closes it; what was not received is forgotten."""


class Upgrade(Protocol):
    """The connection of a request that may become a WebSocket."""

    def allows(self, origin: bytes | None) -> bool:
        """Whether pages of this origin may open a WebSocket; programs send no origin."""

    def switched(self) -> Socket:
        """The WebSocket, once the head of the answer 101 has been sent."""


@dataclass(frozen=True)
class SeatAccess:
    """By what somebody plays: `grant` returns what their key allows now, or raises Failed."""

    instance: Instance
    match_id: UUID
    key_hash: bytes
    grant: Callable[[], Awaitable[Grant]]
    ticket: Ticket | None = None

    async def seated(self) -> Seated:
        """Who acts. Raises Failed if it is nobody any more."""
        return await seated_by(self.instance, await self.grant(), self.match_id)


class Delivered:
    """Up to which number the seat's lines have been sent."""

    def __init__(self, seq: int) -> None:
        self._seq = seq
        self._waiting: list[tuple[int, asyncio.Future[None]]] = []

    def up_to(self, seq: int) -> None:
        """They have been sent up to this number."""
        self._seq = seq
        if not self._waiting:
            return
        due = [future for wanted, future in self._waiting if wanted <= seq]
        self._waiting = [(wanted, one) for wanted, one in self._waiting if wanted > seq]
        for future in due:
            if not future.done():
                future.set_result(None)

    def no_more(self) -> None:
        """No more will be sent: nobody need wait for them."""
        self.up_to(sys.maxsize)

    async def reached(self, seq: int) -> None:
        """Returns when they have been sent up to this number, or no more will be sent."""
        if seq > self._seq:
            future = asyncio.get_running_loop().create_future()
            self._waiting.append((seq, future))
            await future


class Play(ASGIResponse):
    """The answer that becomes a WebSocket, until the match is over, the key ends, the client goes
    or the service stops.

    Actions are executed in order, one after another. The answer to one is sent behind the seat's
    lines up to the view in it. An action that was received is executed and on record as over HTTP,
    whether or not its answer can still be sent.
    """

    def __init__(
        self,
        instance: Instance,
        request: AnyRequest,
        match_id: UUID,
        access: SeatAccess,
        seated: Seated,
        head: list[tuple[bytes, bytes]],
        after: int | None,
    ) -> None:
        # Without the framework's own initialiser, which is for answers with a body.
        self._instance = instance
        self._request = request
        self._match_id = match_id
        self._access = access
        self._seat = seated.seat
        self._grant = seated.grant
        self._head = head
        self._after = after
        self._reading: KeyReading | None = None
        self._key_ended = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        await send({"type": "http.response.start", "status": 101, "headers": self._head})
        upgrade = cast(Upgrade, cast(dict[str, Any], scope["extensions"])[WEB_SOCKET])
        socket = upgrade.switched()
        try:
            await self._play(socket)
        except Exception as error:  # noqa: BLE001  the client is told that it was not its fault
            logs.failure("play_failed", error, match=str(self._match_id))
            socket.close(FAILED)

    async def _play(self, socket: Socket) -> None:
        sessions = self._instance.sessions
        _, projection = await sessions.projection(self._match_id, self._seat)
        after = projection.seq if self._after is None else self._after
        if after > projection.seq:
            socket.close(HISTORY_WENT_BACK, "history went back")
            return
        delivered = Delivered(after)
        self._reading = await self._reading_by(self._grant)
        answers = asyncio.create_task(self._answer_all(socket, delivered))
        lines = asyncio.create_task(self._send_lines(socket, delivered, after))
        try:
            await asyncio.wait((answers, lines), return_when=asyncio.FIRST_COMPLETED)
            if lines.done():
                delivered.no_more()
                await self._end(socket, answers, lines.result())
            answers.result()
        finally:
            answers.cancel()
            lines.cancel()
            await asyncio.gather(answers, lines, return_exceptions=True)

    async def _send_lines(self, socket: Socket, delivered: Delivered, after: int) -> int:
        """Sends the lines until there will be no more; returns the close code that says why."""
        instance = self._instance
        reader = Reader(
            self._seat,
            FRAMES,
            self._still_allowed,
            self._watches(),
            socket,
            self._reading,
            delivered.up_to,
        )
        async for chunk in instance.streams.follow(self._match_id, reader, after):
            await socket.send(chunk)
        if self._key_ended:
            return KEY_ENDED
        if instance.streams.stopping.is_set():
            return SERVICE_STOPS
        loaded, _ = await instance.sessions.cached_projection(self._match_id, self._seat)
        return OVER if loaded.over else FAILED

    def _watches(self) -> Collection[Hashable]:
        return watched_by(self._access.key_hash, self._grant)

    async def _still_allowed(self) -> bool:
        try:
            self._key_ended = (await self._access.seated()).seat != self._seat
        except Failed:
            self._key_ended = True
        return not self._key_ended

    async def _end(self, socket: Socket, answers: "asyncio.Task[None]", code: int) -> None:
        """Closes the socket; at the end of the match behind the answers to what was received."""
        if code not in (OVER, SERVICE_STOPS):
            socket.close(code, "key ended" if code == KEY_ENDED else "")
        socket.stop_receiving()
        await answers
        if code == OVER:
            projection = await self._instance.sessions.cached_projection(self._match_id, self._seat)
            await socket.send(end_frame(projection[1].seq))
        socket.close(code)

    async def _answer_all(self, socket: Socket, delivered: Delivered) -> None:
        while (message := await socket.receive()) is not None:
            if not await self._answer(socket, message, delivered):
                return

    async def _answer(self, socket: Socket, message: bytes, delivered: Delivered) -> bool:
        """Executes the action in a message and sends the answer. Returns False if the socket was
        closed instead."""
        to: str | None = None
        try:
            seated = await self._acting()
            if seated is None:
                socket.close(KEY_ENDED, "key ended")
                return False
            await count_action(context(self._request).guard, self._request, self._access.key_hash)
            frame = action_frame(message)
            to = frame.id
            sent = Sent(bytes(frame.action), frame.id, frame.if_match)
            socket.hold()
            response, encoded = await perform(self._instance, seated, self._match_id, sent)
            await self._account(seated.grant, response.view_seq)
            answer = answer_frame(to, encoded.status, encoded.body)
        except Exception as error:  # noqa: BLE001  each has its problem document
            if to is None and not is_text(message):
                socket.close(NOT_TEXT, "not UTF-8")
                return False
            answer = answer_frame(to or id_in(message), *_problem(self._request, error))
        else:
            if socket.open:
                await delivered.reached(response.view_seq)
        await socket.send(answer)
        return True

    async def _reading_by(self, grant: Grant) -> KeyReading | None:
        return await reading_of(self._instance, grant, self._match_id, self._seat)

    async def _account(self, grant: Grant, seq: int) -> None:
        """Accounts for an answer with the view at this number; a seat's view is not hidden."""
        if grant != self._grant:
            # The id of the key has been recorded meanwhile.
            self._grant, self._reading = grant, await self._reading_by(grant)
        if self._reading is not None:
            self._reading.note(seq)

    async def _acting(self) -> Seated | None:
        """Who acts, as at this instant; None if the key plays this seat no more."""
        try:
            seated = await self._access.seated()
        except Failed as failed:
            if failed.code in NO_MORE:
                return None
            raise
        return seated if seated.seat == self._seat else None


def _problem(request: AnyRequest, error: Exception) -> tuple[int, bytes]:
    """The status and the document that answer an error."""
    kind = next(kind for kind in type(error).__mro__ if kind in HANDLERS)
    problem = HANDLERS[kind](request, error)
    return problem.status_code, problem.content
