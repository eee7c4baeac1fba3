"""`arbiter migrate` and `arbiter rebuild`: the store's tables, and what is read off its log."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import rich_click as click
from rich.progress import Progress

from service.cli.options import (
    data_option,
    err,
    make_folder,
    opened_store,
    out,
    require_there,
    settings,
    told,
)
from service.settings import EMBEDDED, POSTGRES, Settings
from service.storage.index import Index, open_index
from service.storage.migration import migrate

Told = Callable[[int, int], None]
"""Is told how far in the log it has been read, and where that ends."""


@click.command("migrate")
@data_option
def migrate_store(data: Path) -> None:
    """Make the tables that are missing and read the log into the lists, before workers start.

    Safe to repeat, also while the service runs, be it the release before, which goes on in its own
    lists. With CREATE_TABLE=no nothing else makes tables: the service can then have a role that
    may only read and write."""
    chosen = settings(data)
    make_folder(chosen)
    for one in chosen.each.values():
        with told():
            migrate(one.store)
        out.print(f"The tables are there: {one.place}")
        # Beside a store that is none of ours, lists are in the memory of each worker.
        if one.store["PERSISTENCE_MODULE"] in (EMBEDDED, POSTGRES):
            _read(one, Index.follow)
            out.print("The lists are up to date")


@click.command()
@data_option
def rebuild(data: Path) -> None:
    """Read the lists of matches and tournaments off the log again, from its first event.

    They hold nothing of their own. The service may run meanwhile: its lists are short until this is
    done."""
    for one in settings(data).each.values():
        require_there(one)
        end = _read(one, Index.rebuild)
        out.print(f"Read again: {end} events")


def _read(chosen: Settings, read: Callable[[Index, Told], None]) -> int:
    """Has the lists read the log, and shows how far they are; where it ends."""
    with (
        told(),
        opened_store(chosen) as store,
        closing(open_index(chosen.store, store.recorder)) as index,
        Progress(console=err, transient=True) as bar,
    ):
        task = bar.add_task("reading the log", total=None)

        def progress(position: int, end: int) -> None:
            bar.update(task, completed=position, total=end)

        read(index, progress)
        return store.end()
