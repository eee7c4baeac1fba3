"""`arbiter migrate` and `arbiter rebuild`: the store's tables, and what is read off its log."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
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


@click.command("migrate")
@click.option(
    "--drop-old",
    is_flag=True,
    help="Drop the lists of older formats, when no older release runs any more.",
)
@data_option
def migrate_store(data: Path, drop_old: bool) -> None:
    """Make the tables that are missing and read the log into the lists, before workers start.

    Safe to repeat, also while the service runs, be it the release before, which goes on in its own
    lists. With CREATE_TABLE=no nothing else makes tables: the service can then have a role that may
    only read and write."""
    chosen = settings(data)
    make_folder(chosen)
    for one in chosen.each.values():
        with told():
            migrate(one.store)
        out.print(f"The tables are there: {one.place}")
        # Beside a store that is none of ours, lists are in the memory of each worker.
        if one.store["PERSISTENCE_MODULE"] in (EMBEDDED, POSTGRES):
            _bring_up(one, drop_old)


def _bring_up(chosen: Settings, drop_old: bool) -> None:
    with _index(chosen) as (index, progress):
        index.follow(progress)
        left = index.drop_left_over() if drop_old else index.left_over()
    out.print("The lists are up to date")
    if left and drop_old:
        out.print(f"Dropped: {', '.join(left)}", soft_wrap=True)
    elif left:
        out.print(f"Of older formats there are still: {', '.join(left)}", soft_wrap=True)
        out.print("When no older release runs any more, `arbiter migrate --drop-old` drops them")


@click.command()
@data_option
def rebuild(data: Path) -> None:
    """Read the lists of matches and tournaments off the log again, from its first event.

    They hold nothing of their own. The service may run meanwhile: its lists are short until this is
    done."""
    for one in settings(data).each.values():
        require_there(one)
        with _index(one) as (index, progress):
            index.rebuild(progress)
        out.print(f"Read again: {progress.end} events")


class _Shown:
    """Shows how far in the log it has been read."""

    def __init__(self, bar: Progress) -> None:
        self._bar = bar
        self._task = bar.add_task("reading the log", total=None)
        self.end = 0

    def __call__(self, position: int, end: int) -> None:
        self.end = end
        self._bar.update(self._task, completed=position, total=end)


@contextmanager
def _index(chosen: Settings) -> Iterator[tuple[Index, _Shown]]:
    """The lists of a store, and who shows how far they have read the log."""
    with (
        told(),
        opened_store(chosen) as store,
        closing(open_index(chosen.store, store.recorder)) as index,
        Progress(console=err, transient=True) as bar,
    ):
        yield index, _Shown(bar)
