"""Records bundles of matches of every game and option: `python -m tests.corpus.record`.

All are written anew, from the recorded matches and from matches that are played by their names
alone, so the same inputs give the same bytes. A change of rules that alters any of them needs a new
`rules_version`, and the old rules stay in `domain.games.OLDER`.
"""

from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

import msgspec

from domain.game import RecordRule
from domain.games import GAMES, rules_of
from domain.match.commands import Act, GiveClientSeed
from domain.match.events import MatchCreated
from projections.audience.disclosure import PUBLIC_VIEWER, Viewer, name_audience
from projections.evidence.bundle import MatchLog
from service.event_store.secret_store import MatchSecrets, SeedStored
from tests.recorded.files import (
    Files,
    created,
    luck,
    outcome,
    recording_name,
    replace_files,
    states,
)
from tests.recorded.files import recorded as matches
from tests.support.evidence.forged_bundles import saved_creation
from tests.support.evidence.signed_bundles import KEYS, LOG_KEY, bundled, log_of
from tests.support.game_support import Json
from tests.support.games import SUPPORT, bundles
from tests.support.instants import NOON
from tests.support.tables.directing import START
from tests.support.tables.game_strategies import next_input, refusable
from tests.support.tables.match_table import MatchTable

FOLDER = Path(__file__).parent
KEY_FILE = "keys"
NOTE = ".note"
"""How the name of a file ends that has the creation note of the match in the bundle of the same
name."""
NAMES = ("Ann", "Ben", "Čeněk", "D.", "Eve", "Fanny", "Gus", "Hö", "Ida", "Jo", "Kai", "Lu")
TRIES = 12
"""Number of random matches of which one is recorded: the one in which most happens, in the fewest
events."""

PARTIAL = ("liars-dice.0.server", "together.0.server", "recorded.grouping-bw.rewound")
"""The bundles next to which lie those of the same matches for the public and for seat 0, which do
not open everything: an open record, a closed one, and one with rewinds."""
OTHERS: tuple[Viewer, ...] = (PUBLIC_VIEWER, 0)
PARTS = FOLDER / "partial"

NOTED = (".seeded", "liars-dice.manual")
"""How the names of those recorded matches end next to whose bundle lies the creation note."""


def recorded() -> list[Path]:
    """The existing bundles."""
    return sorted(FOLDER.glob("*.arb"))


def partial() -> list[Path]:
    """The existing bundles that do not open everything."""
    return sorted(PARTS.glob("*.arb"))


def saved_beside(path: Path) -> list[str]:
    """The note that is saved of the match in a bundle, if there is one."""
    note = path.with_suffix(NOTE)
    return [note.read_text()] if note.exists() else []


def record(game: str, number: int, chosen: tuple[int, Json], chance: str) -> Files:
    """The best of some random matches, in a bundle that opens everything."""
    tables = [_played(game, number, chosen, chance, attempt) for attempt in range(TRIES)]
    table = min(tables, key=lambda played: (-kinds(played), len(played.records)))
    name = recording_name(GAMES[game], f"{number}.{chance}")
    return _written(name, log_of(table.records, table.match.id, table.hidden.log_key))


def _written(name: str, log: MatchLog) -> Files:
    """The bundle that opens everything, and perhaps others."""
    files = {f"{name}.arb": bundled(log)}
    for audience in OTHERS if name in PARTIAL else ():
        kind = name_audience(audience).replace(":", "-")
        files[f"{PARTS.name}/{name}.{kind}.arb"] = bundled(log, audience)
    return files


def kinds(table: MatchTable) -> int:
    """How many kinds of events there are in a match."""
    return len({type(event) for event in table.events})


def _played(
    game: str, number: int, chosen: tuple[int, Json], chance: Any, attempt: int
) -> MatchTable:
    rules = GAMES[game]
    rng = luck(rules, f"{number}.{chance}/{attempt}")
    seats, given = chosen
    options = rules.complete(msgspec.convert(given, rules.Options), seats)
    closed: RecordRule = "closed" if number == 1 else rules.records[0]
    created = MatchCreated(
        game,
        rules.rules_version,
        msgspec.json.decode(msgspec.json.encode(options)),
        seats,
        chance,
        "rules" if number % 2 or SUPPORT[game].sealed else "none",
        closed,
    )
    salts = tuple(rng.randbytes(16) for _ in range(seats))
    hidden = MatchSecrets(rng.randbytes(32), (SeedStored(0, rng.randbytes(32), salts),))
    match = str(UUID(bytes=rng.randbytes(16), version=4))
    table = MatchTable(rules, created, NOON, hidden, match, NAMES[:seats])
    if chance == "server":
        for seat in range(0, seats, 2):
            table.when(GiveClientSeed(seat, f"luck {seat}"))
    table.when(START)
    while table.match.status == "running":
        _go_on(table, rng)
    return table


def _go_on(table: MatchTable, rng: Random) -> None:
    """An input that advances the match; sometimes a refused one before it."""
    if rng.random() < 0.1:
        seat = rng.choice(table.seats)
        if refused := refusable(table, seat):
            table.act(seat, rng.choice(refused))
    at, command = next_input(table, rng, 0.15)
    if isinstance(command, Act):
        raw = msgspec.json.encode(command.sent_fields, order="sorted")
        key = f"k{len(table.records)}"
        command = Act(command.seat, command.action, command.sent_fields, key, sha256(raw).digest())
    table.when(command, at)
    assert table.code is None


def bundle_recorded(name: str) -> Files:
    """The bundle of a recorded match, in which everything possible occurs."""
    log = MatchLog(outcome(name).match, states(name), LOG_KEY)
    files = _written(f"recorded.{name}", log)
    if name.endswith(NOTED):
        files[f"recorded.{name}{NOTE}"] = saved_creation(log).encode()
    return files


def _is_offered(match: MatchCreated) -> bool:
    """Whether the rules still offer the way in which its record is kept."""
    return match.record in rules_of(match).records


def main() -> None:
    """Writes when all are made: until then the old ones stay."""
    made = [bundle_recorded(n) for n in matches() if _is_offered(created(n))]
    for game, support in SUPPORT.items():
        every = bundles(GAMES[game], support)
        for number, chosen in enumerate(every):
            made.append(record(game, number, chosen, "server"))
        made.append(record(game, len(every), every[0], "manual"))
    made.append({KEY_FILE: "".join(f"{key}\n" for key in KEYS).encode()})
    replace_files(FOLDER, ("*.arb", f"{PARTS.name}/*.arb", f"*{NOTE}"), made)


if __name__ == "__main__":
    main()
