"""`arbiter migrate` and `arbiter rebuild`: the store's tables, and the lists built from its log."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import rich_click as click
from rich.progress import Progress

from service.application.migration import migrate
from service.cli.console import err, out
from service.cli.options import (
    data_option,
    make_folder,
    opened_store,
    operator_errors,
    require_store,
    settings,
)
from service.event_store.public_access import close_to_public
from service.read_models.index import Index, open_index
from service.settings import Settings


@click.command("migrate")
@click.option(
    "--drop-old",
    is_flag=True,
    help="Drop the lists of older formats; only when no older release runs any more.",
)
@data_option
def migrate_store(data: Path, drop_old: bool) -> None:
    """Create missing tables and build the lists from the log, before workers start.

    It is safe to repeat, also while the service runs, even an older release, which goes on using
    its own lists. With CREATE_TABLE=no only this command creates tables, so the service can use a
    role that can only read and write."""
    chosen = settings(data)
    make_folder(chosen)
    with operator_errors():
        migrate(chosen.store)
        said = None if chosen.embedded else close_to_public(chosen.store)
    out.print(f"The tables exist: {chosen.location}")
    if said is not None:
        out.print(said, soft_wrap=True, markup=False)
    _build_lists(chosen, drop_old)


def _build_lists(chosen: Settings, drop_old: bool) -> None:
    with _index(chosen) as (index, progress):
        index.follow(progress)
        leftovers = index.drop_old_tables() if drop_old else index.old_tables()
    out.print("The lists are up to date")
    if leftovers and drop_old:
        out.print(f"Dropped: {', '.join(leftovers)}", soft_wrap=True)
    elif leftovers:
        out.print(f"Lists of older formats remain: {', '.join(leftovers)}", soft_wrap=True)
        out.print("When no older release runs any more, drop them: `arbiter migrate --drop-old`")


@click.command()
@data_option
def rebuild(data: Path) -> None:
    """Build the lists of matches and tournaments from the log again, from its first event.

    All their content comes from the log. The service may run meanwhile, with incomplete lists until
    this is done."""
    chosen = settings(data)
    require_store(chosen)
    with _index(chosen) as (index, progress):
        index.rebuild(progress)
    out.print(f"Rebuilt from {progress.end} events")


class _LogProgress:
    """Shows how far the log has been read."""

    def __init__(self, bar: Progress) -> None:
        self._bar = bar
        self._task = bar.add_task("reading the log", total=None)
        self.end = 0

    def __call__(self, position: int, end: int) -> None:
        self.end = end
        self._bar.update(self._task, completed=position, total=end)


@contextmanager
def _index(chosen: Settings) -> Iterator[tuple[Index, _LogProgress]]:
    """The index of a store, and a progress bar for reading its log."""
    with (
        operator_errors(),
        opened_store(chosen) as store,
        closing(open_index(store)) as index,
        Progress(console=err, transient=True) as bar,
    ):
        yield index, _LogProgress(bar)
