"""Timelines of PostgreSQL: every promotion begins one, so a session at a primary that was replaced
is told by its timeline."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import psycopg
from psycopg import AsyncConnection, Connection
from psycopg.rows import tuple_row

TIMELINE = (
    b"SELECT system_identifier::text, left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)"
    b" FROM pg_control_system()"
)


class Timeline(NamedTuple):
    """The identifier of a cluster, and the timeline of one of its servers in hexadecimal digits."""

    cluster: str
    number: str


class ReplacedPrimary(psycopg.OperationalError):
    """Another server was promoted in place of this one: what is read here is old."""

    def __init__(self, timeline: str, newest: str) -> None:
        super().__init__(
            f"this server is on timeline {timeline}, and {newest} was seen: it was replaced. If it"
            " was restored on purpose, start the service again"
        )


class Timelines:
    """The newest timeline that was seen of each cluster. What has none is not judged."""

    def __init__(self) -> None:
        self._newest: dict[str, str] = {}

    def see(self, timeline: Timeline | None) -> None:
        """Notes where a session leads. Raises ReplacedPrimary."""
        if timeline is None:
            return
        if self.has_passed(timeline):
            raise ReplacedPrimary(timeline.number, self._newest[timeline.cluster])
        self._newest[timeline.cluster] = timeline.number

    def has_passed(self, timeline: Timeline | None) -> bool:
        """Whether a later one was seen."""
        return timeline is not None and timeline.number < self._newest.get(timeline.cluster, "")


def timeline_of(connection: Connection[Any]) -> Timeline | None:
    """The timeline of the server to which a session leads; None if the role may not ask, or the
    engine does not know. Raises psycopg.Error if the session has ended."""
    try:
        rows = connection.cursor(row_factory=tuple_row).execute(TIMELINE).fetchall()
    except psycopg.Error:
        if connection.closed:
            raise
        return None
    return Timeline(*rows[0])


async def async_timeline_of(connection: AsyncConnection[Any]) -> Timeline | None:
    """The same of an asynchronous session."""
    try:
        cursor = await connection.cursor(row_factory=tuple_row).execute(TIMELINE)
        rows = await cursor.fetchall()
    except psycopg.Error:
        if connection.closed:
            raise
        return None
    return Timeline(*rows[0])


def next_host_first(settings: Mapping[str, Any]) -> dict[str, Any]:
    """What libpq needs to connect, with the first host of its list last."""
    values = {name: str(settings[name]) for name in ("host", "port") if settings.get(name)}
    return {**settings, **{name: _rotate(hosts) for name, hosts in values.items()}}


def _rotate(hosts: str) -> str:
    first, _, others = hosts.partition(",")
    return f"{others},{first}" if others else first
