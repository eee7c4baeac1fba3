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
def checked_log(chosen: Settings, *, accept: bool = False) -> Iterator[None]:
    """Enters with the log compared with its mark, and a new mark begun when the block ends, in
    which tables are made. Other stores than the embedded one have no mark.

    Raises an error for the operator if commits are lost, unless these are accepted.
    """
    if not chosen.embedded:
        yield
        return
    loss = find_loss(chosen.database)
    if loss is not None and not accept:
        data = () if chosen.data == Path("data") else ("--data", str(chosen.data))
        going_on = command_line("serve", "--accept-loss", *data)
        raise click.ClickException(f"{loss}. {WAYS_ON} {going_on}")
    unmarked = not mark_path(chosen.database).exists()
    yield
    with opened_store(chosen) as store:
        if loss is not None:
            accept_loss(store.keyrings, loss, SystemClock().now())
        mark_end(chosen.database, store.keyrings)
        _report(chosen, loss, unmarked=unmarked and store.end() > 0, accept=accept)


@contextmanager
def own_store(chosen: Settings) -> Iterator[None]:
    """The embedded store, for this process alone, with its tables."""
    with store_lock(chosen):
        with operator_errors(), checked_log(chosen):
            migrate(chosen.store)
        yield


def _report(chosen: Settings, loss: CommitsLost | None, *, unmarked: bool, accept: bool) -> None:
    path = mark_path(chosen.database)
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
