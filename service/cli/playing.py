"""Bots at their tables, over HTTP: each knows its key, its view and its menu."""

from collections.abc import Awaitable, Callable
from random import Random
from typing import Any

import httpx
from msgspec import Struct

from service.cli.bots import BOTS

Json = dict[str, Any]
EndPhase = Callable[["Seated", Json], Awaitable[None]]
"""Ends a phase in which all have done what they wanted; told the public's view of the match."""


class Table(Struct, frozen=True):
    """A match to be played: who sits where, and by which options and clock."""

    game: str
    seats: tuple[str, ...]
    options: Json = {}
    clock: str = "none"


class Played(Struct, frozen=True):
    """A match that bots have played."""

    id: str
    game: str
    seats: tuple[str, ...]
    actions: int
    winners: tuple[str, ...]


class Seated:
    """A match on the server, as its bots hold it: an address and the keys to it."""

    def __init__(self, client: httpx.AsyncClient, table: Table, made: Json) -> None:
        self.client = client
        self.table = table
        self.id: str = made["id"]
        self.path = f"/v1/matches/{self.id}"
        self.keys = [bearing(seat["key"]) for seat in made["seats"]]
        self.moderator = bearing(made["moderator_key"])
        self.actions = 0

    async def seen(self) -> Json:
        """The match as the public sees it."""
        return await sent(self.client.get(f"{self.path}/view"))

    async def act(self, seat: int, rng: Random) -> Json:
        """The seat's bot does something that its menu offers; what it sees then."""
        key = self.keys[seat]
        view = await sent(self.client.get(f"{self.path}/view", headers=key))
        menu = await sent(self.client.get(f"{self.path}/actions", headers=key))
        if not menu["actions"]:
            return view
        action = BOTS[self.table.game](view["view"], menu["actions"], seat, rng)
        headers = {**key, "Idempotency-Key": f"{seat}-{self.actions}"}
        self.actions += 1
        answer = await sent(self.client.post(f"{self.path}/actions", json=action, headers=headers))
        after: Json = answer["view"]
        return after

    async def play(self, rng: Random, end_phase: EndPhase) -> Played:
        """Plays a match that has just been started to its end."""
        shown = await self.seen()
        while shown["status"] == "running":
            awaited = shown["awaiting"]["seats"]
            if len(awaited) == 1:
                shown = await self.act(awaited[0], rng)
                continue
            before = (await self.seen())["seq"]
            for seat in rng.sample(awaited, len(awaited)):
                if (await self.act(seat, rng))["status"] != "running":
                    break
            shown = await self.seen()
            if shown["seq"] == before:
                await end_phase(self, shown)
                shown = await self.seen()
        seats = self.table.seats
        winners = tuple(seats[seat] for seat in shown["result"]["winners"])
        return Played(self.id, self.table.game, seats, self.actions, winners)


async def seated(client: httpx.AsyncClient, organiser: str, table: Table) -> Seated:
    """The match, created and started."""
    key = bearing(organiser)
    new = {
        "game": table.game,
        "seats": table.seats,
        "options": table.options,
        "clock": table.clock,
    }
    made = await sent(client.post("/v1/matches", json=new, headers=key))
    match = Seated(client, table, made)
    await sent(client.post(f"{match.path}/start", headers=key))
    return match


async def closed_by_hand(match: Seated, shown: Json) -> None:
    """The moderator closes the phase."""
    await sent(match.client.post(f"{match.path}/close-phase", headers=match.moderator))


def bearing(key: str) -> dict[str, str]:
    """The header that brings a key."""
    return {"Authorization": f"Bearer {key}"}


async def sent(request: Awaitable[httpx.Response]) -> Json:
    """The answer's body. Raises httpx.HTTPError unless all is well."""
    response = await request
    response.raise_for_status()
    body: Json = response.json()
    return body
