"""Random matches, as records to measure with, and in a store."""

from random import Random
from typing import Any
from uuid import UUID

import msgspec

from domain.events import Event, Record
from domain.games import GAMES
from domain.games.twelve_chips.actions import Play
from domain.match.commands import Act
from domain.match.events import MatchCreated
from domain.match.state import AnyGame, convert_action
from service.cli.simulating.simulation import some
from service.event_store.secret_store import MatchSecrets
from service.event_store.stream_ids import time_ordered
from service.instance import Instance
from tests.support.instance.appended_records import append_records
from tests.support.tables.directing import START
from tests.support.tables.match_table import MATCH, MatchTable

NAMES = ("Ann", "Ben", "Cleo", "Dan")
FINGERPRINT = b"k" * 32
BEGIN = 1_700_000_000_000_000


def begun(
    game: AnyGame,
    seats: int,
    options: dict[str, Any],
    match: str = MATCH,
    hidden: MatchSecrets | None = None,
) -> MatchTable:
    """A match that has begun; it draws from `hidden`."""
    chosen = msgspec.to_builtins(msgspec.convert(options, game.Options))
    created = MatchCreated(game.id, game.rules_version, chosen, seats)
    return MatchTable(game, created, BEGIN, hidden, match, NAMES[:seats]).when(START)


def step(table: MatchTable, rng: Random) -> None:
    """The seat whose turn it is sends any action on its menu."""
    seat = table.match.awaiting.seats[0]
    sent = some(rng.choice(table.game.legal(table.match.game, seat)), rng)
    key = f"key-{len(table.records)}"
    act = Act(seat, convert_action(table.game, sent), sent, key, FINGERPRINT)
    table.when(act, table.at + 1_000)


def long_record(
    events: int, match: str = MATCH, hidden: MatchSecrets | None = None
) -> list[Record[Event]]:
    """A record of 12 Chips, four seats, of this many events, before the match is over.

    To reach 100,000 events, a seat sometimes tries what it may not do.
    """
    table = begun(GAMES["twelve-chips"], 4, {"tokens_to_win": 100}, match, hidden)
    rng = Random(1)
    while len(table.records) < events:
        assert table.match.status == "running"
        if rng.random() < 0.5:
            seat = (table.match.awaiting.seats[0] + 1) % 4
            table.act(seat, Play(1), at=table.at + 1_000)
        step(table, rng)
    return table.records[:events]


def put(instance: Instance, events: int) -> UUID:
    """A match of this many events in a store, with the secrets from which it drew."""
    match = time_ordered(BEGIN // 1000)
    hidden = instance.secret_store.create(match, len(NAMES), "server")
    append_records(instance.store, match, long_record(events, str(match), hidden))
    return match
