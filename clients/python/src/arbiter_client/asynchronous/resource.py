"""Any request, below an address of the API."""

from collections.abc import AsyncGenerator, Mapping
from typing import Any, TypeVar

from arbiter_client.asynchronous.calls import Calls
from arbiter_client.requests import Request, decoded, encoded, once

T = TypeVar("T")


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
        return await self._calls.post(self._address(path), kind, body, headers)

    async def _delete(self, path: str) -> None:
        await self._calls.delete(self._address(path))

    def _address(self, path: str) -> str:
        return f"{self._path}/{path}" if path else self._path
