"""Plays a seat to the end of a match, from its menu alone."""

from collections.abc import Callable
from inspect import isawaitable  # only with an event loop
from typing import TYPE_CHECKING

from arbiter_client.answers import AsyncChoose, Event, Result, View
from arbiter_client.problems import Conflict, HistoryWentBack, Stale

if TYPE_CHECKING:
    from arbiter_client.asynchronous.match import AsyncMatch
    from arbiter_client.asynchronous.play import AsyncPlay

AWAITING_CHANGED = "match.awaiting-changed.1"
NOT_RUNNING = "match_not_running"
ALLOWED_AGAIN = ("match.resumed.1", "match.rewound.1")
"""Events behind which the menu may have something that it had not before."""


async def played(
    match: "AsyncMatch", choose: AsyncChoose, on_event: Callable[[Event], object] | None
) -> Result | None:
    """Plays the match of a seat; returns its result."""
    while True:
        view = await match.view()
        try:
            async with match.play(view) as play:
                await Bot(match, play, choose).run(view, on_event)
            return (await match.view()).result
        except HistoryWentBack:
            continue  # There is nothing to forget: it looks at the match as it is.


class Bot:
    """A seat that acts whenever the match waits for it."""

    def __init__(self, match: "AsyncMatch", play: "AsyncPlay", choose: AsyncChoose) -> None:
        self._match = match
        self._play = play
        self._choose = choose

    async def run(self, view: View, on_event: Callable[[Event], object] | None) -> None:
        """Plays from this view on to the end of the match."""
        seat = int(view.audience.removeprefix("seat:"))
        seen = await self._act(view, seat)
        async for event in self._play:
            if on_event is not None:
                on_event(event)
            if event.seq > seen and _wakes(event, seat):
                seen = await self._act(await self._match.view(), seat)

    async def _act(self, view: View, seat: int) -> int:
        """Acts as long as the match waits for this seat alone; once if it waits for others, too:
        they act in secret, and all stay awaited until the phase ends. Returns the number of the
        last view that it looked at."""
        while seat in view.awaiting.seats:
            menu = await self._match.menu()
            if not menu.awaited or menu.submitted or not menu.actions:
                break
            chosen = self._choose(menu, view)
            if isawaitable(chosen):  # only with an event loop
                chosen = await chosen  # only with an event loop
            try:
                taken = await self._play.act(chosen, if_match=view)
            except Stale:
                before, view = view, await self._match.view()
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
    """Whether the seat may have something to do behind the event."""
    if event.type == AWAITING_CHANGED:
        return seat in event.data["seats"]
    return event.type in ALLOWED_AGAIN
