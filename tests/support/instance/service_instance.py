"""An instance of the service on a file of its own, and its commands, without HTTP."""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from threading import Event as ThreadEvent
from typing import Any, TypeVar
from uuid import UUID

import msgspec

from domain.events import Event, Record
from domain.games.dollar_prize.actions import EndTurn
from domain.match.commands import Act
from domain.match.events import Chance, ClockRule
from projections.audience import menu
from projections.audience.disclosure import Viewer
from projections.audience.view import AudienceState, see_all, view
from service.application.matches.command_queue import CommandResponse
from service.application.matches.creation import NewMatch
from service.event_store.database import embedded
from service.event_store.recorder import Length, Row
from service.event_store.store import Store
from service.instance import Instance
from service.settings import Settings
from service.signing.receipts import Receipted
from tests.support.tables import own_events
from tests.support.tables.directing import START

E = TypeVar("E")

PATIENCE = 10.0
"""Seconds after which a test that waits in vain fails."""

NOT_NOW = EndTurn()
"""An action that Dollar Prize refuses before the first turn, however often it is sent."""


def settings(path: Path) -> Settings:
    return Settings(store=embedded(path))


class WatchedStore(Store):
    """Counts its transactions; can be blocked, and can be made to fail.

    `before` fails an append that has not begun, `after` one that is on disk already.
    """

    def __init__(self, env: dict[str, str]) -> None:
        super().__init__(env)
        self.appended: list[int] = []
        self.before: deque[Exception] = deque()
        self.after: deque[Exception] = deque()
        self.open = ThreadEvent()
        self.open.set()
        self.reached = ThreadEvent()

    def append(
        self, rows: Sequence[Row], unchanged: Sequence[Length] = (), digests: Sequence[Row] = ()
    ) -> None:
        self.reached.set()
        if not self.open.wait(PATIENCE):
            raise TimeoutError
        if self.before:
            raise self.before.popleft()
        super().append(rows, unchanged, digests)
        self.appended.append(len(rows))
        if self.after:
            raise self.after.popleft()

    def block(self) -> None:
        """From now on appends wait for `open`."""
        self.open.clear()
        self.reached.clear()

    async def blocked(self) -> None:
        """Returns when an append waits."""
        assert await asyncio.to_thread(self.reached.wait, PATIENCE)


def watched(instance: Instance) -> WatchedStore:
    assert isinstance(instance.store, WatchedStore)
    return instance.store


async def created(
    instance: Instance,
    game: str = "dollar-prize",
    options: dict[str, Any] | None = None,
    chance: Chance = "server",
    clock: ClockRule = "none",
) -> UUID:
    """A match of Ann and Ben that has not been started."""
    names = ("Ann", "Ben")
    opened = await instance.creation.match(
        NewMatch(game, names, options or {}, chance, clock, "opened_at_end")
    )
    return opened.id


async def started(
    instance: Instance,
    game: str = "dollar-prize",
    options: dict[str, Any] | None = None,
    chance: Chance = "server",
    clock: ClockRule = "none",
) -> UUID:
    """A running match of Ann and Ben."""
    match_id = await created(instance, game, options, chance, clock)
    await instance.matches.execute(match_id, START, "moderator")
    return match_id


def sends(seat: int, action: Any, key: str | None = None) -> Act:
    """The action as the API parses it."""
    canonical = msgspec.json.encode(action)
    fingerprint = None if key is None else sha256(canonical).digest()
    return Act(seat, action, msgspec.json.decode(canonical), key, fingerprint)


async def tried(instance: Instance, match_id: UUID) -> CommandResponse | None:
    """The first seat that this instance believes to be awaited, and that may act, sends the first
    action on its menu; None when the match is over."""
    opened, _ = await instance.sessions.projection(match_id, "public")
    assert opened.game is not None and opened.match is not None
    if opened.match.status != "running":
        return None
    menus = (
        (seat, menu.answer(opened.game, opened.match, seat).actions)
        for seat in opened.match.awaiting.seats
    )
    seat, offered = next((seat, actions) for seat, actions in menus if actions)
    action = msgspec.convert(offered[0].examples[0], opened.game.Action)
    return await instance.matches.execute(match_id, sends(seat, action), seat)


async def someone_acts(instance: Instance, match_id: UUID) -> bool:
    """The awaited seat sends the first action on its menu; False when the match is over."""
    answer = await tried(instance, match_id)
    assert answer is None or answer.result.code is None
    return answer is not None


async def receipts_of(instance: Instance, match_id: UUID, seat: int) -> list[Receipted]:
    """All receipts of a seat, with what opens their commitments."""
    loaded, own = await instance.sessions.projection(match_id, seat, receipts=True)
    key = loaded.secrets.log_key
    return await instance.receipts.list_receipts(match_id, loaded.noted(seat), key, own.own_rows())


def on_record(instance: Instance, match_id: UUID) -> list[Record[Event]]:
    """The record as it is stored."""
    return instance.store.read(match_id)


def recorded(instance: Instance, stream: UUID, kind: type[E]) -> list[E]:
    """The events of a kind, as they are stored."""
    return [one.event for one in on_record(instance, stream) if isinstance(one.event, kind)]


def seen(records: Sequence[Record[Event]], match_id: UUID, game: str, viewer: Viewer) -> bytes:
    """The audience's view, folded from the first record on."""
    state = see_all(AudienceState(viewer), records)
    return msgspec.json.encode(view(str(match_id), game, state))


def lines_of(records: Sequence[Record[Event]]) -> list[bytes]:
    """The lines of an audience whose records these are, as JSON."""
    return [msgspec.json.encode(one) for one in own_events.lines_of(enumerate(records, 1))]


async def without_projections(
    instance: Instance, match_id: UUID, viewers: Sequence[Viewer]
) -> None:
    """Drops what these audiences know, as when their board has failed: their next readers read it
    anew."""
    loaded = await instance.sessions.cached(match_id)
    for viewer in viewers:
        loaded.projections.unread(viewer)


async def positions_of(instance: Instance, match_id: UUID, viewer: Viewer) -> Sequence[int]:
    """The positions of the audience's events in the match's stream."""
    _, projection = await instance.sessions.projection(match_id, viewer)
    return projection.positions


Decide = Callable[[Any, int, Any], Sequence[Event]]


def faulty(decide: Decide, at: type) -> Decide:
    """The same decider, but with a bug in actions of one type."""

    def decided(state: Any, seat: int, action: Any) -> Sequence[Event]:
        if isinstance(action, at):
            raise ZeroDivisionError
        return decide(state, seat, action)

    return decided
