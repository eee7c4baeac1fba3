"""Options that several commands share."""

import fcntl
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID

import rich_click as click
from eventsourcing.persistence import PersistenceError
from msgspec.structs import replace

from domain.events import Event, Record
from service.event_store.integrity.checked_records import read_checked
from service.event_store.integrity.digests import RecordAltered
from service.event_store.store import Store
from service.settings import Settings, read_settings

F = TypeVar("F", bound=Callable[..., Any])


def data_option(command: F) -> F:
    """`--data`: the folder of the embedded store."""
    return click.option(
        "--data",
        type=click.Path(file_okay=False, path_type=Path),
        default=Path("data"),
        show_default=True,
        envvar="ARBITER_DATA",
        help="The folder of the embedded store.",
    )(command)


def settings(data: Path, host: str | None = None, port: int | None = None) -> Settings:
    """The settings, or an error for the operator."""
    try:
        return read_settings(data, host, port)
    except ValueError as error:
        raise click.ClickException(str(error)) from None


def make_folder(instance_settings: Settings) -> None:
    """Creates the folder of the instance."""
    instance_settings.folder.mkdir(parents=True, exist_ok=True)


@contextmanager
def store_lock(instance_settings: Settings) -> Iterator[None]:
    """Locks the embedded store for this process, because two writers would not notice each other;
    other stores do their own locking. The lock ends with the process. Raises an error for the
    operator if another process has it."""
    make_folder(instance_settings)
    if not instance_settings.embedded:
        yield
        return
    with Path(f"{instance_settings.database}.lock").open("a", encoding="utf-8") as lock_file:
        try:
            fcntl.flock(lock_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise click.ClickException(
                f"another process serves {instance_settings.database}: stop it, or choose another"
                " --data"
            ) from None
        yield


@contextmanager
def existing_store(data: Path) -> Iterator[Store]:
    """An existing store. Raises an error for the operator if there is none."""
    instance_settings = settings(data)
    require_store(instance_settings)
    # Only `serve` and `migrate` create tables.
    present = replace(instance_settings, store={**instance_settings.store, "CREATE_TABLE": "no"})
    with operator_errors(), opened_store(present) as store:
        yield store


def require_store(instance_settings: Settings) -> None:
    """Raises an error for the operator if the embedded store does not exist."""
    if instance_settings.embedded and not instance_settings.database.is_file():
        raise click.ClickException(
            f"there is no store at {instance_settings.database}: start `arbiter serve`"
        )


def intact_records(store: Store, match: UUID) -> list[Record[Event]]:
    """The records of a match, none if there is no such match. Raises an error for the operator if
    the record is damaged, was changed, or needs a newer release."""
    try:
        return read_checked(store, match).records
    except RecordAltered as error:
        raise click.ClickException(f"the record cannot be read: {error}") from None


@contextmanager
def operator_errors() -> Iterator[None]:
    """Turns errors of a store or its settings into an error for the operator."""
    try:
        yield
    except (PersistenceError, sqlite3.DatabaseError, OSError) as error:
        raise click.ClickException(str(error)) from None


@contextmanager
def opened_store(instance_settings: Settings) -> Iterator[Store]:
    """The store of an instance; closed at the end. Raises PersistenceErrors, and OSError for wrong
    settings."""
    store = Store(instance_settings.store)
    try:
        yield store
    finally:
        store.close()
