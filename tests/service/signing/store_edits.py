"""Edits of a store behind the service's back: plain SQL on the library's table."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from uuid import UUID

from msgspec.structs import replace

from domain.encoding import decode, encode
from domain.events import Event, Record
from domain.match.events import ActionReceived
from domain.proof.log_events import CheckpointSigned
from projections.evidence.bundle import MatchLog
from service.event_store.database import embedded
from service.event_store.secret_store import SecretStore
from service.event_store.store import Store, paired_stream
from tests.support.instance.damage import Rows, digest_anew


class Stream(Rows):
    def __len__(self) -> int:
        return len(self.all())

    def states(self) -> list[bytes]:
        return [row.state for row in self.all()]

    def find(self, kind: type[Event]) -> int:
        """The version of the first event of a kind."""
        return [type(decode(state).event) for state in self.states()].index(kind) + 1

    def set(self, version: int, state: bytes) -> None:
        self.put(self.all()[version - 1]._replace(state=state))

    def insert(self, version: int, state: bytes) -> None:
        name = decode(state).event.__struct_config__.tag
        self._db.execute(
            "INSERT INTO stored_events VALUES (?, ?, ?, ?)", (self._stream, version, name, state)
        )

    def shift(self, version: int, by: int) -> None:
        """Moves all events from a version on to other versions; by way of negative ones, which are
        free."""
        for statement, value in (
            ("SET originator_version = -originator_version WHERE originator_version >= ?", version),
            ("SET originator_version = -originator_version + ? WHERE originator_version < 0", by),
        ):
            self._db.execute(
                f"UPDATE stored_events {statement} AND originator_id = ?", (value, self._stream)
            )


@contextmanager
def editing(folder: Path, match: str) -> Iterator[Stream]:
    """The stream of a match. The editor makes the digest anew, too, which has no secret: what is
    found then is found without it. Edits need not survive a crash, and wait for no disk."""
    with closing(sqlite3.connect(folder / "arbiter.db", isolation_level=None)) as database:
        database.execute("PRAGMA synchronous = OFF")
        yield Stream(database, UUID(match))
    digest_anew(folder / "arbiter.db", UUID(match))


Edit = Callable[[Stream], None]


def change_an_event(stream: Stream) -> None:
    """Replaces the received action with another one than was sent."""
    version = stream.find(ActionReceived)
    record = decode(stream.states()[version - 1])
    assert isinstance(record.event, ActionReceived)
    event = replace(record.event, key="another")
    stream.set(version, encode(Record(record.at, record.back, event)))


def delete_the_last(stream: Stream) -> None:
    stream.delete(len(stream))


def insert_one(stream: Stream) -> None:
    """Records the same received action twice."""
    version = stream.find(ActionReceived)
    state = stream.states()[version - 1]
    stream.shift(version, 1)
    stream.insert(version, state)


# Further state of the service.


def delete_what_was_signed(folder: Path, match: str) -> None:
    with editing(folder, str(paired_stream(UUID(match)))) as signed:
        signed.delete_all()


def make_it_anew(folder: Path, match: str) -> None:
    """Makes it look as if the service had only ever signed the present record."""
    with editing(folder, match) as stream:
        states = stream.states()
    with closing(Store(embedded(folder / "arbiter.db"))) as store:
        key = SecretStore(store.secrets).read(UUID(match)).log_key
    checkpoint = MatchLog(match, states, key).checkpoint()
    with editing(folder, str(paired_stream(UUID(match)))) as signed:
        last = decode(signed.states()[-1])
        assert isinstance(last.event, CheckpointSigned)
        event = replace(last.event, size=checkpoint.size, root=checkpoint.root)
        delete_what_was_signed(folder, match)
        signed.insert(1, encode(Record(last.at, last.back, event)))


def forget_the_index(folder: Path) -> None:
    """Rebuilds it from the log, whose end is missing."""
    with closing(sqlite3.connect(folder / "arbiter.db", isolation_level=None)) as database:
        tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        for (name,) in tables:
            if name.startswith("arbiter_"):
                database.execute(f"DROP TABLE {name}")
