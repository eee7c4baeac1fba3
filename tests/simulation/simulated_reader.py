"""A client that follows a live stream, and comes back wherever it is cut off."""

import asyncio
from contextlib import suppress
from random import Random
from uuid import UUID

import msgspec

from projections.audience.disclosure import Viewer
from service.event_store.errors import StoreUnavailable
from service.streams.channels import NDJSON
from service.streams.live_stream import Reader
from tests.simulation.simulated_process import ConnectionLost, SimulatedProcess
from tests.simulation.simulated_world import World
from tests.simulation.simulation_history import LineRead

FULL = 0.05
"""How often the connection does not take what is written directly."""

SLOW, SLOW_SECONDS = 0.3, (0.0, 0.5)
"""How often a chunk is taken slowly, and how slowly."""

PAUSE_SECONDS = 0.05, 1.0


class SimulatedReader:
    """Follows a match as one audience, from a random number on. `seq` is the last it has."""

    def __init__(
        self, world: World, number: int, match: UUID, viewer: Viewer, chance: Random
    ) -> None:
        self.world, self.number, self.match, self.viewer = world, number, match, viewer
        self.seq = 0
        self.over = False
        self._chance = chance

    async def follow(self) -> None:
        """Reads until the match is over."""
        while not self.over:
            number = self._chance.randrange(self.world.plan.shape.instances)
            with suppress(ConnectionLost, StoreUnavailable):
                await self.world.network.request(number, self._read)
            await asyncio.sleep(self._chance.uniform(*PAUSE_SECONDS))

    @property
    def complete(self) -> bool:
        """Whether it has everything on record that it may see."""
        return self.seq == len(self.world.records.positions(self.match, self.viewer))

    async def _read(self, process: SimulatedProcess) -> None:
        connection = _Connection(self, process)
        reader = Reader(self.viewer, NDJSON, _allowed, (), connection)
        async for chunk in process.instance.streams.follow(self.match, reader, self.seq):
            self.take(process, chunk)
            if self._chance.random() < SLOW:
                await asyncio.sleep(self._chance.uniform(*SLOW_SECONDS))

    def take(self, process: SimulatedProcess, body: bytes) -> None:
        """Takes lines; pings are empty ones."""
        for line in filter(None, body.split(b"\n")):
            if line.startswith(b'{"end":'):
                self.over = True
                continue
            on_record = self.world.on_record(self.match)
            self.world.add(
                LineRead(
                    self.world.now,
                    self.number,
                    process.name,
                    self.match,
                    self.viewer,
                    self.seq,
                    line,
                    on_record,
                )
            )
            self.seq = msgspec.json.decode(line)["seq"]

    def full(self) -> bool:
        """Whether the connection takes nothing at the moment."""
        return self._chance.random() < FULL


class _Connection:
    """The connection of a stream, which is gone with its process."""

    def __init__(self, reader: SimulatedReader, process: SimulatedProcess) -> None:
        self._reader, self._process = reader, process

    def write(self, chunk: bytes) -> bool:
        if self._process.dead or self._reader.full():
            return False
        _, _, rest = chunk.partition(b"\r\n")
        self._reader.take(self._process, rest[:-2])
        return True


async def _allowed() -> bool:
    return True
