"""The service on a data folder, as a process to be killed: takes what `arbiter serve` takes.

`--synchronous OFF` breaks the promise that an acknowledged action is on disk, `--draws-anew` the
one that a repeated draw has the same outcome: the controls of the tests that check them. `--dies
WHEN TOPIC` lets it kill itself when it first writes an event of that stored name: before the
transaction, when everything is written and nothing committed, or when the commit has returned and
no answer has been sent. `--postgres` serves the database that the environment names; there `--lax`
lets commits return that are not on disk, and `--early` answers before they do. `--look-again` reads
a closed record again after so many seconds. Webhooks may be on this machine; `--retry-after` is the
pause, in seconds, before a failed notice is sent again.
"""

import argparse
import asyncio
import os
import secrets
import signal
import sqlite3
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Literal

import uvloop
from eventsourcing.sqlite import SQLiteAggregateRecorder
from msgspec.structs import replace

from domain.chance.draws import Draw
from domain.match.commands import SettleDraw
from domain.match.state import Match
from service.app import create_app
from service.application.matches import chance, growing_record
from service.event_store import sqlite
from service.event_store.database import POSTGRES, embedded
from service.event_store.integrity import checked_records
from service.event_store.postgres import QuickPostgresRecorder
from service.event_store.postgres import connections as postgres_connections
from service.event_store.secret_store import SEED_BYTES, MatchSecrets
from service.event_store.sqlite import DurablePool, QuickSQLiteRecorder
from service.instance import Instance
from service.notices import sender
from service.observability.logs import configure_logs
from service.server.health import probes
from service.server.web_server import Server, bind
from service.settings import Limits, Settings
from tests.support.servers.instance_settings import ORGANISER_KEY

SEAT_BYTES = 1 << 30
"""What a seat may record: here one plays on and on."""

EARLY_SECONDS = 1.0

When = Literal["before", "uncommitted", "committed"]
WHEN: tuple[When, ...] = ("before", "uncommitted", "committed")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("serve")
    parser.add_argument("--port", type=int)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--postgres", action="store_true")
    parser.add_argument("--grace", type=int, default=10)
    for fault in PLANTED:
        parser.add_argument(f"--{fault}", nargs="*", dest=fault)
    args = parser.parse_args()
    for fault, plant in PLANTED.items():
        if (given := getattr(args, fault)) is not None:
            plant(*given)
    configure_logs("json")
    store = embedded(args.data / "arbiter.db")
    if args.postgres:
        env = {name: value for name, value in os.environ.items() if name.startswith("POSTGRES_")}
        store = {**env, "PERSISTENCE_MODULE": POSTGRES}
    settings = Settings(
        store=store,
        organiser_key=ORGANISER_KEY,
        data=args.data,
        shared=args.postgres,
        limits=Limits(grace=args.grace, seat_bytes=SEAT_BYTES),
        private_webhooks=True,
    )
    uvloop.run(serve(settings, args.port))


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


def break_promise(synchronous: str) -> None:
    """Connections that do not wait for the disk, without the check that refuses them."""

    def lax(cursor: Any) -> None:
        cursor.execute(f"PRAGMA synchronous={synchronous}")

    sqlite.require_fit = lax


def die(when: When, topic: str) -> None:
    """Kills the process when an event of this stored name is written. The library's recorders have
    a method for a whole transaction, which calls another one with the rows; ours writes both in one
    statement of SQLite."""
    # The rows are the first argument, or the second after the cursor.
    inner = when == "uncommitted"
    name, place = ("_insert_events", 1) if inner else ("insert_events", 0)
    write = deadly(getattr(SQLiteAggregateRecorder, name), place, topic, first=when == "before")
    setattr(SQLiteAggregateRecorder, name, write)
    if inner:
        die_within_a_statement(topic)
    else:
        whole = deadly(QuickSQLiteRecorder.insert_rows, 0, topic, first=when == "before")
        setattr(QuickSQLiteRecorder, "insert_rows", whole)  # noqa: B010  types forbid it otherwise


def die_within_a_statement(topic: str) -> None:
    """A trigger on the writer's connection fires when the row is there and nothing committed."""
    connect = DurablePool._writing_connection

    def deadly_connection(pool: DurablePool) -> sqlite3.Connection:
        connection = connect(pool)
        connection.create_function("die", 0, lambda: os.kill(os.getpid(), signal.SIGKILL))
        connection.execute(
            "CREATE TEMP TRIGGER deadly AFTER INSERT ON main.stored_events "
            f"WHEN new.topic = '{topic}' BEGIN SELECT die(); END"
        )
        return connection

    setattr(DurablePool, "_writing_connection", deadly_connection)  # noqa: B010  as above


def deadly(write: Callable[..., Any], place: int, topic: str, *, first: bool) -> Callable[..., Any]:
    """The same method, but it kills the process at its beginning, or else at its end, if the
    argument at this index contains the stored name."""

    def written(recorder: Any, *arguments: Any, **more: Any) -> Any:
        deadly = topic in topics(arguments[place])
        if deadly and first:
            os.kill(os.getpid(), signal.SIGKILL)
        result = write(recorder, *arguments, **more)
        if deadly:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    return written


def topics(stored: Sequence[Any]) -> set[str]:
    """The stored names of the written rows: ours, or the library's stored events."""
    return {one[2] if isinstance(one, tuple) else one.topic for one in stored}


def draw_anew() -> None:
    """Draws that come from a new seed, and not from the saved one."""

    def drawn(hidden: MatchSecrets, match: Match, draw: Draw) -> SettleDraw:
        fresh = [replace(kept, seed=secrets.token_bytes(SEED_BYTES)) for kept in hidden.seeds]
        return chance.answer_draw(replace(hidden, seeds=tuple(fresh)), match, draw)

    setattr(growing_record, "answer_draw", drawn)  # noqa: B010  types forbid it otherwise


PLANTED: dict[str, Callable[..., None]] = {
    "synchronous": break_promise,
    "draws-anew": draw_anew,
    "dies": die,
    "lax": lambda: setattr(postgres_connections, "DURABLE_COMMITS", ("on", "off")),
    "early": answer_early,
    "look-again": lambda seconds: setattr(checked_records, "LOOK_AGAIN_SECONDS", float(seconds)),
    "retry-after": lambda seconds: setattr(sender, "PAUSES", (int(seconds),) * 100),
}


async def serve(settings: Settings, port: int) -> None:
    router = Instance(settings)
    socket = bind("127.0.0.1", port)
    server = Server(create_app(router, probes=probes(router)), router)
    serving = asyncio.create_task(server.serve(socket))
    while not server.started and not serving.done():  # noqa: ASYNC110  it must be polled
        await asyncio.sleep(0.01)
    print(f"Arbiter at http://127.0.0.1:{socket.getsockname()[1]}", flush=True)  # noqa: T201  the test reads it
    await serving


if __name__ == "__main__":
    main()
