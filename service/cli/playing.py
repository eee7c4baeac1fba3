"""Lets bots play matches over HTTP; each uses only its key and its menu."""

from collections.abc import Awaitable, Callable
from random import Random
from typing import Any

from msgspec import Struct

from arbiter_client import AsyncArbiter, CreatedMatch, View
from service.cli.any_action import any_action

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

    def __init__(self, service: AsyncArbiter, table: Table, made: CreatedMatch) -> None:
        self.id = made.id
        self._table, self._made = table, made
        self._public = service.match(made.id)
        self._moderator = service.match(made.id, made.moderator_key)
        self._seats = [service.match(made.id, seat.key) for seat in made.seats]
        self._actions = 0

    async def play(self, rng: Random, pause: Pause | None = None) -> Played:
        """Plays the match, which has just been started, to its end."""
        pause = pause or _at_once
        shown = await self._public.view()
        while shown.status == "running":
            awaited = shown.awaiting.seats
            if len(awaited) == 1:
                await pause(1)
                shown = await self._act(awaited[0], rng)
                continue
            before = shown.public_seq
            for seat in rng.sample(awaited, len(awaited)):
                await pause(len(awaited))
                shown = await self._act(seat, rng)
                if shown.status != "running":
                    break
            if shown.public_seq == before:
                shown = (await self._moderator.close_phase()).view
        return self._played(shown)

    async def _act(self, seat: int, rng: Random) -> View:
        """Lets the seat's bot choose an action from its menu; returns the seat's view after it."""
        match = self._seats[seat]
        menu = await match.menu()
        if not menu.actions:
            return await match.view()
        self._actions += 1
        return (await match.act(any_action(menu.actions, rng))).view

    def _played(self, shown: View) -> Played:
        names = self._table.seats
        assert shown.result is not None, "bots play to the end"
        return Played(
            id=self.id,
            game=self._table.game,
            seats=names,
            actions=self._actions,
            winners=tuple(names[seat] for seat in shown.result.winners),
            keys=tuple(seat.key or "" for seat in self._made.seats),
            moderator_key=self._made.moderator_key or "",
        )


async def _at_once(awaited: int) -> None:
    """Bots need no pause."""


async def seated(service: AsyncArbiter, table: Table) -> Seated:
    """Creates and starts a match, as an organiser."""
    made = await service.create_match(table.game, table.seats, table.options, clock="none")
    await service.match(made.id).start()
    return Seated(service, table, made)
