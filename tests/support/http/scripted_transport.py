"""A network for the Python client on which happens what a test has written down."""

from collections.abc import Iterable

import msgspec

from arbiter_client import Disconnected
from arbiter_client.transport import Answer, Channel, Request

HASH = "A" * 43 + "="
CREATION = (
    f"arbiter-creation/1\nmatch m\ncreated {HASH}\nseed-committed {HASH}\n\n— s/receipts AA==\n"
)
"""The note of the creation of the match `m`."""

INCARNATION = {"arbiter-incarnation": "one"}


def receipt_note(seat: int, count: int, named: str = HASH, match: str = "m") -> str:
    """A receipt of a submission of a seat, which names a commitment to the seed."""
    return (
        f"arbiter-receipt/1\nmatch {match}\nseed-committed {named}\nseat {seat}\ncount {count}\n"
        "phase -\n\n— s/receipts AA==\n"
    )


def note_answer(note: str = CREATION) -> Answer:
    """The answer that has a note."""
    return Answer(200, {}, msgspec.json.encode({"note": note}))


def problem(status: int, code: str, **more: object) -> Answer:
    """An answer with a problem document."""
    return Answer(status, {}, msgspec.json.encode({"code": code, "title": "No.", **more}))


class ScriptedChannel:
    """A connection on which these lines come before it is cut."""

    def __init__(self, lines: Iterable[object]) -> None:
        self._lines = [
            line if isinstance(line, bytes) else msgspec.json.encode(line) for line in lines
        ]
        self.closed = False

    async def receive(self) -> bytes:
        if self._lines:
            return self._lines.pop(0)
        raise Disconnected("cut")

    async def close(self) -> None:
        self.closed = True


class ScriptedTransport:
    """Answers requests and streams by turns with what is in these lists, and requests for the note
    of the creation with `note`. The other `requests` were sent, `pauses` are those that were made.
    """

    def __init__(
        self,
        answers: Iterable[Answer | Exception] = (),
        streams: Iterable[Answer | Channel] = (),
        note: str = CREATION,
    ) -> None:
        self._note = note
        self._answers, self._streams = list(answers), list(streams)
        self.requests: list[Request] = []
        self.pauses: list[float] = []

    async def send(self, request: Request) -> Answer:
        if request.path.endswith("/note"):
            return note_answer(self._note)
        self.requests.append(request)
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def stream(self, request: Request) -> tuple[Answer, Channel | None]:
        self.requests.append(request)
        stream = self._streams.pop(0)
        return (stream, None) if isinstance(stream, Answer) else (Answer(200, INCARNATION), stream)

    async def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)

    async def close(self) -> None:
        pass
