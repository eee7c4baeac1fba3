"""Where snapshots lie: a table beside the log, which may be emptied at any time."""

from collections.abc import Iterable, Mapping
from hashlib import sha256
from uuid import UUID

from eventsourcing.persistence import ApplicationRecorder
from eventsourcing.utils import Environment, strtobool
from msgspec import Struct

from service import logs
from service.storage.database import Database, NotMigrated, SQLiteDatabase

TABLE = "arbiter_snapshots"

TABLES = (
    f"CREATE TABLE IF NOT EXISTS {TABLE} (match {{text}} NOT NULL, part {{text}} NOT NULL,"
    " position BIGINT NOT NULL, shape {bytes} NOT NULL, digest {bytes} NOT NULL,"
    " content {bytes} NOT NULL, PRIMARY KEY (match, part))",
)

_FOUND = f"SELECT position, shape, digest, content FROM {TABLE} WHERE match = ? AND part = ?"  # noqa: S608

# Another instance may have come further meanwhile; another release knows better what it can read.
_WRITTEN = (
    f"INSERT INTO {TABLE} VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (match, part) DO UPDATE SET"  # noqa: S608
    " position = excluded.position, shape = excluded.shape, digest = excluded.digest,"
    f" content = excluded.content WHERE {TABLE}.position < excluded.position"
    f" OR {TABLE}.shape <> excluded.shape"
)


class Corrupt(Exception):
    """What is stored is not what was written."""


class Stored(Struct, frozen=True):
    """A part of the snapshot of a match: what its first `position` events come to, as bytes."""

    position: int
    content: bytes


class SnapshotTable:
    """Snapshots of one `shape`: others are not seen. Everything here blocks; any thread may ask."""

    def __init__(self, database: Database, shape: bytes, *, create: bool = True) -> None:
        """Raises NotMigrated if there is no table and it may not `create` it."""
        self._db = database
        self._shape = shape
        if create:
            database.create(TABLES)
        elif database.lacks(TABLE):
            raise NotMigrated(TABLE)

    def find(self, match: UUID, part: str) -> Stored | None:
        """The part, if there is one of this shape. One that is corrupt is deleted."""
        for position, shape, digest, content in self._db.select(_FOUND, (str(match), part)):
            if bytes(shape) != self._shape:
                return None
            if bytes(digest) != self._digest(match, part, position, content):
                logs.failed("snapshot_corrupt", Corrupt(), match=str(match))
                self.drop(match)
                return None
            return Stored(position, content)
        return None

    def write(self, match: UUID, position: int, parts: Iterable[tuple[str, bytes]]) -> None:
        """Puts parts in the place of earlier ones, each in a transaction of its own: they need not
        be equally far, and nobody else waits long."""
        for part, content in parts:
            digest = self._digest(match, part, position, content)
            with self._db.transaction() as cursor:
                row = (str(match), part, position, self._shape, digest, content)
                cursor.execute(_WRITTEN, row)

    def drop(self, match: UUID) -> None:
        """Forgets every part of a match."""
        with self._db.transaction() as cursor:
            cursor.execute(f"DELETE FROM {TABLE} WHERE match = ?", (str(match),))  # noqa: S608

    def close(self) -> None:
        """Nothing is asked of it afterwards."""
        self._db.close()

    def _digest(self, match: UUID, part: str, position: int, content: bytes) -> bytes:
        told = sha256(f"{match} {part} {position}\n".encode())
        told.update(self._shape)
        told.update(content)
        return told.digest()


def open_snapshots(
    store_env: Mapping[str, str], recorder: ApplicationRecorder, shape: bytes
) -> SnapshotTable:
    """The table beside the log that `recorder` writes, made if it is missing and the settings do
    not say `CREATE_TABLE=no`; in memory where the store is none of ours."""
    env = Environment("arbiter", dict(store_env))
    create = strtobool(env.get("CREATE_TABLE") or "yes")
    match env.get("PERSISTENCE_MODULE"):
        case "service.storage.sqlite":
            return SnapshotTable(SQLiteDatabase(env["SQLITE_DBNAME"]), shape, create=create)
        case "service.storage.postgres":
            # Loaded only here: whoever has no PostgreSQL does not wait for it.
            from service.storage.postgres_database import beside_log

            return SnapshotTable(beside_log(recorder), shape, create=create)
        case _:
            return SnapshotTable(SQLiteDatabase(":memory:"), shape)
