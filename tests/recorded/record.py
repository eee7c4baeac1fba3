"""Records a match of every game in both chance modes, and one with committed seeds: `python -m
tests.recorded.record`.

Only missing matches are recorded. A recorded match must replay for ever, so none is recorded again
when the rules change: it stays, and the change comes with an upcaster or a new version of the
rules.
"""

from hashlib import sha256
from random import Random
from typing import Any
from uuid import UUID

import msgspec
from msgspec.structs import replace

from domain.commands import (
    REUSED_KEY,
    Act,
    EnterDraw,
    GiveClientSeed,
    MoveDeadline,
    Pause,
    Resume,
    Start,
)
from domain.deadlines import HOUR, Absence
from domain.game import RecordRule
from domain.games import GAMES
from domain.match_events import Chance, MatchCreated
from domain.match_state import AnyGame
from service.event_store.secret_store import MatchSecrets, SeedStored
from tests.recorded.files import recorded, recording_name, write
from tests.support.games import SUPPORT
from tests.support.instants import NOON, SECOND
from tests.support.tables.game_strategies import next_input, refusable
from tests.support.tables.match_table import MatchTable

NAMES = ("Ann", "Ben", "Čeněk", "D.", "Eve", "Fanny", "Gus", "Hö")

KINDS: dict[str, Chance] = {
    "server": "server",
    "manual": "manual",
    "seeded": "server",
    "away": "manual",
}
"""How matches are recorded; those of `server` are from before seeds were committed to, and no new
one is recorded. During those of `away` the service was away at times."""

MADE = ("manual", "seeded")
"""How a match of every game is recorded."""

AWAY = ("together", "twelve-chips")
"""The games with a match recorded during which the service was away: one waits for times of day,
the other for seconds."""


def record(game: AnyGame, kind: str) -> None:
    """Plays a random match that contains everything that can be on a record."""
    name, chance = recording_name(game, kind), KINDS[kind]
    rng = Random(name)
    recording = SUPPORT[game.id].recording
    options = msgspec.convert(recording.options, game.Options)
    seats = NAMES[: recording.seats or game.seats[-1 if kind == "server" else 0]]
    rule: RecordRule = "closed" if kind == "seeded" and recording.closed else game.records[0]
    given = msgspec.to_builtins(options)
    created = MatchCreated(game.id, game.rules_version, given, seats, chance, "rules", rule)
    match = UUID(bytes=rng.randbytes(16), version=4)
    kept = SeedStored(0, rng.randbytes(32), tuple(rng.randbytes(16) for _ in seats))
    table = MatchTable(game, created, NOON, MatchSecrets(b"", (kept,)), str(match))
    if kind == "seeded":
        table.committed().when(GiveClientSeed(0, "dice")).when(GiveClientSeed(0, "more dice"))
    table.when(Start())
    while table.match.status == "running":
        (go_away if kind == "away" else interfere)(table, rng)
        go_on(table, rng)
    write(name, table, kept, match)


def interfere(table: MatchTable, rng: Random) -> None:
    """Sometimes a refused action, a reused key, a pause or an outcome that does not fit."""
    seat = rng.choice(table.seats)
    action, another = rng.sample(refusable(table, seat), 2)
    luck = rng.random()
    if luck < 0.08:
        table.act(seat, action)
    elif luck < 0.12:
        key = f"k{len(table.records)}"
        table.when(keyed(seat, action, key))
        table.when(replace(keyed(seat, another, key), refuse=REUSED_KEY))
    elif luck < 0.15:
        table.when(Pause(), table.at + SECOND).when(Resume(), table.at + 60 * SECOND)
    draw = table.draw
    if draw is not None and luck > 0.8:
        table.when(EnterDraw(draw.id, ("edge",)))


def go_away(table: MatchTable, rng: Random) -> None:
    """Sometimes, while a deadline is in force, the service is away for some seconds or hours."""
    if table.due is not None and rng.random() < 0.3:
        ended = table.at + rng.choice((20 * SECOND, 5 * HOUR + 7))
        table.when(MoveDeadline(Absence(table.at, ended)), ended)


def keyed(seat: int, action: Any, key: str) -> Act:
    """The action under an idempotency key, with its fingerprint."""
    sent = msgspec.json.decode(msgspec.json.encode(action))
    return Act(seat, action, sent, key, sha256(msgspec.json.encode(sent, order="sorted")).digest())


def go_on(table: MatchTable, rng: Random) -> None:
    """An input that the match waits for, under a new key if it is an action."""
    at, command = next_input(table, rng, SUPPORT[table.game.id].recording.lateness)
    if isinstance(command, Act):
        command = keyed(command.seat, command.action, f"k{len(table.records)}")
    table.when(command, at)
    assert table.code is None


def main() -> None:
    for game in GAMES.values():
        for kind in MADE:
            if recording_name(game, kind) not in recorded():
                record(game, kind)
    for name in AWAY:
        if recording_name(GAMES[name], "away") not in recorded():
            record(GAMES[name], "away")


if __name__ == "__main__":
    main()
