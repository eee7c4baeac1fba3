"""Database functions that append to the log: one call locks, checks, inserts and commits."""

from collections.abc import Iterator

GROWN = "a stream has grown since it was read"
SHRUNK = "a stream lacks the event before those to be added: the store has lost commits"

# The digests of streams are in a table next to the events, one row for each stream.
_DIGESTS = """
CREATE TABLE IF NOT EXISTS {digests} (
    originator_id uuid PRIMARY KEY, originator_version bigint NOT NULL, topic text NOT NULL,
    state bytea NOT NULL
) WITH (fillfactor = 70)
"""

_APPEND = """
CREATE OR REPLACE FUNCTION {append}(
    streams uuid[], versions bigint[], topics text[], states bytea[],
    unchanged uuid[], lengths bigint[], covered uuid[], counts bigint[], names text[],
    digests bytea[]
) RETURNS bigint[] LANGUAGE plpgsql AS $BODY$
DECLARE
    positions bigint[];
BEGIN
    LOCK TABLE {table} IN EXCLUSIVE MODE;
    IF {grown} THEN
        RAISE EXCEPTION USING
            ERRCODE = 'integrity_constraint_violation', MESSAGE = '{grown_message}';
    END IF;
    NOTIFY {channel};
    WITH inserted AS (
        INSERT INTO {table} (originator_id, originator_version, topic, state)
        SELECT unnest(streams), unnest(versions), unnest(topics), unnest(states)
        RETURNING notification_id
    )
    SELECT array_agg(notification_id) INTO positions FROM inserted;
    IF {shrunk} THEN
        RAISE EXCEPTION USING
            ERRCODE = 'integrity_constraint_violation', MESSAGE = '{shrunk_message}';
    END IF;
    INSERT INTO {digests} (originator_id, originator_version, topic, state)
    SELECT unnest(covered), unnest(counts), unnest(names), unnest(digests)
    ON CONFLICT (originator_id) DO UPDATE SET
        originator_version = excluded.originator_version, state = excluded.state;
    RETURN positions;
END
$BODY$
"""

# The subquery uses the index of the stream whatever the planner's statistics say.
_HAS_GROWN = """EXISTS (
    SELECT FROM unnest({unchanged}, {lengths}) AS read (stream, length)
    WHERE length < (
        SELECT max(originator_version) FROM {table} WHERE originator_id = read.stream
    )
)"""

# A standby server that was promoted may lack the last commits of its primary. Checked after the
# insert: when a stream occurs twice among the rows, the first group precedes the second.
_HAS_SHRUNK = """EXISTS (
    SELECT FROM generate_subscripts(streams, 1) AS n
    WHERE versions[n] > 1 AND streams[n] IS DISTINCT FROM streams[n - 1] AND (
        SELECT originator_version FROM {table}
        WHERE originator_id = streams[n] AND originator_version = versions[n] - 1
    ) IS NULL
)"""


def append_statements(table: str, digests: str, append: str, channel: str) -> Iterator[str]:
    """The statements that create the table of `digests` and the function that appends events to a
    `table`, replaces the digests of their streams, and notifies the `channel`. All names are found
    by the search path, which is one schema."""
    yield _DIGESTS.format(digests=digests)
    yield _APPEND.format(
        append=append,
        table=table,
        digests=digests,
        channel=channel,
        grown_message=GROWN,
        grown=_HAS_GROWN.format(unchanged="unchanged", lengths="lengths", table=table),
        shrunk=_HAS_SHRUNK.format(table=table),
        shrunk_message=SHRUNK,
    )


def has_grown(table: str) -> str:
    """The query whether any stream is longer than expected; its parameters are two arrays, streams
    and lengths."""
    expected = {"unchanged": "?::uuid[]", "lengths": "?::bigint[]"}
    return f"SELECT {_HAS_GROWN.format(table=table, **expected)}"
