"""Both stores pass the library's own cases for recorders."""

import threading
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from eventsourcing.tests import persistence as library
from eventsourcing.utils import Environment

from service.event_store import postgres, sqlite
from tests.support.servers.postgres_server import fresh_database


class OnDisk(library.RecorderTestCase):
    """Cases with an embedded database of their own each."""

    factory: Any

    def setUp(self) -> None:
        folder = Path(self.enterContext(TemporaryDirectory()))
        env = {"PERSISTENCE_MODULE": sqlite.__name__, "SQLITE_DBNAME": str(folder / "events.db")}
        self.factory = sqlite.Factory(Environment("arbiter", env))
        self.addCleanup(self.factory.close)
        # Some cases return before their reading threads do, which still use the connections.
        self.addCleanup(_join_all_but, set(threading.enumerate()))


def _join_all_but(before: set[threading.Thread]) -> None:
    for thread in set(threading.enumerate()) - before:
        thread.join()


class OnPostgres(library.RecorderTestCase):
    """Cases with a database of PostgreSQL of their own each."""

    factory: Any

    def setUp(self) -> None:
        env = self.enterContext(fresh_database())
        self.factory = postgres.Factory(Environment("arbiter", env))
        self.addCleanup(self.factory.close)


class Secrets(library.AggregateRecorderTestCase):
    factory: Any

    def create_recorder(self) -> Any:
        return self.factory.aggregate_recorder("secrets")


class Logs(library.ApplicationRecorderTestCase[Any]):
    """Without the optional case of subscriptions, which nothing here uses: on PostgreSQL the
    library's listens only after it has read, and waits in vain for what is written in between."""

    factory: Any

    def create_recorder(self) -> Any:
        return self.factory.application_recorder()


class Positions(library.NonInterleavingNotificationIDsBaseCase):
    factory: Any
    insert_num = 50

    def create_recorder(self) -> Any:
        return self.factory.application_recorder()


class TestSecretsOnDisk(OnDisk, Secrets):
    pass


class TestSecretsOnPostgres(OnPostgres, Secrets):
    pass


class TestLogsOnDisk(OnDisk, Logs):
    pass


class TestLogsOnPostgres(OnPostgres, Logs):
    pass


class TestPositionsOnDisk(OnDisk, Positions):
    pass


class TestPositionsOnPostgres(OnPostgres, Positions):
    pass


del OnDisk, OnPostgres, Secrets, Logs, Positions
