"""One durable action at a service with nothing else to do, next to the least it can take: a round
trip of `/healthz`, and one fdatasync that a thread does for an event loop."""

import asyncio
import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

import uvloop

from tests.benchmarks.bidding import BiddingTable, RawConnection
from tests.benchmarks.http import server
from tests.benchmarks.load import request
from tests.benchmarks.rows import Row, at_most
from tests.benchmarks.streams import shown

TIMES = 400
WARM_UP = 20
PAUSE = 0.005
"""Seconds of rest before each, so that the service is idle."""

TARGET = 2.0

PAGE = 4_096
PAGES = 1_024
"""Size of the file that is written over again, as SQLite does with its log: it never grows, which
would cost a sync more."""

HEALTH = request("GET", "/healthz")


def measure(folder: Path) -> list[Row]:
    """On SQLite; all three in turn, so that they meet the same machine."""
    with server(folder) as service, RawConnection(service.port) as healthy:
        health, actions, syncs = uvloop.run(_measured(service.port, healthy, folder / "written"))
    ratio = median(actions) / (median(health) + median(syncs))
    each = f"  ({shown(actions)}; {shown(health)} and {shown(syncs)} ms, p50 / p99)"
    what = "an idle durable action, beside /healthz + fdatasync in a thread"
    return [at_most(what, ratio, TARGET, "times", each)]


async def _measured(
    port: int, healthy: RawConnection, file: Path
) -> tuple[list[float], list[float], list[float]]:
    """Sorted seconds of `/healthz`, of actions, and of syncs."""
    health: list[float] = []
    actions: list[float] = []
    syncs: list[float] = []
    table = BiddingTable(port)
    with ThreadPoolExecutor(1) as writer, file.open("w+b", buffering=0) as written:
        os.posix_fallocate(written.fileno(), 0, PAGE * PAGES)
        written.write(bytes(PAGE * PAGES))
        os.fsync(written.fileno())
        for number in range(WARM_UP + TIMES):
            if not table.bids_left:
                table.__exit__()
                table = BiddingTable(port)
            await asyncio.sleep(PAUSE)
            began = time.perf_counter()
            healthy.answer(HEALTH)
            health.append(time.perf_counter() - began)
            await asyncio.sleep(PAUSE)
            sent, answered = table.bid()
            actions.append(answered - sent)
            await asyncio.sleep(PAUSE)
            syncs.append(await _synced(writer, written.fileno(), number))
        table.__exit__()
    return sorted(health[WARM_UP:]), sorted(actions[WARM_UP:]), sorted(syncs[WARM_UP:])


async def _synced(writer: ThreadPoolExecutor, file: int, number: int) -> float:
    """Seconds until a page that the thread has written is on disk and the loop has noticed."""
    began = time.perf_counter()
    await asyncio.get_running_loop().run_in_executor(writer, _sync, file, number)
    return time.perf_counter() - began


def _sync(file: int, number: int) -> None:
    os.pwrite(file, number.to_bytes(8) * (PAGE // 8), number % PAGES * PAGE)
    os.fdatasync(file)
