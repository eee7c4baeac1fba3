"""Requests to the service, repeated where that is safe, and what they are about."""

from collections.abc import AsyncGenerator, Mapping
from typing import Any, TypeVar

import msgspec

from arbiter_client.asynchronous.transport import Transport
from arbiter_client.problems import Disconnected, NotUnderstood, ProblemError
from arbiter_client.requests import (
    Answer,
    Request,
    decoded,
    encoded,
    once,
    only,
    rows_of,
    successful,
    usable_key,
)
from arbiter_client.retries import Retries

T = TypeVar("T")


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
        seconds = self.retries.pause(failures, error)
        if self.retries.on_pause is not None:
            self.retries.on_pause(error, seconds)
        await self.transport.pause(seconds)

    async def get(self, path: str, kind: type[T], **query: Any) -> T:
        """What is answered at an address, with those of the parameters that are not None."""
        return decoded(await self.answer(Request("GET", path, only(**query))), kind)

    async def rows(
        self, path: str, name: str, kind: type[T], /, **query: Any
    ) -> AsyncGenerator[T, None]:
        """The rows of a list with this name, of all its pages."""
        after: Any = query.pop("after", None)
        seen = {after}
        while True:
            page = await self.get(path, dict[str, msgspec.Raw], after=after, **query)
            rows, after = rows_of(page, name, kind)
            for row in rows:
                yield row
            if after is None:
                return
            if after in seen:
                raise NotUnderstood("its pages do not end")
            seen.add(after)


class Resource:
    """Something of the API at the address `path`. All methods raise ProblemError for what the
    service refuses, Disconnected when it cannot be reached, and NotUnderstood for what is no answer
    of this API."""

    def __init__(self, calls: Calls, path: str) -> None:
        self._calls = calls
        self._path = path

    async def request(
        self,
        method: str,
        path: str,
        kind: type[T],
        *,
        body: Any = None,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> T:
        """What any request to an address below this one is answered, as this kind: a msgspec
        Struct, `dict`, `object`, or `bytes` for what is no JSON. What changes something has an
        idempotency key, by default a new one, so it is done once."""
        own = {} if method in ("GET", "HEAD") else once()
        sent = Request(
            method, self._address(path), query or {}, {**own, **(headers or {})}, encoded(body)
        )
        return decoded(await self._calls.answer(sent), kind)

    async def get(self, path: str, kind: type[T], **query: Any) -> T:
        """What is there to read, by those of the parameters that are not None; one that is a word
        of Python ends with `_`."""
        return await self._calls.get(self._address(path), kind, **query)

    def rows(self, path: str, name: str, kind: type[T], /, **query: Any) -> AsyncGenerator[T, None]:
        """The rows of all pages of a list, by the name that it has in the answer."""
        return self._calls.rows(self._address(path), name, kind, **query)

    async def _post(
        self, path: str, kind: type[T], body: Any = None, headers: Mapping[str, str] | None = None
    ) -> T:
        """What a request with this body is answered; it counts once, unless it has headers of its
        own without an idempotency key."""
        sent = once() if headers is None else headers
        request = Request("POST", self._address(path), {}, sent, encoded(body))
        return decoded(await self._calls.answer(request), kind)

    async def _delete(self, path: str, body: Any = None) -> None:
        await self._calls.answer(Request("DELETE", self._address(path), body=encoded(body)))

    def _address(self, path: str) -> str:
        return f"{self._path}/{path}" if path else self._path
