"""`arbiter migrate` and `arbiter rebuild`: the store's tables, and the lists built from its log."""

from pathlib import Path

import rich_click as click

from service.application.migration import migrate
from service.cli.console import out
from service.cli.options import (
    data_option,
    make_folder,
    opened_store,
    operator_errors,
    require_store,
    settings,
)
from service.cli.stores.restore_report import index_with_progress
from service.settings import Settings


@click.command("migrate")
@data_option
def migrate_store(data: Path) -> None:
    """Create missing tables and build the lists from the log, before workers start.

    It is safe to repeat, also while the service runs, even an older release, which goes on using
    its own lists. With CREATE_TABLE=no only this command creates tables, so the service can use a
    role that can only read and write."""
    chosen = settings(data)
    make_folder(chosen)
    with operator_errors():
        migrate(chosen.store)
    out.print(f"The tables exist: {chosen.location}")
    if not chosen.embedded:
        _close_to_public(chosen)
    with (
        operator_errors(),
        opened_store(chosen) as store,
        index_with_progress(store) as (index, progress),
    ):
        index.follow(progress)
    out.print("The lists are up to date")


def _close_to_public(chosen: Settings) -> None:
    # Imported only here, so that SQLite users do not wait for the PostgreSQL driver.
    from service.event_store.postgres.rights import close_to_public

    with operator_errors(), opened_store(chosen) as store:
        said = close_to_public(store.open_database())
    if said is not None:
        out.print(said, soft_wrap=True, markup=False)


@click.command()
@data_option
def rebuild(data: Path) -> None:
    """Build the lists of matches and tournaments from the log again, from its first event.

    All their content comes from the log. The service may run meanwhile, with incomplete lists until
    this is done."""
    chosen = settings(data)
    require_store(chosen)
    with (
        operator_errors(),
        opened_store(chosen) as store,
        index_with_progress(store) as (index, progress),
    ):
        index.rebuild(progress)
        end = index.follower.position()
    out.print(f"Rebuilt from {end} events")
