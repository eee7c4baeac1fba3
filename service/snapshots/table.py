"""The table of snapshots, beside the log. It may be emptied at any time."""

from collections.abc import Iterable, Mapping
from hashlib import sha256
from uuid import UUID

from eventsourcing.persistence import ApplicationRecorder
from eventsourcing.utils import Environment, strtobool
from msgspec import Struct

from service.event_store.database import Database, NotMigrated, SQLiteDatabase
from service.observability import logs

TABLE = "arbiter_snapshots"

TABLES = (
    f"CREATE TABLE IF NOT EXISTS {TABLE} (match {{text}} NOT NULL, part {{text}} NOT NULL,"
    " position BIGINT NOT NULL, shape {bytes} NOT NULL, digest {bytes} NOT NULL,"
    " content {bytes} NOT NULL, PRIMARY KEY (match, part))",
)

_SELECT = f"SELECT position, shape, digest, content FROM {TABLE} WHERE match = ? AND part = ?"  # noqa: S608

# A later snapshot by another instance stays; a snapshot of another shape is always replaced.
_UPSERT = (
    f"INSERT INTO {TABLE} VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (match, part) DO UPDATE SET"  # noqa: S608
    " position = excluded.position, shape = excluded.shape, digest = excluded.digest,"
    f" content = excluded.content WHERE {TABLE}.position < excluded.position"
    f" OR {TABLE}.shape <> excluded.shape"
)


class CorruptSnapshot(Exception):
    """The stored bytes do not match their digest."""


class StoredPart(Struct, frozen=True):
    """A part of a match's snapshot: the encoded fold of its first `position` events."""

    position: int
    content: bytes


class SnapshotTable:
    """The snapshots of one `shape`; those of others are ignored. All methods block, and any thread
    may call them."""

    def __init__(self, database: Database, shape: bytes, *, create: bool = True) -> None:
        """Raises NotMigrated if the table is missing and `create` is false."""
        self._db = database
        self._shape = shape
        if create:
            database.create(TABLES)
        elif database.lacks(TABLE):
            raise NotMigrated(TABLE)

    def find(self, match: UUID, part: str) -> StoredPart | None:
        """The part, or None if there is none of this shape. A corrupt one is logged and deleted."""
        for position, shape, digest, content in self._db.select(_SELECT, (str(match), part)):
            if bytes(shape) != self._shape:
                return None
            if bytes(digest) != content_digest(match, part, position, self._shape, content):
                logs.failure("snapshot_corrupt", CorruptSnapshot(), match=str(match))
                self.drop(match)
                return None
            return StoredPart(position, content)
        return None

    def write(self, match: UUID, position: int, parts: Iterable[tuple[str, bytes]]) -> None:
        """Replaces earlier parts, each in a transaction of its own: other writers wait briefly, and
        parts of different positions may stand side by side."""
        for part, content in parts:
            digest = content_digest(match, part, position, self._shape, content)
            with self._db.transaction() as cursor:
                row = (str(match), part, position, self._shape, digest, content)
                cursor.execute(_UPSERT, row)

    def drop(self, match: UUID) -> None:
        """Deletes all parts of a match."""
        with self._db.transaction() as cursor:
            cursor.execute(f"DELETE FROM {TABLE} WHERE match = ?", (str(match),))  # noqa: S608

    def close(self) -> None:
        """Closes the table; it must not be used afterwards."""
        self._db.close()


def content_digest(match: UUID, part: str, position: int, shape: bytes, content: bytes) -> bytes:
    """The digest that is stored with a part: it finds damage."""
    digest = sha256(f"{match} {part} {position}\n".encode())
    digest.update(shape)
    digest.update(content)
    return digest.digest()


def open_snapshots(
    store_env: Mapping[str, str], recorder: ApplicationRecorder, shape: bytes
) -> SnapshotTable:
    """The snapshots in the database of the log that `recorder` writes. A missing table is created,
    unless the settings say `CREATE_TABLE=no`. For a store module other than ours it is in memory.
    """
    env = Environment("arbiter", dict(store_env))
    create = strtobool(env.get("CREATE_TABLE") or "yes")
    match env.get("PERSISTENCE_MODULE"):
        case "service.event_store.sqlite":
            return SnapshotTable(SQLiteDatabase(env["SQLITE_DBNAME"]), shape, create=create)
        case "service.event_store.postgres":
            # Imported only here, so that SQLite users do not wait for the PostgreSQL driver.
            from service.event_store.postgres_database import database_of_log

            return SnapshotTable(database_of_log(recorder), shape, create=create)
        case _:
            return SnapshotTable(SQLiteDatabase(":memory:"), shape)
