"""The service on a folder of data, as a process to be killed: prints its port, then serves.

`--synchronous OFF` breaks the promise that an acknowledged action is on disk: the control of the
tests that watch for it. `--settle-after` holds the settlement of matches up for some seconds, so
that a kill falls between their end and that.
"""

import argparse
import asyncio
from pathlib import Path
from typing import Any
from uuid import UUID

import uvloop

from service.app import create_app
from service.arbiter import Arbiter
from service.logs import configure_logs
from service.server import bind, make_server
from service.settings import EMBEDDED, Settings
from service.storage import sqlite
from service.tournaments import Tournaments

ORGANISER_KEY = "an-organiser-key-for-the-tests-0123456789"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("--synchronous", choices=["OFF", "NORMAL", "FULL"], default="FULL")
    parser.add_argument("--settle-after", type=float, default=0.0)
    args = parser.parse_args()
    if args.settle_after:
        hold_settlement_up(args.settle_after)
    if args.synchronous != "FULL":
        break_promise(args.synchronous)
    configure_logs("json")
    store = {"PERSISTENCE_MODULE": EMBEDDED, "SQLITE_DBNAME": str(args.data / "arbiter.db")}
    uvloop.run(serve(Settings(store, organiser_key=ORGANISER_KEY)))


def break_promise(synchronous: str) -> None:
    """Connections that do not wait for the disk, and nobody who minds."""

    def lax(cursor: Any) -> None:
        cursor.execute(f"PRAGMA synchronous={synchronous}")

    sqlite.require_durable = lax


def hold_settlement_up(seconds: float) -> None:
    """Matches are settled later than they could be."""
    settle = Tournaments.settle

    async def settle_later(door: Tournaments, match_id: UUID) -> None:
        await asyncio.sleep(seconds)
        await settle(door, match_id)

    setattr(Tournaments, "settle", settle_later)  # noqa: B010  types forbid it otherwise


async def serve(settings: Settings) -> None:
    arbiter = Arbiter(settings)
    socket = bind("127.0.0.1", 0)
    server = make_server(create_app(arbiter), arbiter)
    serving = asyncio.create_task(server.serve([socket]))
    while not server.started and not serving.done():  # noqa: ASYNC110  uvicorn tells it no other way
        await asyncio.sleep(0.01)
    print(socket.getsockname()[1], flush=True)  # noqa: T201  told to the test
    await serving


if __name__ == "__main__":
    main()
