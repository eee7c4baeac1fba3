"""`arbiter store`: copies a store, and shows a store's history."""

import shlex
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from time import perf_counter

import rich_click as click

from projections.texts.timestamps import rfc3339
from service.application.migration import migrate, require_known_format
from service.cli.console import out
from service.cli.options import (
    data_option,
    existing_store,
    opened_store,
    operator_errors,
    require_store,
    settings,
    store_lock,
)
from service.cli.progress import progress_bar
from service.cli.stores.restore_report import (
    build_lists_and_check,
    print_sums,
)
from service.cli.stores.store_url import store_settings
from service.clock import SystemClock
from service.event_store.backup.dump import TABLES, NotEmpty, Sums, copy, open_dump
from service.event_store.database import NotMigrated, may_create
from service.event_store.integrity.incarnation import (
    BackupRestored,
    LossAccepted,
    LossNoticed,
    StoreEvent,
    begin_incarnation,
    history,
)
from service.event_store.recorder import LOG
from service.event_store.sqlite.lost_commits import find_loss, mark_end
from service.settings import Settings


@click.group()
def store() -> None:
    """Work on a store as a whole."""


@store.command("copy")
@click.argument("source")
@click.argument("target")
def copy_store(source: str, target: str) -> None:
    """Copy everything from SOURCE to the empty TARGET: the log, the secrets, the keys.

    Each is a folder or file of the embedded store, or a URL of PostgreSQL,
    postgresql://user:password@host:port/dbname?schema=..., or the word `environment` for the store
    that PERSISTENCE_MODULE and its variables name. Others on the machine can see a password on the
    command line: leave it out and set PGPASSWORD, or use `environment`.

    Neither store may be served meanwhile. Everything is written in one transaction, which is
    committed after it has been read again and compared. If the copy is interrupted, TARGET stays
    as it was and you can start again.
    """
    source_settings, target_settings = store_settings(source), store_settings(target)
    if _address(source_settings) == _address(target_settings):
        raise click.ClickException("SOURCE and TARGET are the same store")
    require_store(source_settings)
    with ExitStack() as stack:
        stack.enter_context(operator_errors())
        for chosen in (source_settings, target_settings):
            if chosen.embedded:
                stack.enter_context(store_lock(chosen))
        _prepare(source_settings, target_settings)
        print_sums(*_copy(source_settings, target_settings))
        if target_settings.embedded:
            with opened_store(target_settings) as target_store:
                mark_end(target_settings.database, target_store.keyrings)
        build_lists_and_check(target_settings)
    out.print(f"Copied to {target_settings.location}", style="bold")
    _print_key_hint(source_settings, target_settings)


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


def _prepare(source: Settings, target: Settings) -> None:
    """Makes the tables of the target. Raises PersistenceErrors."""
    with suppress(NotMigrated):
        require_known_format({**source.store, "CREATE_TABLE": "no"})
    loss = find_loss(target.database) if target.embedded else None
    if loss is not None and loss.found:
        raise loss
    if may_create(target.store):
        migrate(target.store)


def _copy(source: Settings, target: Settings) -> tuple[Sums, float]:
    """Copies everything; returns the sums of what was copied, and the seconds it took."""
    since = perf_counter()
    with (
        open_dump(source.store) as sent,
        open_dump(target.store) as arriving,
        progress_bar() as bar,
    ):
        task = bar.add_task("copying", total=2 * sum(map(sent.count, TABLES)))
        try:
            sums = copy(sent, arriving, lambda rows: bar.update(task, advance=rows))
        except NotEmpty as error:
            raise NotEmpty(f"{target.location} is not empty: {error}") from None
    return sums, perf_counter() - since


def _address(chosen: Settings) -> tuple[str, ...]:
    """The location of a store in a canonical form."""
    if chosen.embedded:
        return (str(chosen.database.resolve()),)
    names = ("POSTGRES_HOST", "POSTGRES_PORT", "POSTGRES_DBNAME")
    schema = chosen.store.get("POSTGRES_SCHEMA") or "public"
    return (*(chosen.store[name] for name in names), schema)


def _keys_of(chosen: Settings) -> str:
    """The folder of the signing keys; relative to DATA where that is unknown."""
    known = chosen.embedded or chosen.signing.keys is not None
    return str(chosen.key_folder.absolute()) if known else "DATA/keys"


def _print_key_hint(source: Settings, target: Settings) -> None:
    """Prints how to copy the signing keys. They are not in the store, and without them no instance
    on the copy could sign for it."""
    source_keys, target_keys = _keys_of(source), _keys_of(target)
    if source_keys == target_keys:
        out.print(f"The signing keys are files and stay in {source_keys}", soft_wrap=True)
        return
    out.print("The signing keys are files and were not copied. Before you serve the copy, run:")
    source_folder, target_folder = shlex.quote(source_keys), shlex.quote(target_keys)
    out.print(
        f"  mkdir -p {target_folder} && cp -a {source_folder}/. {target_folder}/", soft_wrap=True
    )
    if not (source.embedded and target.embedded):
        out.print("DATA is the --data folder of an instance on PostgreSQL; or set ARBITER_KEYS.")


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
