"""Records a match of every game in both chance modes, and what else can be on a record: `python -m
tests.recorded.record`.

Each match is played by its name alone, so all are written anew, and the same inputs give the same
bytes. From the first release on a recorded match must replay forever: a change that alters any of
these files comes with an upcaster or a new version of the rules, and a recording of its own.
"""

from collections.abc import Callable, Iterator
from functools import partial
from hashlib import sha256
from random import Random
from typing import Any
from uuid import UUID

import msgspec
from msgspec.structs import replace

from domain.game import RecordRule, Result
from domain.games import GAMES
from domain.games.twelve_chips.actions import Enter
from domain.match.commands import (
    REUSED_KEY,
    Act,
    BeReady,
    CaseCommand,
    CloseCase,
    EndKey,
    EndProtests,
    GiveClientSeed,
    IssueKey,
    MoveDeadline,
    OpenCase,
    RenameSeat,
)
from domain.match.deadlines import HOUR, Absence
from domain.match.events import Chance, MatchCreated
from domain.match.state import AnyGame
from domain.rulings.commands import (
    ConsentToRuling,
    LapseRuling,
    RulingCommand,
    SecondRuling,
    WithdrawRuling,
)
from domain.rulings.kinds import (
    Confirm,
    Extend,
    Note,
    PauseMatch,
    ReplaceSeat,
    ResumeMatch,
    RuleResult,
    Ruling,
    VoidMatch,
)
from service.event_store.secret_store import MatchSecrets, SeedStored
from tests.recorded.files import FOLDER, Files, luck, recording_name, replace_files, written
from tests.support.game_support import Json
from tests.support.games import SUPPORT
from tests.support.instants import NOON, SECOND
from tests.support.tables.directing import START, enter_draw
from tests.support.tables.game_strategies import next_input, refusable
from tests.support.tables.match_table import MatchTable
from tests.support.tables.rewound_matches import PLAYED, REWOUND
from tests.support.tables.ruling_tables import ANN, BEN, FINN, rule

NAMES = ("Ann", "Ben", "Čeněk", "D.", "Eve", "Fanny", "Gus", "Hö")

KINDS: dict[str, Chance] = {
    "manual": "manual",
    "seeded": "server",
    "away": "manual",
    "expired": "server",
}
"""Where the chance of a match of this kind comes from. During those of `away` the service was away
at times; in those of `expired` the last choices were left to a deadline and to chance."""

MADE = ("manual", "seeded")
"""How a match of every game is recorded."""

RULED: dict[str, Ruling] = {
    "dollar-prize": RuleResult(Result((0,), (1,), False, (1, 0)), "forfeit"),
    "twelve-chips": VoidMatch("0199aa00-0000-7000-8000-000000000001"),
}
"""The games with a match recorded in which everything was ruled that can be, and how it ends."""

KEYS = "liars-dice"
"""The game with a match recorded in which keys were issued and ended."""

PROTESTED = ("dollar-prize", "liars-dice")
"""The games with a match recorded whose result was provisional: of one an organiser confirmed it
after it had been replaced, of the other the protest window ended."""

ENTERED = "twelve-chips"
"""The game with a match recorded in which seats entered their hands, which cannot all be right."""

TABLE = "dollar-prize"
"""The game with a match recorded that was played at an open table."""

AWAY = ("together", "twelve-chips")
"""The games with a match recorded during which the service was away: one waits for times of day,
the other for seconds."""

EXPIRED = "together"
"""The game with a match recorded in which a token of life was not given away and chance picked a
candidate."""


def record(game: AnyGame, kind: str) -> Files:
    """Plays a random match that contains everything that can be on a record."""
    name, chance, rng = recording_name(game, kind), KINDS[kind], luck(game, kind)
    recording = SUPPORT[game.id].recording
    options = msgspec.convert(recording.options, game.Options)
    seats = NAMES[: recording.seats or game.seats[0]]
    rule: RecordRule = "closed" if kind == "seeded" and recording.closed else game.records[0]
    given = msgspec.to_builtins(options)
    created = MatchCreated(game.id, game.rules_version, given, len(seats), chance, "rules", rule)
    match = UUID(bytes=rng.randbytes(16), version=4)
    kept = SeedStored(0, rng.randbytes(32), tuple(rng.randbytes(16) for _ in seats))
    secret = MatchSecrets(b"", (kept,))
    table = MatchTable(game, created, NOON, secret, str(match), seats)
    if kind == "seeded":
        table.when(GiveClientSeed(0, "dice")).when(GiveClientSeed(0, "more dice"))
    table.when(START)
    while table.match.status == "running":
        (go_away if kind == "away" else interfere)(table, rng)
        go_on(table, rng)
    return written(name, table, kept, match)


def record_ruled(game: AnyGame, end: Ruling) -> Files:
    """Plays a match in which every kind of ruling is made, and which one ends."""
    name, rng = recording_name(game, "ruled"), luck(game, "ruled")
    table, kept, match = started_table(game, rng)
    for command in rulings(end):
        if table.match.status == "running":
            go_on(table, rng)
        if isinstance(command, LapseRuling):
            table.when(rule("pause before it lapses", PauseMatch()), table.at)
            table.when(command, table.match.rulings.pending[0].lapses)
            table.when(rule("resume after it lapsed", ResumeMatch()), table.at)
        else:
            table.when(command, table.at)
    return written(name, table, kept, match)


def record_keys(game: AnyGame) -> Files:
    """Plays a match during which keys of a seat and of a moderator are issued and ended."""
    name, rng = recording_name(game, "keys"), luck(game, "keys")
    table, kept, match = started_table(game, rng)
    seat, moderator = (rng.randbytes(8).hex() for _ in range(2))
    table.when(IssueKey(seat, 0, None, FINN), table.at)
    go_on(table, rng)
    table.when(IssueKey(moderator, None, "Mo", FINN), table.at)
    table.when(EndKey(seat, 0, FINN), table.at)
    go_on(table, rng)
    table.when(EndKey(moderator, None, FINN), table.at)
    while table.match.status == "running":
        go_on(table, rng)
    return written(name, table, kept, match)


def record_protested(game: AnyGame) -> Files:
    """Plays a match to its end, in whose protest window keys are issued and rulings made."""
    name, rng = recording_name(game, "protested"), luck(game, "protested")
    table, kept, match = started_table(game, rng, protest_hours=48)
    while table.match.status == "running":
        go_on(table, rng)
    table.at += HOUR
    table.when(IssueKey(rng.randbytes(8).hex(), 0, None, FINN))
    table.when(rule("note", Note("seat:1", "You have until Sunday.", "clarification")))
    if name.startswith(PROTESTED[0]):
        another = Result((0, 1), (), True, (1, 1))
        table.when(rule("replaced", RuleResult(another, "adjudicated")))
        table.when(SecondRuling("replaced", FINN))
        table.when(rule("confirmed", Confirm()), table.at + HOUR)
    else:
        table.when(rule("given up", VoidMatch()), table.at + HOUR)
        table.when(LapseRuling("given up"), table.at + 24 * HOUR)
        until = table.match.protests_until
        assert until is not None, "the result is provisional"
        table.when(EndProtests(), until)
    return written(name, table, kept, match)


def record_rewound(game: AnyGame, kind: str) -> Files:
    """Plays a match that is rewound several times."""
    name, rng = recording_name(game, kind), luck(game, kind)
    table, kept, match = started_table(game, rng, REWOUND[kind][1])
    PLAYED[kind](table, rng)
    return written(name, table, kept, match)


def record_entered(game: AnyGame) -> Files:
    """Plays a match in which two hands have a chip that there is once."""
    name, rng = recording_name(game, "entered"), luck(game, "entered")
    options = {"hands": "entered", "tokens_to_win": 1}
    table, kept, match = started_table(game, rng, "manual", options)
    for seat, chips in ((0, (1, 3, 4, 6)), (0, (1, 2, 3, 4)), (0, (1, 2, 4, 5)), (1, (2, 3, 5, 6))):
        table.when(keyed(seat, Enter(chips), f"k{len(table.records)}"))
    while table.match.status == "running":
        go_on(table, rng)
    return written(name, table, kept, match)


def record_table(game: AnyGame, kind: str = "table") -> Files:
    """Plays a match at an open table: its seats are taken, both are ready, and so it starts. That
    after another table has two seats to take."""
    name, rng = recording_name(game, kind), luck(game, kind)
    more: Json = {"names": ("Ann", "Seat 2")}
    if kind == "again":
        before = UUID(bytes=rng.randbytes(16), version=4)
        more = {"names": ("Seat 1", "Seat 2"), "again": str(before)}
    table, kept, match = table_of_two(game, rng, table=True, **more)
    table.when(RenameSeat(1, "Ben", rng.randbytes(16)))
    if kind == "again":
        table.when(RenameSeat(0, "Ann", rng.randbytes(16)))
    table.when(BeReady(1)).when(BeReady(0))
    while table.match.status == "running":
        go_on(table, rng)
    return written(name, table, kept, match)


def started_table(
    game: AnyGame, rng: Random, chance: Chance = "server", options: Json | None = None, **more: Any
) -> tuple[MatchTable, SeedStored, UUID]:
    """A match of two that has just started, its seed, and its id."""
    table, kept, match = table_of_two(game, rng, chance, options=options, **more)
    return table.when(START), kept, match


def table_of_two(
    game: AnyGame,
    rng: Random,
    chance: Chance = "server",
    names: tuple[str, str] = NAMES[:2],
    options: Json | None = None,
    **more: Any,
) -> tuple[MatchTable, SeedStored, UUID]:
    """A match of two that has been created, its seed, and its id."""
    chosen = SUPPORT[game.id].recording.options if options is None else options
    given = msgspec.to_builtins(msgspec.convert(chosen, game.Options))
    created = MatchCreated(game.id, game.rules_version, given, 2, chance, "rules", **more)
    match = UUID(bytes=rng.randbytes(16), version=4)
    kept = SeedStored(0, rng.randbytes(32), tuple(rng.randbytes(16) for _ in range(created.seats)))
    secret = MatchSecrets(b"", (kept,))
    return MatchTable(game, created, NOON, secret, str(match), names), kept, match


def rulings(end: Ruling) -> Iterator[RulingCommand | CaseCommand]:
    """Every kind of ruling, carried out in every way, with cases that are opened, closed and
    appealed, and last the ruling that ends the match."""
    yield OpenCase("case 1")
    yield rule("extend", Extend(seconds=30), rule="4.2", case="case 1")
    yield OpenCase("case 1")
    yield OpenCase("case 2", FINN)
    yield CloseCase("case 1", FINN)
    for to in ("public", "seat:1", "sealed"):
        yield rule(f"note {to}", Note(to, "Bids are whole chips.", "clarification"))
    yield rule("appeal", Note("public", "It stands.", "uphold"), FINN, appeals="extend")
    yield rule("withdrawn", ReplaceSeat(0, "Zoe"), ask_seats=True)
    yield WithdrawRuling("withdrawn", FINN)
    yield rule("replaced", ReplaceSeat(1, "Zoe"), ask_seats=True)
    yield ConsentToRuling("replaced", 1)
    yield ConsentToRuling("replaced", 0)
    yield rule("asked", PauseMatch(), ANN, ask_seats=True)
    yield ConsentToRuling("asked", 1)
    yield SecondRuling("asked", FINN)
    yield rule("asked too", ResumeMatch(), BEN, ask_seats=True, rule="4.2")
    yield rule(
        "given up", RuleResult(Result((0, 1), (), True, (1, 1)), "adjudicated"), ANN, ask_seats=True
    )
    yield WithdrawRuling("given up", ANN)
    yield ConsentToRuling("asked too", 0)
    yield SecondRuling("asked too", FINN)
    yield rule("lapsed", VoidMatch())
    yield LapseRuling("lapsed")
    yield rule("end", end)
    yield SecondRuling("end", FINN)


def interfere(table: MatchTable, rng: Random) -> None:
    """Sometimes a refused action, a reused key, a pause or an outcome that does not fit. A
    game may allow a seat all of its actions."""
    seat = rng.choice(table.seats)
    refused = refusable(table, seat)
    refused = rng.sample(refused, min(2, len(refused)))
    chance = rng.random()
    if refused and chance < 0.08:
        table.act(seat, refused[0])
    elif len(refused) == 2 and chance < 0.12:
        action, another = refused
        key = f"k{len(table.records)}"
        table.when(keyed(seat, action, key))
        table.when(replace(keyed(seat, another, key), refuse=REUSED_KEY))
    elif chance < 0.15:
        table.pause(table.at + SECOND).resume(table.at + 60 * SECOND)
    draw = table.draw
    if draw is not None and chance > 0.8:
        table.when(enter_draw(draw.id, ("edge",)))


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


def recordings() -> Iterator[tuple[str, str, Callable[[AnyGame], Files]]]:
    """Every recorded match: its game, its kind, and what plays it."""
    for name in GAMES:
        yield from ((name, kind, partial(record, kind=kind)) for kind in MADE)
    for name, end in RULED.items():
        yield name, "ruled", partial(record_ruled, end=end)
    yield KEYS, "keys", record_keys
    for kind, (name, _) in REWOUND.items():
        yield name, kind, partial(record_rewound, kind=kind)
    yield from ((name, "protested", record_protested) for name in PROTESTED)
    yield from ((name, "away", partial(record, kind="away")) for name in AWAY)
    yield ENTERED, "entered", record_entered
    yield TABLE, "table", record_table
    yield TABLE, "again", partial(record_table, kind="again")
    yield EXPIRED, "expired", partial(record, kind="expired")


def main() -> None:
    """Writes when all are played: until then the old ones stay."""
    played = [play(GAMES[name]) for name, _, play in recordings()]
    replace_files(FOLDER, ("*.jsonl", "*.json"), played)


if __name__ == "__main__":
    main()
