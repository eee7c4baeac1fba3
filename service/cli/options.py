"""Options that several commands share."""

import fcntl
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID

import rich_click as click
from eventsourcing.persistence import PersistenceError
from msgspec.structs import replace
from rich.console import Console

from service.settings import Settings, read_settings
from service.storage.store import Store

F = TypeVar("F", bound=Callable[..., Any])

out = Console(highlight=False, emoji=False)
err = Console(stderr=True, highlight=False, emoji=False)


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


def make_folder(chosen: Settings) -> None:
    """Makes the folder of the instance. What lies there is for the operator alone."""
    os.umask(0o077)
    chosen.folder.mkdir(parents=True, exist_ok=True)


@contextmanager
def alone(chosen: Settings) -> Iterator[None]:
    """Keeps the embedded store for this process, or an error for the operator: two that write to
    one would not know of one another. A process that dies lets go of it.
    """
    make_folder(chosen)
    with Path(f"{chosen.database}.lock").open("a") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise click.ClickException(
                f"another process serves {chosen.database}: stop it, or choose another --data"
            ) from None
        yield


@contextmanager
def existing_store(data: Path, stream: UUID | None = None) -> Iterator[Store]:
    """A store that is there already, of several that which has a match or a tournament, or else the
    first; or an error for the operator."""
    found = settings(data)
    require_there(found)
    with told(), ExitStack() as opened:
        yield _having(opened, list(found.each.values()), stream)


def require_there(chosen: Settings) -> None:
    """Raises an error for the operator if there is no embedded store where one should be."""
    if chosen.embedded and not chosen.database.exists():
        raise click.ClickException(f"there is no store at {chosen.database}: start `arbiter serve`")


def _having(opened: ExitStack, places: Sequence[Settings], stream: UUID | None) -> Store:
    """The store that has a stream, or else the first. Raises PersistenceError if one that might
    have it does not answer."""
    found: list[Store] = []
    silent: PersistenceError | None = None
    for one in places:
        # Only who serves, or migrates, makes tables.
        reading = opened_store(replace(one, store={**one.store, "CREATE_TABLE": "no"}))
        try:
            store = opened.enter_context(reading)
            if stream is None or len(places) == 1 or store.states(stream, 0, 1):
                return store
            found.append(store)
        except PersistenceError as error:
            silent = error
    if silent is not None:
        raise silent
    return found[0]


@contextmanager
def told() -> Iterator[None]:
    """What is wrong with a store or its settings is an error for the operator."""
    try:
        yield
    except (PersistenceError, OSError) as error:
        raise click.ClickException(str(error)) from None


@contextmanager
def opened_store(chosen: Settings) -> Iterator[Store]:
    """The store of an instance, closed in the end. Raises PersistenceErrors, and OSError for
    settings that are wrong."""
    store = Store(chosen.store)
    try:
        yield store
    finally:
        store.close()
