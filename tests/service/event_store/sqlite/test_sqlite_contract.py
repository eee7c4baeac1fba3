"""The embedded store passes the library's own cases for recorders and their factory."""

import threading
from pathlib import Path
from tempfile import TemporaryDirectory

import eventsourcing.sqlite as stock
from eventsourcing.persistence import TrackingRecorder
from eventsourcing.tests import persistence as library
from eventsourcing.utils import Environment

from service.event_store.sqlite import Factory, QuickSQLiteRecorder


def environment(path: Path) -> Environment:
    env = {"PERSISTENCE_MODULE": "service.event_store.sqlite", "SQLITE_DBNAME": str(path)}
    return Environment("arbiter", env)


class OnDisk(library.RecorderTestCase):
    """Recorder tests with a database of their own for each case."""

    def setUp(self) -> None:
        folder = TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.factory = Factory(environment(Path(folder.name) / "events.db"))
        self.addCleanup(self.factory.close)
        # Some cases return before their reading threads do, which still use the connections.
        self.addCleanup(_join_all_but, set(threading.enumerate()))


def _join_all_but(before: set[threading.Thread]) -> None:
    for thread in set(threading.enumerate()) - before:
        thread.join()


class TestAggregateRecorder(OnDisk, library.AggregateRecorderTestCase):
    def create_recorder(self) -> stock.SQLiteAggregateRecorder:
        recorder = self.factory.aggregate_recorder("secrets")
        assert isinstance(recorder, stock.SQLiteAggregateRecorder)
        return recorder


class TestApplicationRecorder(OnDisk, library.ApplicationRecorderTestCase[QuickSQLiteRecorder]):
    def create_recorder(self) -> QuickSQLiteRecorder:
        recorder = self.factory.application_recorder()
        assert isinstance(recorder, QuickSQLiteRecorder)
        return recorder


class TestNotificationIds(OnDisk, library.NonInterleavingNotificationIDsBaseCase):
    def create_recorder(self) -> QuickSQLiteRecorder:
        recorder = self.factory.application_recorder()
        assert isinstance(recorder, QuickSQLiteRecorder)
        return recorder


class OtherTracking(stock.SQLiteTrackingRecorder):
    """Any subclass of the tracking recorder; the library's case needs one."""


class TestFactory(library.InfrastructureFactoryTestCase[Factory]):
    def setUp(self) -> None:
        folder = TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.env = environment(Path(folder.name) / "events.db")
        super().setUp()

    def expected_factory_class(self) -> type[Factory]:
        return Factory

    def expected_aggregate_recorder_class(self) -> type[stock.SQLiteAggregateRecorder]:
        return stock.SQLiteAggregateRecorder

    def expected_application_recorder_class(self) -> type[QuickSQLiteRecorder]:
        return QuickSQLiteRecorder

    def expected_tracking_recorder_class(self) -> type[stock.SQLiteTrackingRecorder]:
        return stock.SQLiteTrackingRecorder

    def tracking_recorder_subclass(self) -> type[TrackingRecorder]:
        return OtherTracking

    def expected_process_recorder_class(self) -> type[stock.SQLiteProcessRecorder]:
        return stock.SQLiteProcessRecorder
