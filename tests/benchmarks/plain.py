"""Dollar Prize in the style of the library's manual: an aggregate for each match, in an
`Application`.

The rules are the same functions, so that only the way of recording differs: every command reads its
match from the store, event by event, and saves its events in a transaction of its own.
"""

import time
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
from eventsourcing.application import Application
from eventsourcing.domain import Aggregate

from domain.games import GAMES, AnyEvent
from domain.match.commands import Act, Command, NameSeat
from domain.match.decide import decide
from domain.match.events import MatchCreated
from domain.match.fold import fold
from domain.match.state import AnyGame, Match, awaited_draw, create
from service.application.matches.chance import answer_draw, commit_seed
from service.event_store.secret_store import MatchSecrets, SeedStored
from tests.support.tables.directing import START
from tests.support.tables.match_table import MATCH

GAME = GAMES["dollar-prize"]
KEY = b"k" * 32
HIDDEN = MatchSecrets(KEY, (SeedStored(0, KEY, (b"s" * 16,) * 2),))
SECONDS_TO_WAIT = "60"
"""Seconds that a command waits for its turn with the store, where the library's default is to give
up."""


class PlainMatch(Aggregate):
    """A match; its events are those of the game, as the library's transcoder takes them."""

    state: Match

    def __init__(self, game: str, options: dict[str, Any], seats: list[str]) -> None:
        self.game: AnyGame = GAMES[game]
        self.options = msgspec.convert(options, self.game.Options)
        fields = msgspec.to_builtins(self.game.complete(self.options, len(seats)))
        created = MatchCreated(self.game.id, self.game.rules_version, fields, len(seats))
        self.names = seats
        self.state = create(self.game, MATCH, created, self.options)

    def start(self) -> None:
        """Commits to the seed, names the seats, and starts."""
        self._do(commit_seed(MATCH, self.state.created, self.names, HIDDEN.seeds[0]))
        for seat, name in enumerate(self.names):
            self._do(NameSeat(seat, name, bytes(16)))
        self._do(START)

    def act(self, command: Act) -> None:
        """A seat's action, and its consequences. Raises Conflict."""
        self._do(command)

    def _do(self, command: Command) -> None:
        now = time.time_ns() // 1000
        for event in decide(self.game, self.state, command, now):
            self.trigger_event(Happened, at=now, fields=msgspec.to_builtins(event))
        if (draw := awaited_draw(self.game, self.state)) is not None:
            self._do(answer_draw(HIDDEN, self.state, draw))


class Happened(Aggregate.Event):
    """An event of the game."""

    at: int
    fields: dict[str, Any]

    def apply(self, aggregate: Any) -> None:
        event = msgspec.convert(self.fields, AnyEvent)
        aggregate.state = fold(aggregate.game, aggregate.state, (event,))


class PlainMatches(Application[UUID]):
    """The commands on matches."""

    def open(self, seats: list[str]) -> UUID:
        """A new match."""
        match = PlainMatch(GAME.id, {}, seats)
        self.save(match)
        return match.id

    def start(self, match_id: UUID) -> Match:
        """Starts a match; returns its state."""
        match: PlainMatch = self.repository.get(match_id)
        match.start()
        self.save(match)
        return match.state

    def act(self, match_id: UUID, command: Act) -> Match:
        """Applies a seat's action; returns the match's state when that is on disk."""
        match: PlainMatch = self.repository.get(match_id)
        match.act(command)
        self.save(match)
        return match.state


def plain_store(folder: Path, store: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of the library's own store: on the PostgreSQL of `store`, or on SQLite."""
    if store is None:
        return {
            "PERSISTENCE_MODULE": "eventsourcing.sqlite",
            "SQLITE_DBNAME": f"{folder}/plain.db",
            "SQLITE_LOCK_TIMEOUT": SECONDS_TO_WAIT,
        }
    waiting = {"POSTGRES_LOCK_TIMEOUT": SECONDS_TO_WAIT, "POSTGRES_POOL_TIMEOUT": SECONDS_TO_WAIT}
    return {**store, **waiting, "PERSISTENCE_MODULE": "eventsourcing.postgres"}


def action(seat: int, sent: dict[str, Any]) -> Act:
    """A seat's action, as the rules take it. Raises msgspec.ValidationError."""
    return Act(seat, msgspec.convert(sent, GAME.Action), sent)


@cache
def pennies(seat: int, phase: str, placed: bool) -> Act:
    """The action of a player who only ever takes pennies."""
    if phase == "choose_side":
        return action(seat, {"type": "choose_side", "side": "heads"})
    if phase == "exchange":
        return action(seat, {"type": "keep"})
    return action(seat, {"type": "end_turn"} if placed else {"type": "place", "coin": "penny"})
