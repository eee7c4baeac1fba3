"""A check of a store in which names are withheld."""

import asyncio
from pathlib import Path
from uuid import UUID

from service.application.matches.creation import NewMatch
from service.instance import Instance
from tests.support.cli.checked_store import report
from tests.support.instance.tournament_play import played, settled


async def test_a_store_in_which_names_are_withheld_is_clean(
    instance: Instance, cup: UUID, database: Path
) -> None:
    match = await played(instance, cup)
    await settled(instance, cup)
    await instance.notary.checkpoint(match)
    await instance.notary.checkpoint(cup)
    alone = (await instance.creation.match(NewMatch("dollar-prize", ("Quentin", "Ben")))).id
    await instance.withheld_names.of_player(cup, 0)
    await instance.withheld_names.of_seat(alone, 0)
    status, found_there = await asyncio.to_thread(report, database.parent)
    assert (status, found_there["findings"], found_there["unjudged"]) == (0, [], [])
    for stream in (cup, match, alone):
        held = [bytes(state) for state in instance.store.states(stream)]
        assert not [state for state in held if b"Quentin" in state or b"\xa3Ann" in state]
