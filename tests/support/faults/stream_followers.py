"""Readers of live streams, who record every line they receive."""

import asyncio
from collections import defaultdict

import msgspec

from projections.disclosure import Viewer, may_see, named
from tests.support.faults.durability_checks import Records
from tests.support.faults.http_writers import Json, Ledger, Table
from tests.support.faults.server_process import PATIENCE
from tests.support.http import local_http

PACE = 0.02
SILENCE = 60.0
"""Seconds after which a stream without even a ping has failed."""


class Following:
    """Reads the streams of every match at one instance, from their beginning, and never reconnects:
    a stream that ends before its match has failed. `lines` are the received lines."""

    def __init__(self, url: str, ledger: Ledger) -> None:
        self._ledger = ledger
        self._known: set[str] = set()
        self._http = local_http.streaming_client(url, timeout=SILENCE)
        self.lines: dict[tuple[str, Viewer], list[Json]] = defaultdict(list)
        self.ended: set[tuple[str, Viewer]] = set()

    async def run(self) -> None:
        """Reads every match, until cancelled."""
        try:
            async with asyncio.TaskGroup() as readers:
                while True:
                    for match_id in self._ledger.tables.keys() - self._known:
                        self._known.add(match_id)
                        for viewer, key in audiences(self._ledger.tables[match_id]):
                            readers.create_task(self._read(match_id, viewer, key))
                    await asyncio.sleep(PACE)
        finally:
            await self._http.aclose()

    async def reaches(self, match_id: str, seat: int, seq: int) -> None:
        """Returns when a seat has received this many lines."""
        await self._has((match_id, seat), seq)

    async def catches_up(self, records: Records) -> None:
        """Returns when every reader has received everything it may see."""
        for match_id in self._known:
            for viewer, _ in audiences(self._ledger.tables[match_id]):
                may = sum(may_see(viewer, record.event) for record in records[match_id])
                await self._has((match_id, viewer), may)

    async def _has(self, stream: tuple[str, Viewer], count: int) -> None:
        async with asyncio.timeout(PATIENCE):
            while len(self.lines[stream]) < count:  # noqa: ASYNC110  everything else wakes it, too
                await asyncio.sleep(PACE)

    async def _read(self, match_id: str, viewer: Viewer, key: str) -> None:
        path = f"/v1/matches/{match_id}/stream?as={named(viewer)}&after=0"
        headers = {"Authorization": f"Bearer {key}", "Accept": "application/x-ndjson"}
        async with self._http.stream("GET", path, headers=headers) as stream:
            assert stream.status_code == 200, await stream.aread()
            async for line in stream.aiter_lines():
                received = msgspec.json.decode(line) if line else {}
                if "end" in received:
                    assert received == {"end": True, "seq": len(self.lines[match_id, viewer])}
                    self.ended.add((match_id, viewer))
                elif received:
                    assert (match_id, viewer) not in self.ended, "a line after the end"
                    self.lines[match_id, viewer].append(received)


def audiences(table: Table) -> list[tuple[Viewer, str]]:
    """The readers, each with its key."""
    return [
        (0, table.seat_keys[0]),
        (1, table.seat_keys[1]),
        ("public", table.seat_keys[0]),
        ("moderator", table.moderator_key),
    ]
