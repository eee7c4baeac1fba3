"""`arbiter backup` and `arbiter restore`: write the embedded store to one file, and restore it."""

import sqlite3
import sys
from contextlib import closing, suppress
from pathlib import Path

import rich_click as click
from eventsourcing.persistence import PersistenceError
from msgspec.structs import replace

from projections.fields import rfc3339
from service.application.migration import require_known_format
from service.checking.findings import Judged
from service.cli.console import err, out, progress_bar
from service.cli.options import (
    data_option,
    existing_store,
    opened_store,
    operator_errors,
    require_store,
    settings,
    store_lock,
)
from service.cli.stores.check import CLEAN, judge_file, judge_store, print_findings, status
from service.cli.stores.store import index_with_progress
from service.clock import SystemClock
from service.event_store.backup.backup import Files, back_up, restored
from service.event_store.backup.table_sums import Sums
from service.event_store.properties import BACKED_UP, open_properties
from service.event_store.recorder import KEYRINGS, LOG, SECRETS
from service.event_store.sqlite.high_water_mark import write_whole
from service.settings import Settings
from service.signing.signing_keys import PRIVATE, PURPOSES, VERIFIERS

FILE = click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
WITHOUT_PRIVATE = "The private signing keys are not in it"


@click.command()
@FILE
@click.option("--no-check", is_flag=True, help="Write the backup even if the store is damaged.")
@data_option
def backup(file: Path, no_check: bool, data: Path) -> None:
    """Write the embedded store to FILE, as it is at one moment; the service may run meanwhile.

    When the command returns, the file is complete, on disk, and judged like `arbiter check` does:
    if anything is damaged there is no FILE, and the exit status is 1, so do not remove an older
    backup before. It contains the public signing keys, and the secrets of matches that are not
    over, so only its owner can read it.
    """
    instance_settings = _embedded(data)
    require_store(instance_settings)
    began = SystemClock().now()
    with operator_errors(), progress_bar() as progress:
        task = progress.add_task("copying", total=None)
        manifest = back_up(
            instance_settings.database,
            file,
            began,
            lambda: _public_keys(instance_settings.key_folder),
            lambda remaining, pages: progress.update(
                task, completed=pages - remaining, total=pages
            ),
            (lambda _: None) if no_check else _judge,
        )
    if not no_check:
        _note(data, began)
    out.print(f"{file}: {describe(manifest.sums)}, {file.stat().st_size:,} bytes", soft_wrap=True)
    out.print(f"{WITHOUT_PRIVATE}: keep {instance_settings.key_folder} apart", soft_wrap=True)


def _note(data: Path, made_at: int) -> None:
    """Notes in the store when it was backed up, which an alert watches. A store that takes no
    writes has its backup all the same."""
    with (
        suppress(PersistenceError, sqlite3.Error),
        existing_store(data) as store,
        closing(open_properties(store)) as properties,
    ):
        properties.set(BACKED_UP, b"%d" % made_at)


def _require_clean(judgement: Judged, anyway: str) -> None:
    """Says what is wrong with a store, and exits, if it is damaged or could not be judged; `anyway`
    is the command that goes on."""
    if status(judgement) != CLEAN:
        print_findings(judgement)
        state_text = "damaged or could not be judged, and nothing was written. To go on"
        err.print(
            f"The store is {state_text} nevertheless: {anyway}", style="bold red", soft_wrap=True
        )
        sys.exit(status(judgement))


def _judge(file: Path) -> None:
    _require_clean(judge_file(file), "arbiter backup --no-check")


@click.command()
@FILE
@click.option(
    "--despite-altered", is_flag=True, help="Restore even if something in the store is damaged."
)
@data_option
def restore(file: Path, despite_altered: bool, data: Path) -> None:
    """Restore the store in FILE where there is no store yet.

    The store gets its name only after it has been read again and compared with the backup, the
    lists have been built, and nothing in it is damaged.
    """
    instance_settings = _embedded(data)
    if not file.is_file():
        raise click.ClickException(f"there is no backup at {file}")
    with store_lock(instance_settings), operator_errors():
        now = SystemClock().now()
        with restored(file, instance_settings.database, now) as (restored_path, manifest, files):
            keys = _wanted_keys(instance_settings.key_folder, files)
            renamed = {**instance_settings.store, "SQLITE_DBNAME": str(restored_path)}
            _build_lists_and_judge(
                replace(instance_settings, store=renamed), anyway=despite_altered
            )
            _write(instance_settings.key_folder, keys)
    out.print(f"{describe(manifest.sums)}: read again, identical", soft_wrap=True)
    out.print(
        f"Restored to {instance_settings.database}, of {rfc3339(manifest.made_at)}", style="bold"
    )
    _print_missing_keys(instance_settings)


def _build_lists_and_judge(instance_settings: Settings, *, anyway: bool) -> None:
    """Builds the lists from a restored log, and judges the store as `arbiter check` does. Raises
    PersistenceErrors; NewerStore if the store is in a format that this release does not know."""
    require_known_format(instance_settings.store)
    # The store is closed last: what only reads it would leave its write-ahead log behind.
    with opened_store(instance_settings) as store:
        with index_with_progress(store) as (index, progress):
            index.rebuild(progress)
        judgement = judge_store(instance_settings.store)
    if not anyway:
        _require_clean(judgement, "arbiter restore --despite-altered")


def _public_keys(folder: Path) -> Files:
    """The existing files of the public signing keys."""
    paths = [folder / purpose / VERIFIERS for purpose in PURPOSES]
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths if path.exists()}


def _wanted_keys(folder: Path, backup_files: Files) -> Files:
    """The key files of the backup to be written. Existing files stay if they belong to this store,
    which means that they contain every public key in the backup. Raises OSError otherwise."""
    missing = {}
    for name, content in backup_files.items():
        path = folder / name
        if not path.parent.exists():
            missing[name] = content
            continue
        existing = path.read_bytes().split() if path.exists() else []
        if not set(content.split()) <= set(existing):
            raise OSError(f"{path.parent} has the keys of another store: move it away")
    return missing


def _write(folder: Path, files: Files) -> None:
    """Writes files; they are on disk when this returns."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_whole(path, content)


def _print_missing_keys(instance_settings: Settings) -> None:
    missing = [
        path
        for purpose in PURPOSES
        if not (path := instance_settings.key_folder / purpose / PRIVATE).exists()
    ]
    if missing:
        out.print(f"{WITHOUT_PRIVATE}. Before anybody serves the store, put these back,")
        out.print("or make new ones with `arbiter keys rotate`:")
        for path in missing:
            out.print(f"  {path}", soft_wrap=True)


def _embedded(data: Path) -> Settings:
    """The settings of an embedded store. Raises an error for the operator if it is PostgreSQL."""
    instance_settings = settings(data)
    if not instance_settings.embedded:
        raise click.ClickException(
            "the store is PostgreSQL: pg_dump and pg_restore do it, as deploy/README.md shows"
        )
    return instance_settings


def describe(sums: Sums) -> str:
    """The number of events, secrets and keys in a store, for people."""
    return (
        f"{sums[LOG].rows:,} events, {sums[SECRETS].rows:,} secrets and {sums[KEYRINGS].rows:,} "
        "entries of keys and requests"
    )
