"""Prints the history of a store for people."""

from collections.abc import Sequence

from projections.timestamps import rfc3339
from service.cli.console import out
from service.event_store.store_history import (
    BackupRestored,
    LossAccepted,
    LossNoticed,
    StoreEvent,
    StoreJoined,
)


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
        case StoreJoined(_, events):
            return f"Another store joined: {events:,} events"
