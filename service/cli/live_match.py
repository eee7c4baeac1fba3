"""A match of a running service, as it happens, as an audience sees it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping

import httpx
import msgspec
from msgspec import Struct

from projections.audience import View
from projections.lines import Line
from service.cli.service_connection import (
    SECONDS,
    TRIES,
    ServiceRefused,
    answered,
    bearing,
    foreign,
    on_this_machine,
    proxy_errors,
    refusal,
    wait_told,
)

SILENCE = 60
"""Seconds without a byte after which a stream is taken for dead; a ping comes every 15."""
LONGEST_PAUSE = 15.0
"""Seconds between two attempts to connect again, at most."""


class Joined(Struct, frozen=True):
    """The stream is open."""


class Cut(Struct, frozen=True):
    """The stream was cut; it is opened again in `pause` seconds."""

    pause: float


class WentBack(Struct, frozen=True):
    """The operator has gone back to a backup: everything is read again from the beginning."""


class Ended(Struct, frozen=True):
    """The match is over, and everything has been read."""


News = Line | Joined | Cut | WentBack | Ended


class LiveMatch:
    """A connection to the match at an address, with a key or without one, as one audience or as
    that of the key. All methods but `follow` ask again a few times while the service is busy or
    cannot be reached, and raise httpx.HTTPError after that; they raise errors for the user, in
    which there is no key. `pause` waits for so many seconds."""

    def __init__(
        self,
        address: str,
        key: str | None,
        audience: str | None = None,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._url = address
        self._asked = {} if audience is None else {"as": audience}
        self._pause = pause
        with proxy_errors():
            self._http = httpx.AsyncClient(
                headers={} if key is None else bearing(key),
                timeout=httpx.Timeout(SECONDS, read=SILENCE),
                trust_env=not on_this_machine(self._url),
            )

    async def close(self) -> None:
        """Closes it; it must not be used afterwards."""
        await self._http.aclose()

    async def view(self, at: int | None = None) -> View:
        """What the audience sees now, or saw after so many events."""
        asked = self._asked if at is None else {**self._asked, "at": str(at)}
        return answered(await self._get("/view", asked), View)

    async def follow(self, after: int) -> AsyncIterator[News]:
        """Every event behind number `after`, to the end of the match, over as many connections as
        it takes."""
        pause = 0.0
        while True:
            try:
                async for news in self._stream(after):
                    pause = 0.0
                    after = news.seq if isinstance(news, Line) else after
                    yield news
                    if isinstance(news, Ended):
                        return
            except ServiceRefused as refused:
                if refused.code != "history_went_back":
                    raise
                after = 0
                yield WentBack()
                continue
            except _Busy as busy:
                pause = busy.seconds
            except httpx.TransportError:
                pause = _longer(pause)
            else:
                pause = _longer(pause)  # It ended before the match did.
            yield Cut(pause)
            await self._pause(pause)

    async def _stream(self, after: int) -> AsyncIterator[News]:
        """What one connection brings."""
        asked = {**self._asked, "after": str(after)}
        accepted = {"Accept": "application/x-ndjson"}
        stream = self._http.stream("GET", f"{self._url}/stream", params=asked, headers=accepted)
        async with stream as answer:
            if answer.status_code == httpx.codes.NO_CONTENT:
                yield Ended()
                return
            if not answer.is_success:
                await answer.aread()
                told = wait_told(answer)
                raise refusal(answer) if told is None else _Busy(told)
            yield Joined()
            async for text in _split(answer.aiter_bytes()):
                yield _news(text)

    async def _get(self, path: str, asked: Mapping[str, str]) -> httpx.Response:
        pause = 0.0
        for attempt in range(TRIES):
            try:
                answer = await self._http.get(self._url + path, params=asked)
            except httpx.TransportError:
                if attempt == TRIES - 1:
                    raise
                pause = _longer(pause)
                await self._pause(pause)
                continue
            told = wait_told(answer)
            if told is None or attempt == TRIES - 1:
                break
            await self._pause(told)
        if not answer.is_success:
            raise refusal(answer)
        return answer


def _longer(pause: float) -> float:
    """The next pause, in seconds, after one that was in vain."""
    return min(max(0.5, 2 * pause), LONGEST_PAUSE)


class _Busy(Exception):
    """The service asks to wait."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.seconds = seconds


async def _split(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The lines that are not empty; an empty one only keeps the connection open."""
    rest = b""
    async for chunk in chunks:
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            if line.strip():
                yield line


def _news(text: bytes) -> News:
    try:
        fields = msgspec.json.decode(text)
        return Ended() if "end" in fields else msgspec.convert(fields, Line)
    except (msgspec.DecodeError, TypeError, UnicodeDecodeError) as error:
        raise foreign(str(error)) from None
