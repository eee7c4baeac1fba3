"""The service, for programs with an event loop."""

from collections.abc import AsyncGenerator, Sequence
from typing import Any
from urllib.parse import urlsplit

import httpx
from msgspec import Struct

from arbiter_client.answers import Accepted, CreatedMatch, Game, GameSummary
from arbiter_client.async_transport import AsyncTransport
from arbiter_client.calls import Calls, new_key
from arbiter_client.match import AsyncMatch
from arbiter_client.retries import Retries
from arbiter_client.transport import TIMEOUT


class MatchRow(Struct, frozen=True):
    """A match in the public list. `tournament` is the id of the one it belongs to."""

    id: str
    game: str
    seats: tuple[str, ...]
    status: str
    tournament: str | None = None


class _Games(Struct):
    games: tuple[GameSummary, ...]


class _Matches(Struct):
    matches: tuple[MatchRow, ...]
    next: str | None


class _Renewed(Struct):
    key: str


class Service:
    """An Arbiter service, however it is reached."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def close(self) -> None:
        """Closes its connections."""
        await self._calls.transport.close()

    async def games(self) -> tuple[GameSummary, ...]:
        """Every game that can be played."""
        return (await self._calls.get("/v1/games", _Games)).games

    async def game(self, game: str) -> Game:
        """A game, with its schemas and its rules."""
        return await self._calls.get(f"/v1/games/{game}", Game)

    async def matches(
        self,
        game: str | None = None,
        status: str | None = None,
        name: str | None = None,
        tournament: str | None = None,
    ) -> AsyncGenerator[MatchRow, None]:
        """The public list of matches, newest first. `name` is that of a seat."""
        after = None
        while True:
            page = await self._calls.get(
                "/v1/matches", _Matches, game=game, status=status, name=name,
                tournament=tournament, after=after,
            )  # fmt: skip
            for row in page.matches:
                yield row
            after = page.next
            if after is None:
                return

    async def create_match(
        self,
        game: str,
        seats: Sequence[str],
        options: dict[str, Any] | None = None,
        **more: Any,
    ) -> CreatedMatch:
        """Creates a match with seats for people of these names, as an organiser. `more` are other
        fields of the request: `chance`, `clock`, `record`, `tournament`, `keys` and so on."""
        body = {"game": game, "seats": list(seats), "options": options or {}, **more}
        return await self._calls.post("/v1/matches", CreatedMatch, body, new_key())

    def match(self, match_id: str, key: str | None = None) -> AsyncMatch:
        """A match, by its own key if one is given. Asks nothing of the service."""
        return AsyncMatch(self._calls if key is None else self._calls.bearing(key), match_id)

    async def accept(self, link: str) -> Accepted:
        """The key to a seat, by the link of an invitation. It can be had once: keep it."""
        parts = urlsplit(link)
        path = f"/v1/matches/{parts.path.rpartition('/')[2]}/invitations/accept"
        return await self._calls.post(path, Accepted, {"token": parts.fragment}, new_key())

    async def renew_key(self) -> str:
        """Makes the key its holder's: it ends, and the new one is returned, which nobody else has.
        Keep it. This object sends it from now on; objects made before for a match do not."""
        new = (await self._calls.post("/v1/keys/renew", _Renewed, None, new_key())).key
        self._calls = self._calls.bearing(new)
        return new


class AsyncArbiter(Service):
    """An Arbiter service, and a key to it if there is one.

    `url` is the address of the service, with `/v1` or without it. `http` is a client of httpx with
    settings of your own; it is closed together with this one.
    """

    def __init__(
        self,
        url: str,
        key: str | None = None,
        *,
        retries: Retries = Retries(),  # noqa: B008  frozen
        http: httpx.AsyncClient | None = None,
    ) -> None:
        transport = AsyncTransport(address(url), http or httpx.AsyncClient(timeout=TIMEOUT))
        super().__init__(Calls(transport, key, retries))

    async def __aenter__(self) -> "AsyncArbiter":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


def address(url: str) -> str:
    """The address of a service that was given with or without `/v1`."""
    return url.rstrip("/").removesuffix("/v1")
