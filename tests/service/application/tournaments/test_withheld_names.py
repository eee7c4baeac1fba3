"""Names that are withheld while another instance reads, or by a request that is interrupted."""

import asyncio
from typing import Any

import pytest
from eventsourcing.persistence import OperationalError

from domain.match.seat_holders import holders
from service.event_store.errors import StoreUnavailable
from service.instance import Instance
from tests.support.instance.service_instance import started


@pytest.mark.parametrize("ends", ["done", "interrupted"])
async def test_another_instance_reads_a_match_again_in_which_a_name_is_withheld(
    instance: Instance, other: Instance, monkeypatch: pytest.MonkeyPatch, ends: str
) -> None:
    """It has followed and read the match last right before its rows are replaced; or long before,
    and the first instance stops right afterwards."""
    match_id = await started(instance)
    await other.sessions.current(match_id)
    loop, recorder = asyncio.get_running_loop(), instance.store.recorder
    replace_states = recorder.replace_states

    async def shown() -> tuple[str, ...]:
        await other.withheld_names.refresh()
        return holders((await other.sessions.current(match_id)).match)

    def replaced(*rows: Any) -> None:
        if ends == "done":
            before = asyncio.run_coroutine_threadsafe(shown(), loop).result()
            assert before == ("Ann", "Ben")
        replace_states(*rows)
        if ends == "interrupted":
            raise OperationalError

    monkeypatch.setattr(recorder, "replace_states", replaced)
    try:
        await instance.withheld_names.of_seat(match_id, 0)
    except StoreUnavailable:
        assert ends == "interrupted"
    assert await shown() == ("Player 0", "Ben")
