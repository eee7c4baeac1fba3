"""Lets bots play matches over HTTP; each uses only its key and its menu."""

from collections.abc import Awaitable, Callable
from random import Random
from typing import Any

import httpx
from msgspec import Struct

from service.cli.any_action import any_action
from service.cli.service_connection import bearing

Json = dict[str, Any]

Pause = Callable[[int], Awaitable[None]]
"""What comes before an action, by how many seats are awaited."""


class Table(Struct, frozen=True):
    """A match to be played: its seats and options."""

    game: str
    seats: tuple[str, ...]
    options: Json = {}


class Played(Struct, frozen=True):
    """A match that bots have played, and its keys: one a seat, and the moderator's."""

    id: str
    game: str
    seats: tuple[str, ...]
    actions: int
    winners: tuple[str, ...]
    keys: tuple[str, ...]
    moderator_key: str


class Seated:
    """A match on the server, with the keys to it."""

    def __init__(self, client: httpx.AsyncClient, table: Table, made: Json) -> None:
        self.client = client
        self.table = table
        self.id: str = made["id"]
        self.path = f"/v1/matches/{self.id}"
        self.keys: tuple[str, ...] = tuple(seat["key"] for seat in made["seats"])
        self.moderator_key: str = made["moderator_key"]
        self.actions = 0

    async def seen(self) -> Json:
        """The public view of the match."""
        return await sent(self.client.get(f"{self.path}/view"))

    async def act(self, seat: int, rng: Random) -> Json:
        """Lets the seat's bot choose an action from its menu; returns the seat's view after it."""
        key = bearing(self.keys[seat])
        menu = await sent(self.client.get(f"{self.path}/actions", headers=key))
        if not menu["actions"]:
            return await sent(self.client.get(f"{self.path}/view", headers=key))
        action = any_action(menu["actions"], rng)
        headers = {**key, "Idempotency-Key": f"{seat}-{self.actions}"}
        self.actions += 1
        answer = await sent(self.client.post(f"{self.path}/actions", json=action, headers=headers))
        after: Json = answer["view"]
        return after

    async def close_phase(self) -> None:
        """Closes the phase as the moderator."""
        by = bearing(self.moderator_key)
        await sent(self.client.post(f"{self.path}/close-phase", headers=by))

    async def play(self, rng: Random, pause: Pause | None = None) -> Played:
        """Plays the match, which has just been started, to its end."""
        pause = pause or _at_once
        shown = await self.seen()
        while shown["status"] == "running":
            awaited = shown["awaiting"]["seats"]
            if len(awaited) == 1:
                await pause(1)
                shown = await self.act(awaited[0], rng)
                continue
            before = (await self.seen())["seq"]
            for seat in rng.sample(awaited, len(awaited)):
                await pause(len(awaited))
                if (await self.act(seat, rng))["status"] != "running":
                    break
            shown = await self.seen()
            if shown["seq"] == before:
                await self.close_phase()
                shown = await self.seen()
        seats = self.table.seats
        winners = tuple(seats[seat] for seat in shown["result"]["winners"])
        return Played(
            self.id, self.table.game, seats, self.actions, winners, self.keys, self.moderator_key
        )


async def _at_once(awaited: int) -> None:
    """Bots need no pause."""


async def seated(client: httpx.AsyncClient, organiser: str, table: Table) -> Seated:
    """Creates and starts a match."""
    key = bearing(organiser)
    new = {"game": table.game, "seats": table.seats, "options": table.options, "clock": "none"}
    made = await sent(client.post("/v1/matches", json=new, headers=key))
    match = Seated(client, table, made)
    await sent(client.post(f"{match.path}/start", headers=key))
    return match


async def sent(request: Awaitable[httpx.Response]) -> Json:
    """The body of the response. Raises httpx.HTTPError for errors."""
    response = await request
    response.raise_for_status()
    body: Json = response.json()
    return body
