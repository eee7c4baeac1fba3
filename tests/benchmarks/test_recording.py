"""The comparison of recorders is fair: every side has recorded the same rows in the same order."""

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest
from eventsourcing.persistence import Notification

from service.event_store.store import Store
from tests.benchmarks.recorders import on_postgres, on_sqlite
from tests.benchmarks.recording import AN_ACTION, in_turn

MATCHES = 20
"""Number of rows for which our SQLite recorder needs more than one statement."""

EACH, ROUNDS, BEFORE = 4, 2, 2


@pytest.mark.parametrize(("store", "count"), [("SQLite", 4), ("PostgreSQL", 8)])
def test_every_side_records_the_same(store: str, count: int, tmp_path: Path) -> None:
    with on_sqlite(tmp_path) if store == "SQLite" else on_postgres() as sides:
        each = {"ours": sides.ours, "library": sides.library, **sides.bare, **sides.notifying}
        rates = in_turn(each, MATCHES, EACH, ROUNDS)
        recorded = {name: _recorded(side.environment) for name, side in each.items()}
    assert len(each) == count
    assert {name: len(rounds) for name, rounds in rates.items()} == dict.fromkeys(each, ROUNDS)
    assert len(recorded["ours"]) == MATCHES * AN_ACTION * (BEFORE + EACH * ROUNDS)
    assert recorded == dict.fromkeys(each, recorded["ours"])


def _recorded(environment: Mapping[str, str]) -> list[Notification]:
    with closing(Store(dict(environment))) as store:
        return list(store.recorder.select_notifications(1, 10_000))
