"""The longest match that the limits of seats allow is short enough to be read from its first event
whenever it is needed, and that never holds the event loop. How long it takes is measured by
`make bench PARTS=opening`."""

import threading
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from msgspec.structs import replace

from projections.audience import projection as audience_projection
from projections.audience import view as audience
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER
from projections.audience.projection import MAX_UNFOLDED
from service.instance import Instance
from service.settings import Limits
from tests.support.instance.longest_match import filled_match
from tests.support.instance.seat_inputs import opened
from tests.support.instance.service_instance import settings
from tests.support.tables.directing import PAUSE, RESUME
from tests.support.virtual_clock import VirtualClock

SMALL = 32 * 1024


@pytest.fixture
def in_the_loop(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many events of an audience are folded by the thread of the event loop, each time."""
    folded: list[int] = []
    loop, honest = threading.get_ident(), audience.see

    def see(state: Any, records: Any) -> Any:
        each = list(records)
        if threading.get_ident() == loop:
            folded.append(len(each))
        return honest(state, each)

    for module in (audience, audience_projection):
        monkeypatch.setattr(module, "see", see)
    return folded


@pytest.mark.parametrize("game", ["dollar-prize", "together"])
async def test_what_a_long_match_is_read_for_is_folded_outside_the_event_loop(
    tmp_path: Path, clock: VirtualClock, in_the_loop: list[int], game: str
) -> None:
    async with opened(
        replace(settings(tmp_path / "a.db"), limits=Limits(seat_bytes=SMALL)), clock
    ) as instance:
        match = await filled_match(instance, game)
        in_the_loop.clear()
        await _read_by_all(instance, match)
        instance.sessions.invalidate(match)
        await _read_by_all(instance, match)
        instance.sessions.invalidate(match)
        for command in (PAUSE, RESUME):
            await instance.matches.execute(match, command, MODERATOR)
        await _read_by_all(instance, match)
    assert max(in_the_loop, default=0) <= MAX_UNFOLDED


async def _read_by_all(instance: Instance, match: UUID) -> None:
    """Every kind of audience reads: lines, the latest view, and an earlier one."""
    for viewer in (0, MODERATOR, PUBLIC_VIEWER):
        await instance.sessions.lines(match, viewer, 0, 1)
        seq, _ = await instance.sessions.view(match, viewer, None)
        for earlier in (0, seq // 2, seq - 1):
            assert (await instance.sessions.view(match, viewer, earlier))[0] == earlier
