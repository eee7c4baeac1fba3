"""`arbiter serve` as an operator starts it, on PostgreSQL and Redis: a parent and its workers, each
of which can be killed; and the content of the database, read without the service."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import LiteralString
from uuid import UUID

import psutil  # type: ignore[import-untyped]

from domain.events import Event, Record
from service.cluster.redis_notifications import CHANNEL
from service.event_store.postgres import leader_row
from tests.support.faults.server_process import PATIENCE, decoded, of_matches
from tests.support.servers.orphan_guard import OrphanGuard
from tests.support.servers.postgres_server import PostgresServer, connect, suspend
from tests.support.servers.redis_server import RedisServer, redis_server
from tests.support.servers.serve_process import ServeProcess
from tests.support.waiting import wait_until

RATES = ("ARBITER_RATE_BY_KEY", "ARBITER_RATE_BY_ADDRESS", "ARBITER_RATE_FAILURES")


class Fleet:
    """One life of the command after another. Its output is appended to `errors.txt` in `data`."""

    def __init__(self, data: Path, environment: Mapping[str, str], workers: int = 3) -> None:
        data.mkdir(parents=True, exist_ok=True)
        self.data = data
        self.url = ""
        self._count = workers
        self._environment = {**dict.fromkeys(RATES, "off"), **environment}
        self._parent: ServeProcess | None = None
        self._guard: OrphanGuard | None = None
        self._known: set[psutil.Process] = set()

    @property
    def errors(self) -> bytes:
        """Its log."""
        return (self.data / "errors.txt").read_bytes()

    def start(self) -> None:
        """Returns when it is ready."""
        # A program that is forked would not find its own workers.
        self._parent = ServeProcess(
            self.data,
            *("--workers", str(self._count)),
            environment=self._environment,
            under=("env",),
            logs=self.data,
        )
        # Workers without a parent stop by themselves.
        self._guard = OrphanGuard(self._parent.pid, 'kill -9 "$0"')
        self.url = self._parent.url
        self.workers()

    def workers(self) -> list[psutil.Process]:
        """The present workers, the oldest first."""
        assert self._parent is not None
        if self._count == 1:
            found = [psutil.Process(self._parent.pid)]
        else:
            found = [c for c in _children(self._parent.pid) if "spawn_main" in _command(c)]
        self._known.update(found)
        return sorted(found, key=lambda process: process.create_time())

    def kill(self, process: psutil.Process) -> None:
        """kill -9 of one worker."""
        process.kill()
        wait_until(lambda: gone(process))

    def kill_parent(self) -> None:
        """kill -9 of the parent; its workers must stop by themselves."""
        self.workers()
        self._kill_parent()

    def stopped(self) -> None:
        """Returns when all workers that ever ran have gone."""
        wait_until(lambda: all(map(gone, self._known)))

    def kill_all(self) -> None:
        """kill -9 of all processes; the parent, which would replace the others, is stopped
        first."""
        if self._parent is not None:
            with suppress(psutil.NoSuchProcess):
                parent = psutil.Process(self._parent.pid)
                suspend(parent)
                for child in _children(self._parent.pid):
                    child.kill()
            self._kill_parent()
        for process in self._known:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        self.stopped()

    def complete(self) -> None:
        """Returns when there are as many workers as there should be."""
        wait_until(lambda: len(self.workers()) == self._count)

    def _kill_parent(self) -> None:
        assert self._parent is not None and self._guard is not None
        self._guard.dismiss()
        psutil.Process(self._parent.pid).kill()
        self._parent.wait(PATIENCE)
        self._parent = self._guard = None


@contextmanager
def on_postgres(data: Path, workers: int = 3) -> Iterator[tuple[Fleet, "Servers"]]:
    """A fleet that serves, with its servers; all are gone when the context exits."""
    with PostgresServer() as postgres, redis_server() as redis:
        servers = Servers(postgres, redis)
        fleet = Fleet(data, servers.environment, workers)
        try:
            fleet.start()
            # A worker subscribes when it has started: one that starts while a test breaks a server
            # would fail, and be replaced.
            wait_until(lambda: servers.redis.subscribers(CHANNEL) == workers)
            yield fleet, servers
        finally:
            fleet.kill_all()


class Servers:
    """A PostgreSQL and a Redis that a test may break."""

    def __init__(self, postgres: PostgresServer, redis: RedisServer) -> None:
        self.postgres = postgres
        self.redis = redis
        self.store = postgres.named_database("arbiter")

    @property
    def environment(self) -> dict[str, str]:
        """The environment of the command."""
        return {**self.store, "ARBITER_REDIS_URL": self.redis.url}

    def on_disk(self) -> dict[str, list[Record[Event]]]:
        """The record of every match and tournament as stored in the database."""
        return recorded(self.store)

    def record(self, stream: str) -> list[Record[Event]]:
        """The record of one of them."""
        return decoded(_rows(self.store, "originator_id = %s", stream)).get(stream, [])

    def stored(self) -> bytes:
        """The whole content of the tables of keys and of events."""
        with connect(self.store) as connection:
            rows = connection.execute(
                "SELECT state FROM arbiter_keys UNION ALL SELECT state FROM arbiter_events"
            ).fetchall()
        return b"".join(state for (state,) in rows)

    def leader(self) -> int | None:
        """The number of the leader's session."""
        with connect(self.store) as connection:
            led = f"SELECT pid FROM {leader_row.TABLE} WHERE NOT {leader_row.LAPSED}"  # noqa: S608
            row = connection.execute(led.encode()).fetchone()
        return None if row is None else int(row[0])


def recorded(store: Mapping[str, str]) -> dict[str, list[Record[Event]]]:
    """The record of every match and tournament as stored in a database."""
    return of_matches(decoded(_rows(store, "true")))


def _rows(
    store: Mapping[str, str], where: LiteralString, *values: str
) -> list[tuple[UUID, int, bytes]]:
    with connect(store) as connection:
        return connection.execute(
            "SELECT originator_id, originator_version, state FROM arbiter_events"  # noqa: S608
            f" WHERE {where} ORDER BY originator_id, originator_version",
            values,
        ).fetchall()


def gone(process: psutil.Process) -> bool:
    try:
        return bool(process.status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


def _children(parent: int) -> Iterable[psutil.Process]:
    try:
        return list(psutil.Process(parent).children(recursive=True))
    except psutil.NoSuchProcess:
        return []


def _command(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""
