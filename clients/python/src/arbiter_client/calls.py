"""Requests to the service, repeated where that is safe."""

import secrets
from typing import Any, TypeVar

import msgspec

from arbiter_client.answers import View
from arbiter_client.problems import Disconnected, ProblemError, problem_of
from arbiter_client.retries import Retries
from arbiter_client.transport import Answer, Request, Transport

T = TypeVar("T")

INCARNATION = "arbiter-incarnation"


def usable_key(text: str) -> str:
    """The key in a text, which may end with a line break. Raises ValueError, which does not name
    it, if it cannot be one."""
    key = text.strip()
    if not (key.isascii() and key.isprintable() and key.split() == [key]):
        raise ValueError("this is no key of the service")
    return key


class Calls:
    """Sends requests by a transport, with a key if there is one."""

    def __init__(self, transport: Transport, key: str | None, retries: Retries) -> None:
        self.transport = transport
        self.retries = retries
        self._key = None if key is None else usable_key(key)

    def bearing(self, key: str | None) -> "Calls":
        """The same with another key."""
        return Calls(self.transport, key, self.retries)

    def signed(self, request: Request) -> Request:
        """The request with the key."""
        bearer = {} if self._key is None else {"Authorization": f"Bearer {self._key}"}
        return msgspec.structs.replace(request, headers={**bearer, **request.headers})

    async def answer(self, request: Request) -> Answer:
        """The answer to a request. Raises ProblemError or Disconnected, if repeating is not safe or
        was in vain."""
        failures, signed = 0, self.signed(request)
        while True:
            try:
                return successful(await self.transport.send(signed))
            except (ProblemError, Disconnected) as error:
                failures += 1
                await self.pause_or_raise(failures, error, request.repeatable)

    async def pause_or_raise(
        self, failures: int, error: ProblemError | Disconnected, repeatable: bool = True
    ) -> None:
        """Waits before the next attempt after so many failures, or raises the last error."""
        if self.retries.gives_up(failures, error, repeatable):
            raise error
        await self.transport.pause(self.retries.pause(failures, error))

    async def get(self, path: str, kind: type[T], **query: Any) -> T:
        """What is answered at an address, with those of the parameters that are not None."""
        asked = {name.rstrip("_"): value for name, value in query.items() if value is not None}
        return decoded(await self.answer(Request("GET", path, asked)), kind)

    async def post(self, path: str, kind: type[T], body: Any = None, key: str | None = None) -> T:
        """What a request with this body is answered; with an idempotency key it counts once."""
        headers = {} if key is None else {"Idempotency-Key": key}
        return decoded(await self.answer(Request("POST", path, {}, headers, encoded(body))), kind)


def successful(answer: Answer) -> Answer:
    """The answer, unless it is a problem, which is raised."""
    if answer.status >= 400:
        raise problem_of(answer.status, answer.headers, answer.body)
    return answer


def decoded(answer: Answer, kind: type[T]) -> T:
    """The body of an answer. A view keeps the headers that belong to it."""
    body = msgspec.json.decode(answer.body, type=kind)
    if isinstance(body, View):
        own = {"tag": answer.headers.get("etag"), "incarnation": answer.headers.get(INCARNATION)}
        return msgspec.structs.replace(body, **own)
    return body


def encoded(body: Any) -> bytes | None:
    """A body as JSON; None for none."""
    return None if body is None else msgspec.json.encode(body)


def condition(seen: View | str | None) -> str | None:
    """What `If-Match` is when an action is meant for this view, or for the one with this tag."""
    if isinstance(seen, View):
        return seen.tag or f'"{seen.audience}.{seen.seq}"'
    return seen


def new_key() -> str:
    """An idempotency key that nobody guesses."""
    return secrets.token_urlsafe(18)
