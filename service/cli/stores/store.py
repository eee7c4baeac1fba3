"""`arbiter migrate` and `arbiter rebuild`: the store's tables, and the lists built from its log;
`arbiter store`: shows when a store went back, and says that it did."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import rich_click as click

from projections.fields import rfc3339
from service.application.migration import migrate
from service.cli.console import out, progress_bar
from service.cli.options import (
    data_option,
    existing_store,
    make_folder,
    opened_store,
    operator_errors,
    require_store,
    settings,
    store_lock,
)
from service.clock import SystemClock
from service.event_store.integrity.incarnation import (
    BackupRestored,
    LossAccepted,
    LossNoticed,
    StoreEvent,
    begin_again,
    history,
)
from service.event_store.postgres.leader_row import require_no_leader
from service.event_store.reading import reading
from service.event_store.store import Store
from service.read_models.index import Index, open_index
from service.settings import Settings


@click.command("migrate")
@data_option
def migrate_store(data: Path) -> None:
    """Create missing tables and build the lists from the log, before workers start.

    It is safe to repeat, also while the service runs, even an older release, which goes on using
    its own lists. With CREATE_TABLE=no only this command creates tables, so the service can use a
    role that can only read and write."""
    instance_settings = settings(data)
    make_folder(instance_settings)
    with operator_errors():
        migrate(instance_settings.store)
    out.print(f"The tables exist: {instance_settings.location}")
    if not instance_settings.embedded:
        _close_to_public(instance_settings)
    with (
        operator_errors(),
        opened_store(instance_settings) as store,
        index_with_progress(store) as (index, progress),
    ):
        index.follow(progress)
    out.print("The lists are up to date")


def _close_to_public(instance_settings: Settings) -> None:
    # Imported only here, so that SQLite users do not wait for the PostgreSQL driver.
    from service.event_store.postgres.rights import close_to_public

    with operator_errors(), opened_store(instance_settings) as store:
        message = close_to_public(store.open_database())
    if message is not None:
        out.print(message, soft_wrap=True, markup=False)


@click.command()
@data_option
def rebuild(data: Path) -> None:
    """Build the lists of matches and tournaments from the log again, from its first event.

    All their content comes from the log. The service may run meanwhile, with incomplete lists until
    this is done."""
    instance_settings = settings(data)
    require_store(instance_settings)
    with (
        operator_errors(),
        opened_store(instance_settings) as store,
        index_with_progress(store) as (index, progress),
    ):
        index.rebuild(progress)
        end = index.follower.position()
    out.print(f"Rebuilt from {end} events")


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
    instance_settings = settings(data)
    require_store(instance_settings)
    with store_lock(instance_settings), existing_store(data) as existing:
        if not instance_settings.embedded:
            require_no_leader(existing)
        with reading(existing.env) as reader:
            length, _ = reader.extent()
        begin_again(existing.keyrings, BackupRestored(SystemClock().now(), length))
    out.print(f"A new incarnation has begun: {instance_settings.location}")


def print_history(entries: Sequence[StoreEvent]) -> None:
    """One line for each entry, the oldest first."""
    if not entries:
        out.print("The store has never gone back: it has its first incarnation")
    for entry in entries:
        out.print(f"{rfc3339(entry.at)}  {_describe(entry)}", soft_wrap=True)


def _describe(entry: StoreEvent) -> str:
    match entry:
        case LossAccepted(_, marked, end):
            return f"Loss accepted: {marked:,} events had been recorded, {end:,} were found"
        case LossNoticed(_, position, end):
            return f"Loss noticed: {position:,} events had been seen, {end:,} were found"
        case BackupRestored(_, length, made_at):
            of = "" if made_at is None else f" of {rfc3339(made_at)}"
            return f"Backup{of} restored, with {length:,} events"


@contextmanager
def index_with_progress(store: Store) -> Iterator[tuple[Index, Callable[[int, int], None]]]:
    """The index of a store, and a progress bar for reading its log."""
    with closing(open_index(store)) as index, progress_bar() as bar:
        task = bar.add_task("building the lists", total=None)
        yield index, lambda position, end: bar.update(task, completed=position, total=end)
