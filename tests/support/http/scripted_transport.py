"""A network for the Python client on which happens what a test has written down."""

from collections.abc import Iterable

import msgspec

from arbiter_client import Disconnected
from arbiter_client.transport import Answer, Channel, Closed, NoSocket, Request

INCARNATION = {"arbiter-incarnation": "one"}


def problem(status: int, code: str, **more: object) -> Answer:
    """An answer with a problem document."""
    return Answer(status, {}, msgspec.json.encode({"code": code, "title": "No.", **more}))


class ScriptedChannel:
    """A connection on which these lines come before it is cut, or closed with a code."""

    def __init__(self, lines: Iterable[object], code: int | None = None) -> None:
        self._lines = [
            line if isinstance(line, bytes) else msgspec.json.encode(line) for line in lines
        ]
        self._code = code
        self.sent: list[str] = []
        self.closed = False

    async def receive(self) -> bytes:
        if self._lines:
            return self._lines.pop(0)
        raise Disconnected("cut") if self._code is None else Closed(self._code)

    async def send(self, message: str) -> None:
        self.sent.append(message)

    async def close(self) -> None:
        self.closed = True


class ScriptedTransport:
    """Answers requests, streams and WebSockets by turns with what is in these lists; without a
    WebSocket in it there is none. `requests` were sent, `pauses` are those that were made."""

    def __init__(
        self,
        answers: Iterable[Answer | Exception] = (),
        streams: Iterable[Answer | Channel] = (),
        sockets: Iterable[Channel] = (),
    ) -> None:
        self._answers, self._streams = list(answers), list(streams)
        self._sockets = list(sockets)
        self.requests: list[Request] = []
        self.pauses: list[float] = []

    async def send(self, request: Request) -> Answer:
        self.requests.append(request)
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def stream(self, request: Request) -> tuple[Answer, Channel | None]:
        self.requests.append(request)
        stream = self._streams.pop(0)
        return (stream, None) if isinstance(stream, Answer) else (Answer(200, INCARNATION), stream)

    async def socket(self, request: Request) -> Channel:
        self.requests.append(request)
        if not self._sockets:
            raise NoSocket("426")
        return self._sockets.pop(0)

    async def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)

    async def close(self) -> None:
        pass
