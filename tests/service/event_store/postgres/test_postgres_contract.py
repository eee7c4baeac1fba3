"""The store on PostgreSQL passes the library's own cases for recorders and their factory."""

import eventsourcing.postgres as stock
from eventsourcing.persistence import TrackingRecorder
from eventsourcing.tests import persistence as library
from eventsourcing.utils import Environment

from service.event_store.postgres import Factory, QuickPostgresRecorder, SteadyAggregateRecorder
from tests.support.servers.postgres_server import fresh_database


class OnPostgres(library.RecorderTestCase):
    """Recorder tests with a database of their own for each case."""

    def setUp(self) -> None:
        env = self.enterContext(fresh_database())
        self.factory = Factory(Environment("arbiter", env))
        self.addCleanup(self.factory.close)


class TestAggregateRecorder(OnPostgres, library.AggregateRecorderTestCase):
    def create_recorder(self) -> SteadyAggregateRecorder:
        recorder = self.factory.aggregate_recorder("secrets")
        assert isinstance(recorder, SteadyAggregateRecorder)
        return recorder


class TestApplicationRecorder(
    OnPostgres, library.ApplicationRecorderTestCase[QuickPostgresRecorder]
):
    """Without the optional case of subscriptions, which nothing here uses: the library's listens
    only after it has read, and waits in vain for what is written in between."""

    def create_recorder(self) -> QuickPostgresRecorder:
        recorder = self.factory.application_recorder()
        assert isinstance(recorder, QuickPostgresRecorder)
        return recorder


class TestNotificationIds(OnPostgres, library.NonInterleavingNotificationIDsBaseCase):
    insert_num = 50

    def create_recorder(self) -> QuickPostgresRecorder:
        recorder = self.factory.application_recorder()
        assert isinstance(recorder, QuickPostgresRecorder)
        return recorder


class OtherTracking(stock.PostgresTrackingRecorder):
    """Any subclass of the tracking recorder; the library's case needs one."""


class TestFactory(library.InfrastructureFactoryTestCase[Factory]):
    def setUp(self) -> None:
        self.env = Environment("arbiter", self.enterContext(fresh_database()))
        super().setUp()

    def tearDown(self) -> None:
        self.factory.close()
        super().tearDown()

    def expected_factory_class(self) -> type[Factory]:
        return Factory

    def expected_aggregate_recorder_class(self) -> type[SteadyAggregateRecorder]:
        return SteadyAggregateRecorder

    def expected_application_recorder_class(self) -> type[QuickPostgresRecorder]:
        return QuickPostgresRecorder

    def expected_tracking_recorder_class(self) -> type[stock.PostgresTrackingRecorder]:
        return stock.PostgresTrackingRecorder

    def tracking_recorder_subclass(self) -> type[TrackingRecorder]:
        return OtherTracking

    def expected_process_recorder_class(self) -> type[stock.PostgresProcessRecorder]:
        return stock.PostgresProcessRecorder
