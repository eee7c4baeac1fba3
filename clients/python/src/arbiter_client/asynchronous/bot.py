"""Plays a seat to the end of a match, from its menu alone."""

from collections.abc import AsyncIterable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from inspect import isawaitable
from typing import Any, Protocol

from arbiter_client.answers import AsyncChoose, Event, Menu, Result, Taken, View
from arbiter_client.problems import Conflict, HistoryWentBack, Stale

AWAITING_CHANGED = "match.awaiting-changed.1"
NOT_RUNNING = "match_not_running"
ALLOWED_AGAIN = ("match.resumed.1", "match.rewound.1")
"""Events after which the menu may have something that it had not before."""


class Seat(Protocol):
    """The match of a seat, as far as a bot looks at it and acts in it."""

    async def view(self) -> View: ...

    async def menu(self) -> Menu: ...

    async def act(self, action: Mapping[str, Any], *, if_match: View) -> Taken: ...

    def play(self, after: View) -> AbstractAsyncContextManager[AsyncIterable[Event]]: ...


async def played(
    match: Seat, choose: AsyncChoose, on_event: Callable[[Event], object] | None
) -> Result | None:
    """Plays the match of a seat, which acts whenever the match waits for it; returns its result."""
    while True:
        view = await match.view()
        seat = int(view.audience.removeprefix("seat:"))
        try:
            async with match.play(view) as play:
                seen = await _act(match, choose, view, seat)
                async for event in play:
                    if on_event is not None:
                        on_event(event)
                    if event.seq > seen and _wakes(event, seat):
                        seen = await _act(match, choose, await match.view(), seat)
            return (await match.view()).result
        except HistoryWentBack:
            continue  # There is nothing to forget: it looks at the match as it is.


async def _act(match: Seat, choose: AsyncChoose, view: View, seat: int) -> int:
    """Acts as long as the match waits for this seat alone; once if it waits for others, too: they
    act in secret, and all stay awaited until the phase ends. Returns the number of the last view
    that it looked at."""
    while seat in view.awaiting.seats:
        menu = await match.menu()
        if not menu.awaited or menu.submitted or not menu.actions:
            break
        chosen = choose(menu, view)
        action = await chosen if isawaitable(chosen) else chosen
        try:
            taken = await match.act(action, if_match=view)
        except Stale:
            before, view = view, await match.view()
            if view.seq == before.seq:
                raise
            continue
        except Conflict as conflict:
            if conflict.code != NOT_RUNNING:
                raise
            break  # It was paused or has ended: an event says so.
        if view.awaiting.seats != (seat,) or not taken.receipt.valid:
            break
        view = taken.view
    return view.seq


def _wakes(event: Event, seat: int) -> bool:
    """Whether the seat may have something to do after the event."""
    if event.type == AWAITING_CHANGED:
        return seat in event.data["seats"]
    return event.type in ALLOWED_AGAIN
