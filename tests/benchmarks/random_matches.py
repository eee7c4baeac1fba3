"""Random matches, as records to measure with, and in a store."""

from random import Random
from typing import Any
from uuid import UUID

import msgspec

from domain.events import Event, Record
from domain.games import GAMES
from domain.games.twelve_chips.actions import Play
from domain.match.batches import batch
from domain.match.commands import Act, Command, NameSeat
from domain.match.decide import decide
from domain.match.events import MatchCreated
from domain.match.state import AnyGame, Match, awaited_draw, create, fold
from projections.audience.menu import Entry, entries
from service.application.matches.chance import answer_draw, commit_seed
from service.event_store.secret_store import MatchSecrets, SeedStored
from service.event_store.stream_ids import time_ordered
from service.instance import Instance
from tests.support.instance.appended_records import append_records
from tests.support.tables.directing import START

NAMES = ("Ann", "Ben", "Cleo", "Dan")
KEY = b"k" * 32
MATCH = "018bcfe5-6800-7000-8000-000000000000"
HIDDEN = MatchSecrets(KEY, (SeedStored(0, KEY, (b"s" * 16,) * len(NAMES)),))
BEGIN = 1_700_000_000_000_000


class Played:
    """A match that goes on on demand; `records` is its record so far. It draws from `hidden`."""

    def __init__(
        self,
        game: AnyGame,
        seats: int,
        options: dict[str, Any],
        seed: int = 1,
        name: str = MATCH,
        hidden: MatchSecrets = HIDDEN,
    ) -> None:
        chosen = msgspec.convert(options, game.Options)
        created = MatchCreated(game.id, game.rules_version, msgspec.to_builtins(chosen), seats)
        self.game = game
        self.created = created
        self.options = chosen
        self.match: Match = create(game, name, created, chosen)
        self.records: list[Record[Event]] = batch([created], BEGIN)
        self.rng = Random(seed)
        (stored,) = hidden.seeds
        of_seats = SeedStored(stored.epoch, stored.seed, stored.salts[:seats])
        self.hidden = hidden
        self.begun = 0
        names = NAMES[:seats]
        commit: Command = commit_seed(name, created, names, of_seats)
        for command in [commit, *(NameSeat(*one, bytes(16)) for one in enumerate(names))]:
            self._put(decide(game, self.match, command, BEGIN), BEGIN)
        self._do(START)

    def step(self) -> None:
        """The seat whose turn it is sends any action on its menu."""
        seat = self.match.awaiting.seats[0]
        offered = entries(self.game, self.game.legal(self.match.game, seat))
        sent = some(self.rng.choice(offered), self.rng)
        action = msgspec.convert(sent, self.game.Action)
        self._do(Act(seat, action, sent, f"key-{len(self.records)}", KEY))

    def try_out_of_turn(self) -> None:
        """A seat whose turn it is not sends an action, which is refused."""
        seat = (self.match.awaiting.seats[0] + 1) % self.created.seats
        self._do(Act(seat, Play(1), {"type": "play", "chip": 1}))

    def _do(self, command: Command) -> None:
        at = self.records[-1].at + 1_000
        self.begun = len(self.records)
        self._put(decide(self.game, self.match, command, at), at)
        while (draw := awaited_draw(self.game, self.match)) is not None:
            self._put(
                decide(self.game, self.match, answer_draw(self.hidden, self.match, draw), at), at
            )

    def _put(self, events: list[Event], at: int) -> None:
        self.match = fold(self.game, self.match, events)
        self.records += batch(events, at, len(self.records) - self.begun)


def some(entry: Entry, rng: Random) -> dict[str, Any]:
    """An action that the menu's entry allows."""
    if not entry.exact:
        return rng.choice(entry.examples)
    return {
        name: field["const"] if "const" in field else rng.choice(field["enum"])
        for name, field in entry.schema["properties"].items()
    }


def long_record(
    events: int, name: str = MATCH, hidden: MatchSecrets = HIDDEN
) -> list[Record[Event]]:
    """A record of 12 Chips, four seats, of this many events, before the match is over.

    To reach 100,000 events, a seat sometimes tries what it may not do.
    """
    played = Played(GAMES["twelve-chips"], 4, {"tokens_to_win": 100}, 1, name, hidden)
    while len(played.records) < events:
        assert played.match.status == "running"
        if played.rng.random() < 0.5:
            played.try_out_of_turn()
        played.step()
    return played.records[:events]


def put(instance: Instance, events: int) -> UUID:
    """A match of this many events in a store, with the secrets from which it drew."""
    match = time_ordered(BEGIN // 1000)
    hidden = instance.secret_store.create(match, len(NAMES), "server")
    append_records(instance.store, match, long_record(events, str(match), hidden))
    return match
