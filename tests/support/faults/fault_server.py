"""The service on a data folder, as a process to be killed: prints its port, then serves.

`--synchronous OFF` breaks the promise that an acknowledged action is on disk: the control of the
tests that check it. `--settle-after` delays the settlement of matches by some seconds, so that a
kill falls between their end and that. `--postgres` serves the database that the environment names;
there `--lax` lets commits return that are not on disk, and `--early` answers before they do.
`--patience` cuts off readers that have read nothing for this many seconds, `--endless` neither
waits for them nor cuts them off. `--look-again` reads a closed record again after so many seconds.
`--ahead` is by how many seconds its clock is ahead of the machine's. Webhooks may be on this
machine; `--retry-after` is the pause, in seconds, before a failed notice is sent again.
"""

import argparse
import asyncio
import math
import os
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import UUID

import uvloop
from msgspec.structs import replace

from service.app import create_app
from service.application.tournaments.settlement import Settlement
from service.event_store import sqlite
from service.event_store.database import EMBEDDED, POSTGRES
from service.event_store.integrity import closed_records
from service.event_store.postgres import QuickPostgresRecorder
from service.event_store.postgres import connections as postgres_connections
from service.instance import Instance
from service.notices import sender
from service.observability.logs import configure_logs
from service.server import connections as unread
from service.server.health import probes
from service.server.web_server import Server, bind
from service.settings import Limits, NoticeSettings, Settings
from tests.support.instants import SECOND
from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.shifted_clock import Shifted

SEAT_BYTES = 1 << 30
"""What a seat may record: the tests of slow readers let one fill a record."""

EARLY_SECONDS = 1.0


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("--synchronous", choices=["OFF", "NORMAL", "FULL"], default="FULL")
    parser.add_argument("--settle-after", type=float, default=0.0)
    parser.add_argument("--postgres", action="store_true")
    parser.add_argument("--lax", action="store_true")
    parser.add_argument("--early", action="store_true")
    parser.add_argument("--patience", type=float)
    parser.add_argument("--endless", action="store_true")
    parser.add_argument("--grace", type=int, default=10)
    parser.add_argument("--look-again", type=float)
    parser.add_argument("--ahead", type=float, default=0.0)
    parser.add_argument("--retry-after", type=int)
    args = parser.parse_args()
    if args.patience is not None:
        cut_off_after(args.patience)
    if args.endless:
        buffer_everything()
    if args.look_again is not None:
        setattr(closed_records, "LOOK_AGAIN_SECONDS", args.look_again)  # noqa: B010  as below
    if args.retry_after is not None:
        setattr(sender, "PAUSES", (args.retry_after,) * 100)  # noqa: B010  as below
    if args.settle_after:
        delay_settlement(args.settle_after)
    if args.synchronous != "FULL":
        break_promise(args.synchronous)
    if args.lax:
        setattr(postgres_connections, "DURABLE_COMMITS", ("on", "off"))  # noqa: B010  types forbid it otherwise
    if args.early:
        answer_early()
    configure_logs("json")
    store = {"PERSISTENCE_MODULE": EMBEDDED, "SQLITE_DBNAME": str(args.data / "arbiter.db")}
    settings = Settings(store=store, organiser_key=ORGANISER_KEY)
    settings = replace(
        settings,
        limits=Limits(grace=args.grace, seat_bytes=SEAT_BYTES),
        notices=NoticeSettings(private=True),
    )
    if args.postgres:
        env = {name: value for name, value in os.environ.items() if name.startswith("POSTGRES_")}
        store = {**env, "PERSISTENCE_MODULE": POSTGRES}
        settings = replace(settings, store=store, data=args.data, shared=True)
    uvloop.run(serve(settings, args.ahead))


def answer_early() -> None:
    """Records in PostgreSQL a little later than it reports."""
    insert, later = QuickPostgresRecorder.insert_rows, ThreadPoolExecutor(1)

    def slow(*args: Any) -> None:
        time.sleep(EARLY_SECONDS)
        insert(*args)

    def insert_later(*args: Any) -> Sequence[int]:
        later.submit(slow, *args)
        return []

    setattr(QuickPostgresRecorder, "insert_rows", insert_later)  # noqa: B010  as above


def cut_off_after(seconds: float) -> None:
    """Waits this long for a reader that reads nothing."""
    setattr(unread, "UNREAD_SECONDS", seconds)  # noqa: B010  as above


def buffer_everything() -> None:
    """Queues everything for a reader that does not read it."""

    async def go_on(connection: unread.Connection) -> None:
        """Behaves as if it had been read."""

    cut_off_after(math.inf)
    setattr(unread, "MOST_HELD", math.inf)  # noqa: B010  as above
    setattr(unread.Connection, "drained", go_on)  # noqa: B010  as above


def break_promise(synchronous: str) -> None:
    """Connections that do not wait for the disk, without the check that refuses them."""

    def lax(cursor: Any) -> None:
        cursor.execute(f"PRAGMA synchronous={synchronous}")

    sqlite.require_fit = lax


def delay_settlement(seconds: float) -> None:
    """Delays the settlement of matches."""
    settle = Settlement.settle

    async def settle_later(settlement: Settlement, match_id: UUID) -> None:
        await asyncio.sleep(seconds)
        await settle(settlement, match_id)

    setattr(Settlement, "settle", settle_later)  # noqa: B010  types forbid it otherwise


async def serve(settings: Settings, ahead: float) -> None:
    clock = Shifted()
    clock.go_to(clock.now() + round(ahead * SECOND))
    router = Instance(settings, clock) if ahead else Instance(settings)
    socket = bind("127.0.0.1", 0)
    server = Server(create_app(router, probes=probes(router)), router)
    serving = asyncio.create_task(server.serve(socket))
    while not server.started and not serving.done():  # noqa: ASYNC110  it must be polled
        await asyncio.sleep(0.01)
    print(socket.getsockname()[1], flush=True)  # noqa: T201  the test reads it
    await serving


if __name__ == "__main__":
    main()
