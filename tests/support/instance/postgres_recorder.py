"""Recorders on PostgreSQL, and rows for them."""

from uuid import UUID

from eventsourcing.persistence import StoredEvent

from service.event_store.postgres import Factory, PostgresRow, QuickPostgresRecorder


def made(factory: Factory) -> QuickPostgresRecorder:
    recorder = factory.application_recorder()
    assert isinstance(recorder, QuickPostgresRecorder)
    return recorder


def events(stream: UUID, count: int, after: int = 0) -> list[StoredEvent]:
    return [
        StoredEvent(stream, after + n, "a.topic.1", b"state %d\0\xff" % n)
        for n in range(1, count + 1)
    ]


def rows(stream: UUID, count: int, after: int = 0) -> list[PostgresRow]:
    stored = events(stream, count, after)
    return [(stream.hex, e.originator_version, e.topic, e.state) for e in stored]
