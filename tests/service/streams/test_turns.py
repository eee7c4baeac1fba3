"""Whatever serves one connection gives the loop up after a bounded share of its work."""

import asyncio
from collections.abc import AsyncIterator, Callable
from uuid import UUID

import pytest

from domain.ruling_kinds import Note
from projections.disclosure import PUBLIC_VIEWER
from service.auth.grants import Grant
from service.http import exports
from service.instance import Instance
from service.streams import live_stream
from service.streams.forms import EVENT_STREAM, NDJSON, Form
from service.streams.live_stream import Reader
from tests.support.instance.service_instance import started
from tests.support.tables.ruling_tables import rule

LINES = 5
"""A share, in these tests."""


async def may() -> bool:
    return True


def streamed(instance: Instance, match: UUID, form: Form) -> AsyncIterator[bytes]:
    return instance.streams.follow(match, Reader(PUBLIC_VIEWER, form, may), 0)


def exported(instance: Instance, match: UUID) -> AsyncIterator[bytes]:
    return exports._line(instance, Grant("organiser"), match)


SERVED: dict[str, Callable[[Instance, UUID], AsyncIterator[bytes]]] = {
    "SSE": lambda instance, match: streamed(instance, match, EVENT_STREAM),
    "NDJSON": lambda instance, match: streamed(instance, match, NDJSON),
    "an export": exported,
}


@pytest.fixture
async def turns() -> AsyncIterator[list[None]]:
    """Has one item more at each turn of the loop."""
    taken: list[None] = []

    async def ticking() -> None:
        while True:
            taken.append(None)
            await asyncio.sleep(0)

    ticker = asyncio.create_task(ticking())
    yield taken
    ticker.cancel()


@pytest.mark.parametrize("served", SERVED)
async def test_a_fast_reader_of_what_is_in_memory_lets_others_have_their_turn(
    instance: Instance, monkeypatch: pytest.MonkeyPatch, turns: list[None], served: str
) -> None:
    monkeypatch.setattr(live_stream, "LINES_A_CHUNK", LINES)
    monkeypatch.setattr(exports, "LINES", LINES)
    match = await started(instance)
    for _ in range(20):
        await instance.rulings.execute(match, rule("", Note("public", "long", "clarification")))
    _, public = await instance.sessions.projection(match, PUBLIC_VIEWER)
    lines, since, most = 0, 0, 0
    async for chunk in SERVED[served](instance, match):
        since = since + chunk.count(b'"seq":') if len(turns) == lines else chunk.count(b'"seq":')
        most, lines = max(most, since), len(turns)
        if b'"seq":%d,' % public.seq in chunk:
            break
    assert public.seq > 4 * LINES
    assert most <= 2 * LINES + 1
