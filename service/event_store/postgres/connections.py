"""PostgreSQL connections with durable commits, time limits, and replacement after a hang-up.

A commit is on disk when it returns. One statement on every new connection asserts `fsync`,
`synchronous_commit` and the encoding, and sets the time limits and whatever else changes what a
statement means; later no statement is needed for that.
"""

import functools
import select
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from time import monotonic, sleep
from typing import Any, TypeVar

import psycopg
from eventsourcing.persistence import InterfaceError, OperationalError
from eventsourcing.postgres import ConnectionPool, PostgresDatastore
from eventsourcing.utils import Environment
from msgspec import Struct
from msgspec.structs import replace
from psycopg import Connection
from psycopg.abc import PQGen
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import DictRow, tuple_row
from psycopg_pool import PoolTimeout

from service.event_store.database import NotDurable, NotUtf8, UnfitDatabase
from service.event_store.postgres.timelines import (
    ReplacedPrimary,
    Timeline,
    Timelines,
    next_host_first,
    timeline_of,
)
from service.event_store.store_threads import statement_limit

RV = TypeVar("RV")

SESSION = {"client_encoding": "UTF8", "target_session_attrs": "read-write"}
"""Of every session: the encoding, which else the environment, the role or the database decides; and
that it goes to a host that takes commits, whatever others are in the list."""

TLS = {"sslmode": "POSTGRES_SSLMODE", "sslrootcert": "POSTGRES_SSLROOTCERT"}
"""What libpq asks of TLS, and the settings for it."""

READ_RETRY_SECONDS = 2.0
"""Seconds for which a read is retried while connections break."""

RETRY_PAUSE_SECONDS = 0.05

DURABLE_COMMITS = ("on", "remote_write", "remote_apply")

LIMITS = {
    "POSTGRES_LOCK_TIMEOUT": "5",
    "POSTGRES_STATEMENT_TIMEOUT": "10",
    "POSTGRES_IDLE_IN_TRANSACTION_SESSION_TIMEOUT": "10",
}
"""Maximum seconds to wait for a lock, to run a statement, and to idle within a transaction."""

MARGIN_SECONDS = 2
"""Seconds after its own time limit in which a server that works has ended a statement."""

POLL_SECONDS = 0.1
"""Seconds after which a wait for the server looks whether it was interrupted."""

TIMEOUTS = {"POSTGRES_CONNECT_TIMEOUT": "2", **LIMITS}

SIZES = {"POSTGRES_POOL_SIZE": "4", "POSTGRES_MAX_OVERFLOW": "8"}
"""One connection for the writer, eight for reader threads, and some for background tasks."""

# When the server's machine or the network fails silently, the operating system drops the connection
# after about ten seconds.
KEEPALIVE = {
    "keepalives_idle": 4,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
}

REMEDY = "create another, CREATE DATABASE ... ENCODING 'UTF8' TEMPLATE template0"

SETTINGS = {
    "default_transaction_isolation": "read committed",
    "default_transaction_deferrable": "off",
    "standard_conforming_strings": "on",
    "bytea_output": "hex",
    "DateStyle": "ISO, MDY",
    "IntervalStyle": "postgres",
    "TimeZone": "UTC",
    "extra_float_digits": "1",
    "transform_null_equals": "off",
    "array_nulls": "on",
    "quote_all_identifiers": "off",
    "row_security": "off",
    "idle_session_timeout": "0",
}
"""What a statement means and returns depends on these, which a role or a database may have set.
Without `row_security` a statement whose rows a policy would hide is an error."""

_ASSERT_AND_SET = (
    "SELECT current_setting('fsync'),"
    " set_config('synchronous_commit', current_setting('synchronous_commit'), false),"
    " current_setting('server_encoding'),"
    " set_config('search_path', quote_ident(%s), false),"
    " set_config('lock_timeout', %s, false),"
    " set_config('statement_timeout', %s, false),"
    " set_config('idle_in_transaction_session_timeout', %s, false),"
) + ", ".join(f"set_config('{name}', '{value}', false)" for name, value in SETTINGS.items())


class PostgresAddress(Struct, frozen=True):
    """The connection string of the database, as libpq reads it, and the schema of the log. To
    connect takes at most so many `seconds`, at all hosts together."""

    connect: str
    schema: str
    seconds: int

    def next_host_first(self) -> "PostgresAddress":
        """The same, with the first host of its list last."""
        settings = next_host_first(conninfo_to_dict(self.connect))
        return replace(self, connect=make_conninfo(**settings))


def postgres_address(env: Mapping[str, str]) -> PostgresAddress:
    """The address from the library's own settings."""
    names = {
        "dbname": "POSTGRES_DBNAME", "host": "POSTGRES_HOST", "port": "POSTGRES_PORT",
        "user": "POSTGRES_USER", "password": "POSTGRES_PASSWORD",
        "connect_timeout": "POSTGRES_CONNECT_TIMEOUT",
    }  # fmt: skip
    full = with_defaults(Environment("", dict(env)))
    parameters = {name: full[variable] for name, variable in names.items() if full.get(variable)}
    connect = make_conninfo(**parameters, **session(full))
    schema = full.get("POSTGRES_SCHEMA") or "public"
    return PostgresAddress(connect, schema, connect_seconds(full))


def session(env: Mapping[str, str]) -> dict[str, str]:
    """What libpq needs for a session besides the address."""
    return SESSION | {name: value for name, key in TLS.items() if (value := env.get(key))}


def connect_seconds(env: Mapping[str, str]) -> int:
    """Seconds until all hosts of `POSTGRES_HOST` have been tried: each may be silent."""
    hosts = (env.get("POSTGRES_HOST") or "").count(",") + 1
    return hosts * int(env.get("POSTGRES_CONNECT_TIMEOUT") or "")


def with_defaults(env: Environment) -> Environment:
    """The settings, with safe defaults for those that are missing.

    Raises OSError with a sentence for the operator if a time limit is not a positive whole number.
    """
    full = Environment(env.name, dict(env))
    for name, default in (TIMEOUTS | SIZES).items():
        if not env.get(name):
            full[env.create_keys(name)[0]] = default
    for name in TIMEOUTS:
        seconds = full.get(name, "")
        if not (seconds.isascii() and seconds.isdigit() and int(seconds) > 0):
            raise OSError(f"{name}={seconds}: whole seconds, at least 1")
    return full


def configure(connection: Connection[Any], schema: str, limits: Sequence[str]) -> None:
    """Asserts that commits are durable and that the database can store every text, and sets the
    session settings of a new connection.

    Raises UnfitDatabase.
    """
    connection.autocommit = True
    cursor = connection.cursor(row_factory=tuple_row)
    ((fsync, synchronous, encoding, *_),) = cursor.execute(
        _ASSERT_AND_SET, (schema, *limits)
    ).fetchall()
    if fsync != "on" or synchronous not in DURABLE_COMMITS:
        raise NotDurable(
            f"fsync={fsync}, synchronous_commit={synchronous}: need on, and one of "
            + ", ".join(DURABLE_COMMITS)
        )
    if encoding != "UTF8":
        raise NotUtf8(encoding, REMEDY)


class TimedConnection(Connection[DictRow]):
    """A connection that is closed when the server has not answered a statement for `patience`
    seconds, or as long as this thread has: a hung server, whose own time limits hang with it, or
    one that waits for another holds no thread."""

    patience: float | None = None
    timeline: Timeline | None = None

    def wait(
        self, gen: PQGen[RV], interval: float = POLL_SECONDS, timeout: float | None = None
    ) -> RV:
        if timeout is not None or self.patience is None:
            return super().wait(gen, interval, timeout)
        began, patience = monotonic(), min(self.patience, statement_limit.seconds)
        try:
            return super().wait(gen, interval, patience)
        except psycopg.OperationalError:
            if monotonic() - began >= patience:
                self.close()
            raise


class NewestFirst(deque[Connection[DictRow]]):
    """A deque that hands out the connection that was returned last."""

    def popleft(self) -> Connection[DictRow]:
        return self.pop()


class SteadyPool(ConnectionPool[Connection[DictRow]]):
    """A pool whose connections are checked before use.

    A connection that the server has closed is discarded unused: a restart of the server causes no
    error, and nothing is sent twice. So is one to a primary that another has replaced, which may be
    back for a moment. The connection that was used last is handed out first, because
    the server's caches for it are still warm.
    """

    last_error: Exception | None = None
    """Why the last attempt to connect failed; None if it succeeded."""

    def __init__(self, patience: float, **settings: Any) -> None:
        """`patience` are the seconds in which the server answers a statement."""
        super().__init__(connection_class=TimedConnection, **settings)
        self._patience = patience
        self.timelines = Timelines()
        self._pool = NewestFirst(self._pool)

    def getconn(self, timeout: float | None = None) -> Connection[DictRow]:
        while True:
            try:
                connection = super().getconn(timeout)
            except PoolTimeout as error:
                raise self._reason(error) from self.last_error
            assert isinstance(connection, TimedConnection)
            if alive(connection) and not self.timelines.has_passed(connection.timeline):
                connection.patience = self._patience
                return connection
            connection.close()
            self.putconn(connection)

    def _connect(self, timeout: float | None = None) -> Connection[DictRow]:
        try:
            connection = self._connect_to_newest(timeout)
        except Exception as error:
            self.last_error = error
            raise
        self.last_error = None
        return connection

    def _connect_to_newest(self, timeout: float | None) -> Connection[DictRow]:
        """Goes on with the next host of a list after one that was replaced."""
        assert isinstance(self.kwargs, dict), "as it was given"
        hosts = str(self.kwargs.get("host") or "").count(",") + 1
        for tried in range(1, hosts + 1):
            connection = super()._connect(timeout)
            assert isinstance(connection, TimedConnection)
            try:
                connection.timeline = timeline_of(connection)
                self.timelines.see(connection.timeline)
            except BaseException as error:
                connection.close()
                if not isinstance(error, ReplacedPrimary) or tried == hosts:
                    raise
                self.kwargs = next_host_first(self.kwargs)
            else:
                return connection
        raise AssertionError("there is a host")

    def _reason(self, error: PoolTimeout) -> Exception:
        if isinstance(self.last_error, UnfitDatabase):
            return self.last_error
        return PoolTimeout(f"{error}: {self.last_error or 'all connections are in use'}")


def alive(connection: Connection[Any]) -> bool:
    """Whether the server still holds an idle connection open. Looks at the socket only.

    The server sends to an idle connection only when it closes it.
    """
    if connection.closed:
        return False
    poller = select.poll()
    poller.register(connection.fileno(), select.POLLIN)
    return not poller.poll(0)


def steady_pool(datastore: PostgresDatastore, env: Environment) -> SteadyPool:
    """A SteadyPool with the settings of the datastore's own pool, and limits from complete
    settings."""
    limits = [f"{env.get(name)}s" for name in LIMITS]
    stock = datastore.pool
    assert isinstance(stock.kwargs, dict), "the library passes a dict, never a function"
    return SteadyPool(
        patience=int(env.get("POSTGRES_STATEMENT_TIMEOUT") or "") + MARGIN_SECONDS,
        get_password_func=stock.get_password_func,
        kwargs={**stock.kwargs, **KEEPALIVE, **session(env), "connect_timeout": int(stock.timeout)},
        min_size=stock.min_size,
        max_size=stock.max_size,
        open=False,
        configure=functools.partial(configure, schema=datastore.schema, limits=limits),
        check=ConnectionPool.check_connection if datastore.pre_ping else None,
        timeout=connect_seconds(env),
        max_waiting=stock.max_waiting,
        max_lifetime=stock.max_lifetime,
        # The pool waits longer after each failed attempt: better few attempts, and new ones on
        # demand.
        reconnect_timeout=READ_RETRY_SECONDS,
    )


def retry_reads(method: Callable[..., Any]) -> Callable[..., Any]:
    """The method, retried for at most about two seconds when a connection breaks.

    It replaces the library's own decorator, which retries ten times.
    """
    tried_once = try_once(method)

    @functools.wraps(tried_once)
    def read(*args: Any, **kwargs: Any) -> Any:
        give_up = monotonic() + READ_RETRY_SECONDS
        while True:
            try:
                return tried_once(*args, **kwargs)
            except (OperationalError, InterfaceError):
                if monotonic() >= give_up:
                    raise
            sleep(RETRY_PAUSE_SECONDS)

    return read


def try_once(method: Callable[..., Any]) -> Callable[..., Any]:
    """The method without the library's retries: an insert whose answer was lost may be stored."""
    tried_once: Callable[..., Any] = getattr(method, "__wrapped__", method)
    return tried_once
