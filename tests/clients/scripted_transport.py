"""A network for the Python client on which happens what a test has written down."""

from collections.abc import Iterable, Sequence

import msgspec

from arbiter_client import Disconnected
from arbiter_client.asynchronous.transport import Channel
from arbiter_client.requests import Answer, Request
from service.signing.signing_keys import Signer

HASH = "A" * 43 + "="
SIGNER = Signer("s/receipts", b"s" * 32)
"""The key of receipts that this service has now."""


def creation_note(named: str = HASH, signer: Signer = SIGNER) -> str:
    """The note of the creation of the match `m`, which names a commitment to the seed."""
    return signer.sign(f"arbiter-creation/1\nmatch m\ncreated {HASH}\nseed-committed {named}\n")


CREATION = creation_note()

INCARNATION = {"arbiter-incarnation": "one"}


def receipt_note(
    seat: int | str, count: int, named: str = HASH, match: str = "m", signer: Signer = SIGNER
) -> str:
    """A receipt of a submission of a seat, which names a commitment to the seed."""
    return signer.sign(
        f"arbiter-receipt/1\nmatch {match}\nseed-committed {named}\nseat {seat}\ncount {count}\n"
        "phase -\n"
    )


def keys_answer(*signers: Signer) -> Answer:
    """The answer that has the public keys of these signers."""
    keys = [{"purpose": "receipts", "key": str(one.verifier)} for one in signers]
    return Answer(200, {}, msgspec.json.encode({"keys": keys}))


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
    """Answers requests and streams by turns with what is in these lists, requests for the note of
    the creation with `note`, and for the keys with those of `signers` by turns, the last forever.
    The other `requests` were sent, `pauses` are those that were made.
    """

    def __init__(
        self,
        answers: Iterable[Answer | Exception] = (),
        streams: Iterable[Answer | Channel] = (),
        note: str = CREATION,
        signers: Sequence[tuple[Signer, ...]] = ((SIGNER,),),
    ) -> None:
        self._note = note
        self._signers = list(signers)
        self._answers, self._streams = list(answers), list(streams)
        self.requests: list[Request] = []
        self.key_requests = 0
        self.pauses: list[float] = []

    async def send(self, request: Request) -> Answer:
        if request.path.endswith("/note"):
            return note_answer(self._note)
        if request.path == "/v1/keys":
            self.key_requests += 1
            return keys_answer(*self._signers[min(self.key_requests, len(self._signers)) - 1])
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
