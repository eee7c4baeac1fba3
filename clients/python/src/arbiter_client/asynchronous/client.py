"""The service, for programs with an event loop."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

import httpx
from msgspec import Struct

from arbiter_client.answers import Accepted, CreatedMatch, Game, GameSummary, MatchRow, Row
from arbiter_client.asynchronous.calls import Calls, Resource
from arbiter_client.asynchronous.commitments import PublishedKeys
from arbiter_client.asynchronous.connections import http_client
from arbiter_client.asynchronous.match import AsyncMatch
from arbiter_client.asynchronous.tournament import AsyncTournament
from arbiter_client.asynchronous.transport import HttpTransport
from arbiter_client.requests import only
from arbiter_client.retries import Retries
from arbiter_client.transport import address


class _Games(Struct):
    games: tuple[GameSummary, ...]


class _Renewed(Struct):
    key: str


class Service(Resource):
    """An Arbiter service, however it is reached."""

    def __init__(self, calls: Calls) -> None:
        super().__init__(calls, "/v1")
        self._keys = PublishedKeys(calls)

    async def close(self) -> None:
        """Closes its connections."""
        await self._calls.transport.close()

    async def games(self) -> tuple[GameSummary, ...]:
        """Every game that can be played."""
        return (await self.get("games", _Games)).games

    async def game(self, game: str) -> Game:
        """A game, with its schemas and its rules."""
        return await self.get(f"games/{game}", Game)

    def matches(
        self,
        /,
        game: str | None = None,
        status: str | None = None,
        name: str | None = None,
        tournament: str | None = None,
        **more: str,
    ) -> AsyncGenerator[MatchRow, None]:
        """The public list of matches, newest first. `name` is that of a seat; `more` are the
        filters `moderator`, `since` and `until`."""
        wanted = only(game=game, status=status, name=name, tournament=tournament, **more)
        return self.rows("matches", "matches", MatchRow, **wanted)

    async def create_match(
        self, /, game: str, seats: Sequence[str], options: dict[str, Any] | None = None, **more: Any
    ) -> CreatedMatch:
        """Creates a match with seats for people of these names, as an organiser. `more` are other
        fields of the request: `chance`, `clock`, `record`, `tournament`, `keys` and so on."""
        body = {"game": game, "seats": list(seats), "options": options or {}, **more}
        return await self._post("matches", CreatedMatch, body)

    def match(self, match_id: str, key: str | None = None) -> AsyncMatch:
        """A match, by its own key if one is given. Asks nothing of the service."""
        return AsyncMatch(self._bearing(key), match_id, self._keys)

    def tournaments(self, name: str | None = None) -> AsyncGenerator[Row, None]:
        """The public list of tournaments, newest first."""
        return self.rows("tournaments", "tournaments", Row, name=name)

    async def create_tournament(
        self,
        name: str,
        players: Sequence[str] = (),
        moderators: Sequence[str] = (),
        garnets: Mapping[str, int] | None = None,
    ) -> Row:
        """Creates a tournament with these players, some of whom begin with `garnets`, as an
        organiser."""
        people = {"players": list(players), "moderators": list(moderators)}
        body = {"name": name, **people, "garnets": garnets or {}}
        return await self._post("tournaments", Row, body)

    def tournament(self, tournament_id: str, key: str | None = None) -> AsyncTournament:
        """A tournament, by its own key if one is given. Asks nothing of the service."""
        return AsyncTournament(self._bearing(key), tournament_id)

    async def accept(self, link: str) -> Accepted:
        """The key to a seat, or of a tournament's player, by the link of an invitation. It can be
        had once: keep it."""
        parts = urlsplit(link)
        place, _, name = parts.path.rpartition("/")
        kind = "tournaments" if place.endswith("/t") else "matches"
        path = f"{kind}/{name}/invitations/accept"
        return await self._post(path, Accepted, {"token": parts.fragment})

    async def renew_key(self) -> str:
        """Makes the key its holder's: it ends, and the new one is returned, which no one else has.
        Keep it. This object sends it from now on; objects made before for a match do not."""
        new = (await self._post("keys/renew", _Renewed)).key
        self._calls = self._calls.bearing(new)
        return new

    def _bearing(self, key: str | None) -> Calls:
        return self._calls if key is None else self._calls.bearing(key)


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
        transport = HttpTransport(address(url), http or http_client(url))
        super().__init__(Calls(transport, key, retries))

    async def __aenter__(self) -> "AsyncArbiter":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
