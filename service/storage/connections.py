"""Connections to PostgreSQL that keep what is committed, wait for nothing for ever, and are
replaced when the server has hung up.

A commit is on disk when it returns: `fsync` and `synchronous_commit` are asserted on every
connection, which also sets its time limits; both take one statement when it is made and none later.
"""

import functools
import select
from collections import deque
from collections.abc import Callable
from time import monotonic, sleep
from typing import Any

from eventsourcing.persistence import InterfaceError, OperationalError
from eventsourcing.postgres import ConnectionPool, PostgresDatastore
from eventsourcing.utils import Environment
from msgspec import Struct
from psycopg import Connection
from psycopg.rows import DictRow, tuple_row
from psycopg_pool import PoolTimeout

from service.storage.database import NotDurable

READERS_PATIENCE = 2.0
"""Seconds for which something that only reads is tried again while connections break."""

PAUSE = 0.05

DURABLE_COMMITS = ("on", "remote_write", "remote_apply")

LIMITS = {
    "POSTGRES_LOCK_TIMEOUT": "5",
    "POSTGRES_STATEMENT_TIMEOUT": "10",
    "POSTGRES_IDLE_IN_TRANSACTION_SESSION_TIMEOUT": "10",
}
"""Seconds: for a lock, a statement, a pause in the midst of a transaction."""

TIMES = {"POSTGRES_CONNECT_TIMEOUT": "2", **LIMITS}

SIZES = {"POSTGRES_POOL_SIZE": "4", "POSTGRES_MAX_OVERFLOW": "8"}
"""One connection for the writer, eight for threads that read, and some for what goes on beside."""

# A server that is gone without a word, its machine or the network with it, is given up by the
# system after about ten seconds.
SILENCE = {
    "keepalives_idle": 4,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
}

_ASSERT_AND_LIMIT = (
    "SELECT current_setting('fsync'),"
    " set_config('synchronous_commit', current_setting('synchronous_commit'), false),"
    " set_config('default_transaction_isolation', 'read committed', false),"
    " set_config('search_path', quote_ident(%s), false),"
    " set_config('lock_timeout', %s, false),"
    " set_config('statement_timeout', %s, false),"
    " set_config('idle_in_transaction_session_timeout', %s, false)"
)


class Limits(Struct, frozen=True):
    """Whole seconds after which the server gives up, in the order of `LIMITS`."""

    lock: int
    statement: int
    idle_in_transaction: int


def with_defaults(env: Environment) -> Environment:
    """The same settings, and safe ones for what is not said.

    Raises OSError with a sentence for the operator for a time limit that is none.
    """
    full = Environment(env.name, dict(env))
    for name, default in (TIMES | SIZES).items():
        if not env.get(name):
            full[env.create_keys(name)[0]] = default
    for name in TIMES:
        seconds = full.get(name, "")
        if not (seconds.isascii() and seconds.isdigit() and int(seconds) > 0):
            raise OSError(f"{name}={seconds}: whole seconds, at least 1")
    return full


def limits(env: Environment) -> Limits:
    """The time limits among settings that are complete."""
    return Limits(*(int(env.get(name, "")) for name in LIMITS))


def configure(connection: Connection[Any], schema: str, limits: Limits) -> None:
    """Asserts that commits last and sets what holds for the whole life of a connection.

    Raises NotDurable.
    """
    connection.autocommit = True
    milliseconds = [
        f"{seconds * 1000}"
        for seconds in (limits.lock, limits.statement, limits.idle_in_transaction)
    ]
    cursor = connection.cursor(row_factory=tuple_row)
    row = cursor.execute(_ASSERT_AND_LIMIT, (schema, *milliseconds)).fetchone()
    assert row is not None
    fsync, synchronous = row[:2]
    if fsync != "on" or synchronous not in DURABLE_COMMITS:
        raise NotDurable(
            f"fsync={fsync}, synchronous_commit={synchronous}: need on, and one of "
            + ", ".join(DURABLE_COMMITS)
        )


class Stack(deque[Connection[DictRow]]):
    """What was put there last is taken first."""

    def popleft(self) -> Connection[DictRow]:
        return self.pop()


class SteadyPool(ConnectionPool[Connection[DictRow]]):
    """Connections that were alive a moment ago.

    Those on which the server has hung up are thrown away unused: after a restart of the server
    nobody gets an error for them, and nothing is sent twice. The one that was used last is given
    out first: on the server's side everything that it needs is still at hand.
    """

    refused: Exception | None = None
    """Why the last attempt to connect failed."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self._pool = Stack(self._pool)

    def getconn(self, timeout: float | None = None) -> Connection[DictRow]:
        while True:
            try:
                connection = super().getconn(timeout)
            except PoolTimeout as error:
                raise self._reason(error) from self.refused
            if alive(connection):
                return connection
            connection.close()
            self.putconn(connection)

    def _connect(self, timeout: float | None = None) -> Connection[DictRow]:
        try:
            connection = super()._connect(timeout)
        except Exception as error:
            self.refused = error
            raise
        self.refused = None
        return connection

    def _reason(self, error: PoolTimeout) -> Exception:
        if isinstance(self.refused, NotDurable):
            return self.refused
        return PoolTimeout(f"{error}: {self.refused or 'all are in use'}")


def alive(connection: Connection[Any]) -> bool:
    """Whether the server has not hung up on an idle connection; asks the socket alone.

    To an idle connection it says nothing but good-bye.
    """
    if connection.closed:
        return False
    waiting = select.poll()
    waiting.register(connection.fileno(), select.POLLIN)
    return not waiting.poll(0)


def steady(datastore: PostgresDatastore, limits: Limits) -> SteadyPool:
    """A pool like that of the library's datastore, of connections as described above."""
    stock = datastore.pool
    assert isinstance(stock.kwargs, dict)
    patience = int(stock.timeout)
    return SteadyPool(
        get_password_func=stock.get_password_func,
        connection_class=Connection[DictRow],
        kwargs={
            **stock.kwargs,
            **SILENCE,
            "connect_timeout": patience,
            "target_session_attrs": "read-write",
        },
        min_size=stock.min_size,
        max_size=stock.max_size,
        open=False,
        configure=functools.partial(configure, schema=datastore.schema, limits=limits),
        check=ConnectionPool.check_connection if datastore.pre_ping else None,
        timeout=stock.timeout,
        max_waiting=stock.max_waiting,
        max_lifetime=stock.max_lifetime,
        # What waits between two attempts grows with their number: better few, and new ones on
        # demand.
        reconnect_timeout=READERS_PATIENCE,
    )


def reading(method: Callable[..., Any]) -> Callable[..., Any]:
    """The method, tried again for at most about two seconds when a connection breaks.

    What the library has made to be tried ten times is taken out of that.
    """
    once = getattr(method, "__wrapped__", method)

    @functools.wraps(once)
    def read(*args: Any, **more: Any) -> Any:
        give_up = monotonic() + READERS_PATIENCE
        while True:
            try:
                return once(*args, **more)
            except (OperationalError, InterfaceError):
                if monotonic() >= give_up:
                    raise
            sleep(PAUSE)

    return read


def writing(method: Callable[..., Any]) -> Callable[..., Any]:
    """The method, tried once: an insert whose answer is lost may be on the record."""
    once: Callable[..., Any] = getattr(method, "__wrapped__", method)
    return once
