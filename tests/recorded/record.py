"""Records a match of every game in both chance modes, and one with committed seeds:
`python -m tests.recorded.record`.

Only what is missing is written. A recorded match must replay for ever, so none is made anew when
the rules change: it stays, and the change comes with an upcaster or a new version of the rules.
"""

from hashlib import sha256
from random import Random
from typing import Any
from uuid import UUID

import msgspec
from msgspec.structs import replace

from domain.commands import REUSED_KEY, Act, EnterDraw, GiveClientSeed, Pause, Resume, Start
from domain.game import RecordRule
from domain.games import GAMES
from domain.match_events import Chance, MatchCreated
from domain.match_state import AnyGame
from service.door.dealer import Hidden, SeedKept
from tests.machines import next_input, refusable
from tests.match_table import NOON, SECOND, MatchTable
from tests.recorded.files import recorded, write

OPTIONS: dict[str, dict[str, Any]] = {
    "dollar-prize": {"turn_seconds": 30, "tie_reflips": 2},
    "twelve-chips": {"turn_seconds": 30, "hand_colours_public": True, "tokens_to_win": 2},
    "together": {
        "garnets": (1, 0, 2, 1, 0, 1, 1, 1),
        "all_tied": "none_out",
        "start_tokens": {"A": 2, "B": 1},
        "garnet_per_tokens": 6,
    },
    "grouping-bw": {
        "variant": "final-match-2",
        "own_tile_visible": True,
        "bet_seconds": 30,
        "passes_per_set": 2,
        "chips": (10, 20),
        "items": (("bonus", "peek", "order"), ("order", "peek")),
        "ante_every_sets": 1,
        "leader_check": True,
        "starter_chooser": 0,
    },
}
LATENESS = {"grouping-bw": 0.25}
"""How often the end of a phase is what comes next, where one time in ten shows too little."""

NAMES = ("Ann", "Ben", "Čeněk", "D.", "Eve", "Fanny", "Gus", "Hö")
SEATS = {"together": 8}
"""How many take part, where it is not the fewest and the most who can."""


CLOSED = ("twelve-chips",)
"""Whose recorded match with committed seeds has a closed record."""

KINDS: dict[str, Chance] = {"server": "server", "manual": "manual", "seeded": "server"}
"""How matches are recorded; those of `server` are from before seeds were committed to."""


def record(game: AnyGame, kind: str) -> None:
    """Plays a match by luck, with everything in it that can stand in a record."""
    name, chance = f"{game.id}.{kind}", KINDS[kind]
    rng = Random(name)
    options = msgspec.convert(OPTIONS.get(game.id, {}), game.Options)
    count = SEATS.get(game.id, game.seats[-1 if kind == "server" else 0])
    seats = NAMES[:count]
    rule: RecordRule = "closed" if kind == "seeded" and game.id in CLOSED else "opened_at_end"
    given = msgspec.to_builtins(options)
    created = MatchCreated(game.id, game.rules_version, given, seats, chance, "rules", rule)
    match = UUID(bytes=rng.randbytes(16), version=4)
    kept = SeedKept(0, rng.randbytes(32), tuple(rng.randbytes(16) for _ in seats))
    table = MatchTable(game, created, NOON, Hidden(b"", (kept,)), str(match))
    if kind == "seeded":
        table.committed().when(GiveClientSeed(0, "dice")).when(GiveClientSeed(0, "more dice"))
    table.when(Start())
    while table.match.status == "running":
        interfere(table, rng)
        go_on(table, rng)
    write(name, table, kept, match)


def interfere(table: MatchTable, rng: Random) -> None:
    """Now and then a refused action, a reused key, a pause or an outcome that does not fit."""
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


def keyed(seat: int, action: Any, key: str) -> Act:
    """The action under an idempotency key, with its fingerprint."""
    sent = msgspec.json.decode(msgspec.json.encode(action))
    return Act(seat, action, sent, key, sha256(msgspec.json.encode(sent, order="sorted")).digest())


def go_on(table: MatchTable, rng: Random) -> None:
    """An input that the match waits for, under a new key if it is an action."""
    at, command = next_input(table, rng, LATENESS.get(table.game.id, 0.1))
    if isinstance(command, Act):
        command = keyed(command.seat, command.action, f"k{len(table.records)}")
    table.when(command, at)
    assert table.code is None


def main() -> None:
    for game in GAMES.values():
        for kind in KINDS:
            if f"{game.id}.{kind}" not in recorded():
                record(game, kind)


if __name__ == "__main__":
    main()
