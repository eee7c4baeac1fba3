# Made from the asynchronous classes by `make blocking-client`: change those.
"""Requests to the service, repeated where that is safe."""

from collections.abc import Generator, Mapping
from typing import Any, TypeVar

import msgspec

from arbiter_client.blocking.transport import Transport
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

    def answer(self, request: Request) -> Answer:
        """The answer to a request. Raises ProblemError or Disconnected, if repeating is not safe or
        was in vain."""
        failures, signed = 0, self.signed(request)
        while True:
            try:
                return successful(self.transport.send(signed))
            except (ProblemError, Disconnected) as error:
                failures += 1
                self.pause_or_raise(failures, error, request.repeatable)

    def pause_or_raise(
        self, failures: int, error: ProblemError | Disconnected, repeatable: bool = True
    ) -> None:
        """Waits before the next attempt after so many failures, or raises the last error."""
        if self.retries.gives_up(failures, error, repeatable):
            raise error
        seconds = self.retries.pause(failures, error)
        if self.retries.on_pause is not None:
            self.retries.on_pause(error, seconds)
        self.transport.pause(seconds)

    def get(self, path: str, kind: type[T], **query: Any) -> T:
        """What is answered at an address, with those of the parameters that are not None."""
        return decoded(self.answer(Request("GET", path, only(**query))), kind)

    def rows(self, path: str, name: str, kind: type[T], /, **query: Any) -> Generator[T, None]:
        """The rows of a list with this name, of all its pages."""
        after: Any = query.pop("after", None)
        seen = {after}
        while True:
            page = self.get(path, dict[str, msgspec.Raw], after=after, **query)
            rows, after = rows_of(page, name, kind)
            for row in rows:
                yield row
            if after is None:
                return
            if after in seen:
                raise NotUnderstood("its pages do not end")
            seen.add(after)

    def post(
        self,
        path: str,
        kind: type[T],
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> T:
        """What a request with this body is answered; it counts once, unless it has headers of its
        own without an idempotency key."""
        sent = once() if headers is None else headers
        return decoded(self.answer(Request("POST", path, {}, sent, encoded(body))), kind)

    def delete(self, path: str) -> None:
        """Deletes what is at an address."""
        self.answer(Request("DELETE", path))
