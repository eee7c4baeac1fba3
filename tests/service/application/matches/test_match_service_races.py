"""Two instances on one store: the slower one reads again, decides again, and doubles nothing."""

from uuid import UUID

import pytest
import pytest_asyncio
from eventsourcing.persistence import IntegrityError

from domain.games.dollar_prize.actions import ChooseSide
from service.application.matches.command_queue import MOST_TRIES
from service.event_store.errors import StoreUnavailable
from service.instance import Instance
from tests.support.instance.service_instance import (
    on_record,
    sends,
    started,
    watched,
)

HEADS, TAILS = ChooseSide("heads"), ChooseSide("tails")


@pytest_asyncio.fixture
async def match_id(instance: Instance, rival: Instance) -> UUID:
    """A running match that both instances have in memory."""
    match_id = await started(instance)
    for viewer in (0, 1):
        await rival.sessions.projection(match_id, viewer)
    return match_id


async def test_a_command_that_loses_every_race_gets_try_again(instance: Instance) -> None:
    match_id, other = await started(instance), await started(instance)
    before = on_record(instance, match_id)
    store = watched(instance)
    store.before.extend(IntegrityError("always another") for _ in range(MOST_TRIES + 1))

    with pytest.raises(StoreUnavailable):
        await instance.matches.execute(match_id, sends(0, HEADS), 0)

    assert not store.before
    assert on_record(instance, match_id) == before
    for there in (match_id, other):
        assert (await instance.matches.execute(there, sends(0, HEADS), 0)).result.code is None
