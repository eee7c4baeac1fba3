"""Gives a digest to matches of older releases that have not grown since.

Only to those in which nothing is wrong: a digest says of rows that they are those that were
recorded, and from then on nobody can tell by it that they had been altered before.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from uuid import UUID

from service.checking.findings import Finding, Judged
from service.checking.matches import judge_with_digest
from service.checking.pool import PAGE, Checked, Env
from service.checking.streams import is_match, no_pause
from service.event_store.database import Database, SQLiteDatabase
from service.event_store.digests import TOPIC, Digest
from service.event_store.reading import DAMAGED, FIRST, UNANSWERED, StoreReader, reading

Progress = Callable[[int, int], None]


def ignore_progress(_rows: int, _total: int) -> None:
    """Progress that is not reported."""


def give_digests(env: Env, progress: Progress = ignore_progress) -> Checked:
    """Judges every match without a digest, and stores that of each in which nothing is wrong;
    `digests` of the result counts them, its findings name the others. `progress` receives the
    number of rows judged and of all that there are. It can be interrupted, and goes on when it is
    called again; the service may run meanwhile. It needs memory for one match.

    Raises errors of the database.
    """
    found = Checked()
    with reading(env) as reader, _writing(env, reader) as database:
        after, total = FIRST, reader.count_undigested()
        while page := reader.undigested(after, PAGE):
            for stream in page:
                judged = _judged(reader, database, stream)
                found.add(judged)
                progress(found.rows, total)
            after = page[-1]
    return found


def _judged(reader: StoreReader, database: Database, stream: str) -> Judged:
    """Judges a stream, and stores its digest if it is a match in which nothing is wrong."""
    try:
        match = UUID(stream)
        first = reader.rows(match, 0, 2**62, 1)
        if not first or not is_match(first[0].row.topic):
            return Judged()
        judged, digest = judge_with_digest(reader, match, reader.head(match), no_pause)
    except ValueError:
        return Judged(findings=[Finding("rows", f"no stream has this id: {stream!r}")])
    except UNANSWERED:
        raise
    except DAMAGED as error:
        text = f"the database cannot read it: {error}"
        return Judged(matches=1, findings=[Finding("rows", text, str(UUID(stream)))])
    intact = not judged.findings and not judged.unjudged
    if intact:
        _store(database, reader.digests_table, match, digest)
    judged.digests = int(intact)
    return judged


def _store(database: Database, table: str, match: UUID, digest: Digest) -> None:
    """Stores a digest, unless the match has grown meanwhile and has got a longer one."""
    with database.transaction() as cursor:
        cursor.execute(
            f"INSERT INTO {table} (originator_id, originator_version, topic, state)"  # noqa: S608  ours
            " VALUES (?, ?, ?, ?) ON CONFLICT (originator_id) DO UPDATE SET"
            " originator_version = excluded.originator_version, state = excluded.state"
            f" WHERE {table}.originator_version < excluded.originator_version",
            (match.hex, digest.length, TOPIC, digest.value),
        )


@contextmanager
def _writing(env: Mapping[str, str], reader: StoreReader) -> Iterator[Database]:
    """A connection that writes: the embedded store is read on one that cannot."""
    if reader.file is None:
        yield reader.database
        return
    with closing(SQLiteDatabase(env["SQLITE_DBNAME"])) as database:
        yield database
