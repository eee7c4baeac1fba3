"""Compares the embedded store with its high-water mark before it is served."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import rich_click as click

from service.application.migration import migrate
from service.cli.console import command_line, err
from service.cli.options import opened_store, operator_errors, store_lock
from service.clock import SystemClock
from service.event_store.sqlite.high_water_mark import mark_path
from service.event_store.sqlite.lost_commits import CommitsLost, accept_loss, find_loss, mark_end
from service.settings import Settings

WAYS_ON = (
    "Put the file that is missing beside it, or restore a newer backup (`arbiter restore`)."
    " To go on without what is missing, in a new incarnation and on record:"
)


@contextmanager
def checked_log(instance_settings: Settings, *, accept: bool = False) -> Iterator[None]:
    """Enters with the log compared with its mark, and a new mark begun when the block ends, in
    which tables are made. Other stores than the embedded one have no mark.

    Raises an error for the operator if commits are lost, unless these are accepted.
    """
    if not instance_settings.embedded:
        yield
        return
    loss = find_loss(instance_settings.database)
    if loss is not None and not accept:
        data = (
            ()
            if instance_settings.data == Path("data")
            else ("--data", str(instance_settings.data))
        )
        going_on = command_line("serve", "--accept-loss", *data)
        raise click.ClickException(f"{loss}. {WAYS_ON} {going_on}")
    unmarked = not mark_path(instance_settings.database).exists()
    yield
    with opened_store(instance_settings) as store:
        if loss is not None:
            accept_loss(store.keyrings, loss, SystemClock().now())
        mark_end(instance_settings.database, store.keyrings)
        _report(instance_settings, loss, unmarked=unmarked and store.end() > 0, accept=accept)


@contextmanager
def own_store(instance_settings: Settings) -> Iterator[None]:
    """The embedded store, for this process alone, with its tables."""
    with store_lock(instance_settings):
        with operator_errors(), checked_log(instance_settings):
            migrate(instance_settings.store)
        yield


def _report(
    instance_settings: Settings, loss: CommitsLost | None, *, unmarked: bool, accept: bool
) -> None:
    path = mark_path(instance_settings.database)
    if loss is not None:
        err.print(f"Going on without what is missing: {loss}", style="bold red", soft_wrap=True)
    elif accept:
        err.print("Nothing is missing: --accept-loss has changed nothing", soft_wrap=True)
    if unmarked:
        err.print(
            f"There was no {path.name} beside the store: whether commits were lost before now is"
            " not known. From now on it is noticed",
            soft_wrap=True,
        )
