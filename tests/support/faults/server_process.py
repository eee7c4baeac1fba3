"""A server process on a data folder, and the content of its database when it is gone."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import UUID

import msgspec

from domain.encoding import decode
from domain.events import Event, Record
from domain.match.events import MatchCreated
from domain.proof.log_events import CheckpointSigned
from projections.audience.disclosure import Viewer
from projections.audience.view import AudienceState, see_all, view
from tests.support.repository import ROOT
from tests.support.servers.forked_program import ForkedProgram, forked

PATIENCE = 20.0
SERVER = "tests.support.faults.fault_server"


class Process:
    """One life of the service. Its standard error is appended to `errors.txt`; `store` names its
    store, if that is not in `data`."""

    def __init__(
        self,
        data: Path,
        *options: str,
        under: Sequence[str] = (),
        store: Mapping[str, str] | None = None,
    ) -> None:
        data.mkdir(parents=True, exist_ok=True)
        self.data = data
        arguments, environment = [str(data), *options], {**os.environ, **(store or {})}
        errors = data / "errors.txt"
        self._process: subprocess.Popen[str] | ForkedProgram
        if under:
            command = [*under, sys.executable, "-m", SERVER, *arguments]
            self._process = _started(command, environment, errors)
            assert self._process.stdout is not None
            self._printed = self._process.stdout
        else:
            self._process, self._printed = forked(SERVER, arguments, environment, errors)
        port = self._printed.readline().strip()
        assert port, errors.read_text()
        self.url = f"http://127.0.0.1:{port}"

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def kill(self) -> None:
        """Ends it at once, whatever it is doing (SIGKILL)."""
        if self._process.poll() is None:  # or its number may be another's by now
            os.killpg(self._process.pid, signal.SIGKILL)
        self._gone()

    def stop(self) -> None:
        """Ends it in an orderly way (SIGTERM)."""
        self._process.terminate()
        self._gone()

    def _gone(self) -> None:
        self._process.wait(PATIENCE)
        self._printed.close()


def _started(
    command: Sequence[str], environment: Mapping[str, str], errors: Path
) -> "subprocess.Popen[str]":
    with errors.open("ab") as appended:
        return subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=appended,
            text=True,
            start_new_session=True,
        )


@contextmanager
def serving(
    data: Path,
    *options: str,
    under: Sequence[str] = (),
    store: Mapping[str, str] | None = None,
) -> Iterator[Process]:
    """A server that is killed when the context exits."""
    process = Process(data, *options, under=under, store=store)
    try:
        yield process
    finally:
        process.kill()


def on_disk(data: Path) -> dict[str, list[Record[Event]]]:
    """The record of every match as stored in the database, read without the service; without the
    signatures, which are stored next to it."""
    return of_matches(streams(data))


def streams(data: Path) -> dict[str, list[Record[Event]]]:
    """The whole content of the database, read without the service.

    A copy is read, so that the service itself recovers what it left.
    """
    with TemporaryDirectory() as folder:
        for file in ("arbiter.db", "arbiter.db-wal"):
            if (data / file).exists():
                shutil.copy(data / file, folder)
        with closing(sqlite3.connect(Path(folder) / "arbiter.db")) as database:
            rows = database.execute(
                "SELECT originator_id, originator_version, state FROM stored_events"
                " ORDER BY originator_id, originator_version"
            ).fetchall()
    return decoded((UUID(stream), version, state) for stream, version, state in rows)


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
