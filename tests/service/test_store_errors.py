"""A store or a log that fails costs an answer, never the service."""

import asyncio
from io import StringIO
from pathlib import Path

import pytest
import structlog
from eventsourcing.persistence import OperationalError

from domain.games.dollar_prize.actions import ChooseSide
from service.arbiter import Arbiter
from service.door.pending import Answer
from service.storage.reading import StoreUnavailable
from tests.service.instance import PATIENCE, created, sends, settings, started, watched

HEADS = ChooseSide("heads")


async def test_a_log_that_cannot_be_written_stops_nobody(arbiter: Arbiter) -> None:
    """Standard error may be a pipe that nobody reads any more."""
    match_id = await started(arbiter)
    watched(arbiter).before.append(OperationalError("disk full"))
    broken = StringIO()
    broken.close()
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(broken))
    try:
        async with asyncio.timeout(PATIENCE):
            with pytest.raises(StoreUnavailable):
                await arbiter.matches.enter(match_id, sends(0, HEADS), 0)
            assert isinstance(await arbiter.matches.enter(match_id, sends(0, HEADS), 0), Answer)
    finally:
        structlog.reset_defaults()


async def test_a_store_that_fails_while_a_match_is_created_says_try_again(
    arbiter: Arbiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever of the writes that it takes is the one that fails."""
    for recorder in (arbiter.store.keyrings, arbiter.store.secrets):
        with monkeypatch.context() as patch:
            patch.setattr(recorder, "insert_events", _fails)
            with pytest.raises(StoreUnavailable):
                await created(arbiter)
    await created(arbiter)


async def test_a_store_that_cannot_be_read_says_try_again(
    arbiter: Arbiter, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = await started(arbiter)
    cold = Arbiter(settings(database), arbiter.clock)
    async with cold.running():
        monkeypatch.setattr(cold.store, "read", _fails)
        with pytest.raises(StoreUnavailable):
            await cold.open_matches.view(match_id, 0, None)
        with pytest.raises(StoreUnavailable):
            await cold.matches.enter(match_id, sends(0, HEADS), 0)


def _fails(*_: object) -> None:
    raise OperationalError("disk I/O error")
