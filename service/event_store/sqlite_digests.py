"""The table of digests beside the log of an embedded store, in SQL."""

from service.event_store.digests import TOPIC


def digest_statements(events: str, digests: str) -> list[str]:
    """The statements that make the table of digests, and the trigger that fills it."""
    return [
        f"CREATE TABLE IF NOT EXISTS {digests} (originator_id TEXT PRIMARY KEY,"
        " originator_version INTEGER NOT NULL, topic TEXT NOT NULL, state BLOB NOT NULL)"
        " WITHOUT ROWID",
        f"CREATE TRIGGER IF NOT EXISTS {digests}_apart BEFORE INSERT ON {events}"  # noqa: S608
        f" WHEN NEW.topic = '{TOPIC}' BEGIN INSERT INTO {digests} VALUES"
        " (NEW.originator_id, NEW.originator_version, NEW.topic, NEW.state)"
        " ON CONFLICT (originator_id) DO UPDATE SET"
        " originator_version = excluded.originator_version, state = excluded.state;"
        " SELECT RAISE(IGNORE); END",
    ]


def select_rows_with_digest(events: str, digests: str) -> str:
    """Selects rows of a stream behind its digest, which comes first, under its length as a negative
    number. The casts are for damage: a row is what it is, whatever its type."""
    content = "CAST(topic AS BLOB), COALESCE(CAST(state AS BLOB), x'')"
    of_stream = "WHERE originator_id=?1"
    # The tables' names are ours.
    head = f"SELECT -originator_version AS n, {content} FROM {digests} {of_stream}"  # noqa: S608
    rows = f"SELECT originator_version AS n, {content} FROM {events} {of_stream}"  # noqa: S608
    rows += " AND n>?2 AND n<=?3"
    return f"{head} UNION ALL {rows} ORDER BY n"
