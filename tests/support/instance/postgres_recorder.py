"""Recorders on PostgreSQL, and rows for recorders."""

from uuid import UUID

from eventsourcing.persistence import StoredEvent

from service.event_store.postgres import Factory, QuickPostgresRecorder
from service.event_store.recorder import Row, stored_rows


def made(factory: Factory) -> QuickPostgresRecorder:
    recorder = factory.application_recorder()
    assert isinstance(recorder, QuickPostgresRecorder)
    return recorder


def events(stream: UUID, count: int, after: int = 0) -> list[StoredEvent]:
    return [
        StoredEvent(stream, after + n, "a.topic.1", b"state %d\0\xff" % n)
        for n in range(1, count + 1)
    ]


def rows(stream: UUID, count: int, after: int = 0) -> list[Row]:
    return stored_rows(events(stream, count, after))
