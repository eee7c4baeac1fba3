"""Loading and folding a match, next to the library's own way with the same events."""

from pathlib import Path
from uuid import UUID, uuid4

import msgspec
from eventsourcing.application import Application

from domain.events import Event, Record
from domain.match.replay import replay
from service.event_store.database import embedded
from service.event_store.store import Store, rows
from tests.benchmarks.plain import Happened, PlainMatch
from tests.benchmarks.random_matches import NAMES, long_record
from tests.benchmarks.rows import Row, at_least, seconds
from tests.support.tables.match_table import MATCH

LENGTHS = (1_000, 10_000, 100_000)


def measure(folder: Path) -> list[Row]:
    """Ours next to the library's at 1,000 events, and ours at every length."""
    record = long_record(LENGTHS[-1])
    store = Store(embedded(Path(f"{folder}/ours.db")))
    matches = {length: uuid4() for length in LENGTHS}
    for length, match in matches.items():
        store.append(rows(match, 0, record[:length]))
    library, plain = _library(folder, record[: LENGTHS[0]])
    ratios, each = [], {}
    for _ in range(5):
        theirs = seconds(lambda: library.repository.get(plain), 3)
        ours = seconds(lambda: replay(MATCH, store.read(matches[LENGTHS[0]])), 9)
        ratios.append(theirs / ours)
    for length, match in matches.items():
        taken = seconds(lambda match=match: replay(MATCH, store.read(match)), 5)  # type: ignore[misc]
        each[length] = taken / length * 1e6
    store.close()
    library.close()
    ratio = sorted(ratios)[len(ratios) // 2]
    spread = f"  ({min(ratios):.0f}-{max(ratios):.0f})"
    shown = ", ".join(f"{length:,}: {cost:.2f}" for length, cost in each.items())
    slope = each[LENGTHS[-1]] / each[LENGTHS[0]]
    return [
        at_least("load and fold 1,000 events, times the library", ratio, 20, spread),
        Row("load and fold, µs an event by length", shown, "≤ 2 times", slope <= 2),
    ]


def _library(folder: Path, record: list[Record[Event]]) -> tuple[Application[UUID], UUID]:
    library: Application[UUID] = Application(
        {"PERSISTENCE_MODULE": "eventsourcing.sqlite", "SQLITE_DBNAME": f"{folder}/theirs.db"}
    )
    plain = PlainMatch("twelve-chips", {"tokens_to_win": 100}, list(NAMES))
    for one in record[1:]:
        plain.trigger_event(Happened, at=one.at, fields=msgspec.to_builtins(one.event))
    library.save(plain)
    return library, plain.id
