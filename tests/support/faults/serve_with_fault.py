"""The service with a planted fault: goes before the command that serves, as strace does.

`--dies WHEN TOPIC`: it kills itself when it first writes an event of that stored name: before the
transaction, when everything is written and nothing committed, or when the commit has returned and
no answer has been sent. `--draws-anew` breaks the promise that a repeated draw has the same
outcome: the control of the tests that check it.
"""

import argparse
import os
import secrets
import signal
import sqlite3
import sys
from collections.abc import Callable, Sequence
from typing import Any, Literal

from eventsourcing.sqlite import SQLiteAggregateRecorder
from msgspec.structs import replace

from domain.chance.draws import Draw
from domain.match.commands import SettleDraw
from domain.match.state import Match
from service.application.matches import chance, decision
from service.event_store.secret_store import SEED_BYTES, MatchSecrets
from service.event_store.sqlite import DurablePool, QuickSQLiteRecorder
from tests.support.faults import fault_server

When = Literal["before", "uncommitted", "committed"]
WHEN: tuple[When, ...] = ("before", "uncommitted", "committed")

COMMAND = ["python", "-m", "tests.support.faults.fault_server"]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--dies", nargs=2)
    parser.add_argument("--draws-anew", action="store_true")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    args = parser.parse_args()
    if args.dies:
        die(*args.dies)
    if args.draws_anew:
        draw_anew()
    sys.argv = args.command[len(COMMAND) - 1 :]
    fault_server.main()


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
        done = write(recorder, *arguments, **more)
        if deadly:
            os.kill(os.getpid(), signal.SIGKILL)
        return done

    return written


def topics(stored: Sequence[Any]) -> set[str]:
    """The stored names of the written rows: ours, or the library's stored events."""
    return {one[2] if isinstance(one, tuple) else one.topic for one in stored}


def draw_anew() -> None:
    """Draws that come from a new seed, and not from the saved one."""

    def drawn(hidden: MatchSecrets, match: Match, draw: Draw) -> SettleDraw:
        fresh = [replace(kept, seed=secrets.token_bytes(SEED_BYTES)) for kept in hidden.seeds]
        return chance.answer_draw(replace(hidden, seeds=tuple(fresh)), match, draw)

    setattr(decision, "answer_draw", drawn)  # noqa: B010  types forbid it otherwise


if __name__ == "__main__":
    main()
