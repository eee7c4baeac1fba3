"""`@arbiter/client` through a connection that is cut: each event is seen once, each action counts
once."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import pytest_asyncio

from tests.support.http.match_play import all_events, play_out, step
from tests.support.servers.cutting_relay import CuttingRelay, cutting_relay
from tests.support.servers.live_server import Json, Live
from tests.support.web.node_program import node
from tests.support.web.typescript_client import provide

PROGRAMS = Path(__file__).parent / "typescript"
PATIENCE = 30.0
CUTS = 10


@pytest_asyncio.fixture
async def proxy(live: Live) -> AsyncIterator[CuttingRelay]:
    async with cutting_relay(live.port) as running:
        yield running


class Printing:
    """A program that prints lines."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        self._printed = process.stdout

    async def line(self) -> str:
        """The next line; empty at the end."""
        async with asyncio.timeout(PATIENCE):
            return (await self._printed.readline()).decode()


@asynccontextmanager
async def program(folder: Path, name: str, *arguments: str) -> AsyncIterator[Printing]:
    """A program that can import the package. It must end well."""
    provide(folder)
    path = folder / name
    path.write_text((PROGRAMS / name).read_text())
    process = await asyncio.create_subprocess_exec(
        node(), str(path), *arguments, stdout=asyncio.subprocess.PIPE
    )
    try:
        yield Printing(process)
        async with asyncio.timeout(PATIENCE):
            assert await process.wait() == 0
    finally:
        if process.returncode is None:
            process.kill()


@pytest.mark.asyncio
@pytest.mark.parametrize("way", ["follow", "play"])
async def test_each_event_is_seen_once(
    live: Live, proxy: CuttingRelay, tmp_path: Path, way: str
) -> None:
    match = live.started("liars-dice", options={"dice": 6})
    seen: list[Json] = []
    arguments = (way, proxy.url, match.id, match.keys[0])
    async with program(tmp_path, "lines.mjs", *arguments) as printing:
        for cut in range(CUTS):
            last = all_events(match.seats[0])[-1]["seq"]
            while len(seen) < last:
                seen.append(json.loads(await printing.line()))
            if cut % 2:
                proxy.cut()
            else:
                proxy.cut_within_next()
            assert step(match) is not None
        play_out(match)
        while line := await printing.line():
            seen.append(json.loads(line))
    assert seen == all_events(match.seats[0])
    assert sum("/stream" in request for request in proxy.requests) > CUTS


@pytest.mark.asyncio
async def test_each_action_counts_once(live: Live, proxy: CuttingRelay, tmp_path: Path) -> None:
    match = live.started("liars-dice", options={"dice": 6})
    acts, last = 0, ""
    async with program(tmp_path, "bots.mjs", proxy.url, match.id, *match.keys) as printing:
        while line := await printing.line():
            last = line
            acts += line == "acts\n"
            if acts <= CUTS:
                proxy.cut()
    assert acts > CUTS
    played = json.loads(last)
    assert played["results"] == [match.anyone.view().json()["result"]] * 2
    actions = [e for e in all_events(match.moderator) if e["type"] == "match.action-received.1"]
    sent = [receipt["idempotency_key"] for receipt in played["receipts"]]
    assert sorted(sent) == sorted(event["data"]["key"] for event in actions)
