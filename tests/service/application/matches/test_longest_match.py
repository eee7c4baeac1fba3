"""The longest match that the limits of seats allow is short enough to be read from its first event
whenever it is needed, and that never holds the event loop. How long it takes is measured by
`make bench PARTS=opening`."""

import threading
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from msgspec.structs import replace

from domain.games import GAMES
from projections.audience import projection as audience_projection
from projections.audience import view as audience
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER
from projections.audience.projection import MAX_UNFOLDED
from service.application.matches.seat_limits import share
from service.instance import Instance
from service.settings import SEAT_BYTES, Limits
from tests.support.instance.longest_match import REFUSED, SUBMITTED, filled_match
from tests.support.instance.seat_inputs import limited, opened
from tests.support.instance.service_instance import on_record, settings
from tests.support.tables.directing import PAUSE, RESUME
from tests.support.virtual_clock import VirtualClock

MOST_EVENTS = 15_000
"""That are refused, submitted or given by seats: as many as a quarter of a second reads."""

TOGETHER = 768 * 1024
"""Bytes of all seats of a match."""

SMALL = 32 * 1024
FOLLOWS = 100
"""More bytes than follow from a submission, which its sender does not know before."""


def test_all_seats_together_have_what_two_have() -> None:
    assert all(seats * share(SEAT_BYTES, seats) <= TOGETHER for seats in range(1, 65))
    assert share(SEAT_BYTES, 2) == SEAT_BYTES and share(SEAT_BYTES, 32) == TOGETHER // 32


def test_every_game_has_an_action_that_it_refuses() -> None:
    assert set(REFUSED) == set(GAMES)


@pytest.mark.parametrize(
    ("game", "submitted"),
    [*((game, False) for game in REFUSED), *((game, True) for game in SUBMITTED)],
)
async def test_the_bytes_of_the_seats_limit_the_events(
    tmp_path: Path, clock: VirtualClock, game: str, submitted: bool
) -> None:
    async with opened(
        replace(settings(tmp_path / "a.db"), limits=Limits(seat_bytes=SMALL)), clock
    ) as instance:
        match = await filled_match(instance, game, submitted=submitted)
        seats = GAMES[game].seats[-1]
        for seat in range(seats):
            assert (await limited(instance, match, seat, REFUSED[game])).code == "too_much_recorded"
        sizes = (await instance.sessions.current(match)).match.recorded.sizes
        assert max(sizes) < share(SMALL, seats) + FOLLOWS
        events = len(on_record(instance, match))
    assert events * SEAT_BYTES / SMALL < MOST_EVENTS


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
