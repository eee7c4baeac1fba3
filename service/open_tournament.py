"""A tournament held in memory: its state, what everybody sees of it, and its postings."""

import asyncio
from collections.abc import Sequence
from uuid import UUID

from msgspec import Struct

from domain.events import Event, Record
from domain.tournament_events import GarnetsPosted
from domain.tournament_state import NOTHING_YET, Tournament, fold
from projections.tournaments import Shown, show
from service.storage.store import Row, rows


class Posted(Struct, frozen=True, gc=False):
    """A posting, numbered in its reader's own count, and when it was recorded."""

    seq: int
    at: int
    event: GarnetsPosted


Postings = list[tuple[int, GarnetsPosted]]
"""Each with the instant under which it is on record."""


class OpenTournament:
    """One tournament in memory, as committed. `lock` lets its commands in one by one, `users` are
    those who hold it or wait for it."""

    __slots__ = (
        "_all",
        "_by_player",
        "at",
        "id",
        "length",
        "loaded",
        "lock",
        "shown",
        "state",
        "users",
    )

    def __init__(self, tournament_id: UUID) -> None:
        self.id = tournament_id
        self.lock = asyncio.Lock()
        self.users = 0
        self.forget()

    def forget(self) -> None:
        """Drops what was read; the store knows."""
        self.loaded = False
        self.state = NOTHING_YET
        self.shown = Shown()
        self.length = 0
        self.at = 0
        self._all: Postings = []
        self._by_player: dict[int, Postings] = {}

    def load(self, loaded: "Loaded") -> None:
        """Takes in what was read of a tournament that exists."""
        self.state, self.shown = loaded.state, loaded.shown
        self.length, self.at = loaded.length, loaded.at
        self._all, self._by_player = loaded.postings, loaded.by_player
        self.loaded = True

    def extend(self, records: Sequence[Record[Event]]) -> None:
        """Takes in what has just been committed."""
        events = [record.event for record in records]
        self.state = fold(self.state, events)
        self.shown = show(self.shown, events)
        self.length += len(records)
        self.at = records[-1].at
        _sort(records, self._all, self._by_player)
        self.loaded = True

    def drafted(self, events: Sequence[Event], now: int) -> tuple[list[Record[Event]], list[Row]]:
        """Events as they would be recorded next, at a time that never decreases."""
        records = [Record(max(now, self.at), event) for event in events]
        return records, rows(self.id, self.length, records)

    def postings(self, player: int | None, after: int, limit: int) -> tuple[list[Posted], bool]:
        """A page of a player's postings, or of all of them, counted 1, 2, 3 for whoever reads; and
        whether there are more."""
        wanted = self._all if player is None else self._by_player.get(player, [])
        page = [
            Posted(seq, at, event)
            for seq, (at, event) in enumerate(wanted[after : after + limit], after + 1)
        ]
        return page, after + limit < len(wanted)


class Loaded(Struct):
    """A whole record, and what it comes to."""

    state: Tournament
    shown: Shown
    length: int
    at: int
    postings: Postings
    by_player: dict[int, Postings]


def loaded(records: Sequence[Record[Event]]) -> Loaded:
    """What the whole record of a tournament comes to."""
    events = [record.event for record in records]
    postings: Postings = []
    by_player: dict[int, Postings] = {}
    _sort(records, postings, by_player)
    state, shown = fold(NOTHING_YET, events), show(Shown(), events)
    return Loaded(state, shown, len(records), records[-1].at, postings, by_player)


def _sort(
    records: Sequence[Record[Event]], postings: Postings, by_player: dict[int, Postings]
) -> None:
    """Puts the postings among the records with those before them."""
    for record in records:
        if isinstance(record.event, GarnetsPosted):
            posting = record.at, record.event
            postings.append(posting)
            by_player.setdefault(record.event.seat, []).append(posting)
