"""A store or a log that fails costs one answer, never the service."""

import asyncio
from io import StringIO
from pathlib import Path

import pytest
import structlog
from eventsourcing.persistence import OperationalError

from domain.games.dollar_prize.actions import ChooseSide
from service.application.matches.command_queue import CommandResponse
from service.event_store.errors import StoreUnavailable
from service.instance import Instance
from tests.support.instance.service_instance import (
    PATIENCE,
    created,
    sends,
    settings,
    started,
    watched,
)

HEADS = ChooseSide("heads")


async def test_a_log_that_cannot_be_written_stops_nobody(instance: Instance) -> None:
    """Standard error may be a pipe without a reader."""
    match_id = await started(instance)
    watched(instance).before.append(OperationalError("disk full"))
    broken = StringIO()
    broken.close()
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(broken))
    try:
        async with asyncio.timeout(PATIENCE):
            with pytest.raises(StoreUnavailable):
                await instance.matches.execute(match_id, sends(0, HEADS), 0)
            assert isinstance(
                await instance.matches.execute(match_id, sends(0, HEADS), 0), CommandResponse
            )
    finally:
        structlog.reset_defaults()


async def test_a_store_that_fails_while_a_match_is_created_says_try_again(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever of the writes of the creation fails."""
    for recorder in (instance.store.keyrings, instance.store.secrets):
        with monkeypatch.context() as patch:
            patch.setattr(recorder, "insert_events", _fails)
            with pytest.raises(StoreUnavailable):
                await created(instance)
    await created(instance)


async def test_a_store_that_cannot_be_read_says_try_again(
    instance: Instance, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = await started(instance)
    cold = Instance(settings(database), instance.clock)
    async with cold.running():
        monkeypatch.setattr(cold.store, "rows", _fails)
        with pytest.raises(StoreUnavailable):
            await cold.sessions.view(match_id, 0, None)
        with pytest.raises(StoreUnavailable):
            await cold.matches.execute(match_id, sends(0, HEADS), 0)


def _fails(*_: object) -> None:
    raise OperationalError("disk I/O error")
