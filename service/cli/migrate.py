"""`arbiter migrate` and `arbiter rebuild`: the store's tables, and what is read off its log."""

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
from service.settings import Settings
from service.storage.index import open_index
from service.storage.migration import migrate


@click.command("migrate")
@data_option
def migrate_store(data: Path) -> None:
    """Make the tables that are missing, before workers start.

    Safe to repeat, also while the service runs. With CREATE_TABLE=no nothing else makes tables: the
    service can then have a role that may only read and write."""
    chosen = settings(data)
    make_folder(chosen)
    for one in chosen.each.values():
        with told():
            migrate(one.store)
        out.print(f"The tables are there: {one.place}")


@click.command()
@data_option
def rebuild(data: Path) -> None:
    """Read the lists of matches and tournaments off the log again, from its first event.

    They hold nothing of their own. The service may run meanwhile: its lists are short until this is
    done."""
    for one in settings(data).each.values():
        _rebuild(one)


def _rebuild(chosen: Settings) -> None:
    require_there(chosen)
    with (
        told(),
        opened_store(chosen) as store,
        closing(open_index(chosen.store, store.recorder)) as index,
        Progress(console=err, transient=True) as bar,
    ):
        task = bar.add_task("reading the log", total=None)

        def progress(position: int, end: int) -> None:
            bar.update(task, completed=position, total=end)

        index.rebuild(progress)
        end = store.end()
    out.print(f"Read again: {end} events")
