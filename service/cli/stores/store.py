"""`arbiter store`: shows when a store went back, and says that it did."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import rich_click as click

from projections.texts.timestamps import rfc3339
from service.cli.console import out
from service.cli.options import (
    data_option,
    existing_store,
    operator_errors,
    require_store,
    settings,
    store_lock,
)
from service.clock import SystemClock
from service.event_store.backup.dump import open_dump
from service.event_store.integrity.incarnation import (
    BackupRestored,
    LossAccepted,
    LossNoticed,
    StoreEvent,
    begin_incarnation,
    history,
)
from service.event_store.recorder import LOG


@click.group()
def store() -> None:
    """Work on a store as a whole."""


@store.command("history")
@data_option
def show_history(data: Path) -> None:
    """Show when the store went back, to a backup or by a loss."""
    with existing_store(data) as existing:
        print_history(history(existing.keyrings))


@store.command("restored")
@data_option
def say_restored(data: Path) -> None:
    """Say that the store was restored by other means than `arbiter restore`, as from a dump.

    It begins a new incarnation, by which readers and caches notice that its history went back. The
    store may not be served meanwhile.
    """
    chosen = settings(data)
    require_store(chosen)
    with ExitStack() as stack:
        stack.enter_context(operator_errors())
        if chosen.embedded:
            stack.enter_context(store_lock(chosen))
        dump = stack.enter_context(open_dump(chosen.store))
        begin_incarnation(dump, BackupRestored(SystemClock().now(), dump.count(LOG)))
    out.print(f"A new incarnation has begun: {chosen.location}")


def print_history(entries: Sequence[StoreEvent]) -> None:
    """One line for each entry, the oldest first."""
    if not entries:
        out.print("The store has never gone back: it has its first incarnation")
    for entry in entries:
        out.print(f"{rfc3339(entry.at)}  {_described(entry)}", soft_wrap=True)


def _described(entry: StoreEvent) -> str:
    match entry:
        case LossAccepted(_, marked, found):
            return f"Loss accepted: {marked:,} events had been recorded, {found:,} were found"
        case LossNoticed(_, seen, found):
            return f"Loss noticed: {seen:,} events had been seen, {found:,} were found"
        case BackupRestored(_, length, made_at):
            of = "" if made_at is None else f" of {rfc3339(made_at)}"
            return f"Backup{of} restored, with {length:,} events"
