"""A server process on a data folder, and the content of its database when it is gone."""

import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import UUID

import msgspec

from domain.encoding import decode
from domain.events import Event, Record
from domain.match.events import MatchCreated
from domain.proof.log_events import CheckpointSigned
from projections.audience.disclosure import Viewer
from projections.audience.view import AudienceState, see_all, view
from tests.support.servers.serve_process import ServeProcess

PATIENCE = 20.0


class Process(ServeProcess):
    """One life of the service with the faults that `options` order. Its output is in `data`, too;
    `store` names its store, if that is not there."""

    program = "tests.support.faults.fault_server"

    def __init__(
        self,
        data: Path,
        *options: str,
        under: Sequence[str] = (),
        store: Mapping[str, str] | None = None,
    ) -> None:
        data.mkdir(parents=True, exist_ok=True)
        self.data = data
        super().__init__(data, *options, environment=store, under=under, logs=data)


def on_disk(data: Path) -> dict[str, list[Record[Event]]]:
    """The record of every match as stored in the database, read without the service; without the
    signatures, which are stored next to it."""
    return of_matches(streams(data))


def streams(data: Path) -> dict[str, list[Record[Event]]]:
    """The whole content of the database, read without the service."""
    rows = _selected(
        data,
        "SELECT originator_id, originator_version, state FROM stored_events"
        " ORDER BY originator_id, originator_version",
    )
    return decoded((UUID(stream), version, state) for stream, version, state in rows)


def topics(data: Path) -> Counter[str]:
    """How many events of each stored name are in the log and among secrets and keys."""
    tables = _selected(
        data, "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%topic%'"
    )
    counted = Counter[str]()
    for (table,) in tables:
        counted.update(t for (t,) in _selected(data, f"SELECT topic FROM {table}"))  # noqa: S608
    return counted


def _selected(data: Path, statement: str) -> list[tuple[Any, ...]]:
    """A copy is read, so that the service itself recovers what it left."""
    with TemporaryDirectory() as folder:
        for file in ("arbiter.db", "arbiter.db-wal"):
            if (data / file).exists():
                shutil.copy(data / file, folder)
        with closing(sqlite3.connect(Path(folder) / "arbiter.db")) as database:
            return database.execute(statement).fetchall()


def decoded(rows: Iterable[tuple[UUID, int, bytes]]) -> dict[str, list[Record[Event]]]:
    """The records of every stream, decoded from the stored rows, in order."""
    records: dict[str, list[Record[Event]]] = {}
    for stream, version, state in rows:
        record = records.setdefault(str(stream), [])
        record.append(decode(state))
        assert version == len(record), f"{stream}: {version} follows {len(record) - 1}"
    return records


def of_matches(streams: Mapping[str, list[Record[Event]]]) -> dict[str, list[Record[Event]]]:
    """Without the signatures of matches, which are stored next to them."""
    return {
        stream: record
        for stream, record in streams.items()
        if not isinstance(record[0].event, CheckpointSigned)
    }


def folded_view(match_id: str, records: Sequence[Record[Event]], viewer: Viewer) -> bytes:
    """An audience's view, from event 0 on."""
    created = records[0].event
    assert isinstance(created, MatchCreated)
    state = see_all(AudienceState(viewer), records)
    return msgspec.json.encode(view(match_id, created.game, state))
