"""The settings of an instance under test: its organiser key and its store, which is the embedded
one, or PostgreSQL if `ARBITER_TEST_STORE=postgres`."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from service.event_store.database import embedded
from service.settings import Settings

ORGANISER_KEY = "an-organiser-key-for-the-tests-0123456789"

KIND = os.environ.get("ARBITER_TEST_STORE", "sqlite")
assert KIND in ("sqlite", "postgres"), f"ARBITER_TEST_STORE={KIND}: say sqlite or postgres"


def settings_in(folder: Path) -> Settings:
    """The settings of an instance whose files are in a folder; a later instance finds its data
    there, and in the database that belongs to the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    if KIND == "sqlite":
        store = embedded(folder / "arbiter.db")
        return Settings(store=store, data=folder)
    return Settings(store=_database(folder), data=folder, shared=True)


def environment_of(folder: Path) -> dict[str, str]:
    """The environment that tells the command line which store to use next to `--data`."""
    return {} if KIND == "sqlite" else _database(folder)


@contextmanager
def fresh_store(kind: str, folder: Path) -> Iterator[Settings]:
    """The settings of an instance on a store of its own: `sqlite` or `postgres`."""
    folder.mkdir(parents=True)
    if kind == "sqlite":
        env = embedded(folder / "arbiter.db")
        yield Settings(store=env, organiser_key=ORGANISER_KEY, data=folder)
        return
    # Imported only here, as below.
    from tests.support.servers.postgres_server import fresh_database

    with fresh_database() as env:
        yield Settings(store=env, organiser_key=ORGANISER_KEY, data=folder, shared=True)


def _database(folder: Path) -> dict[str, str]:
    # Imported only here: it starts a server.
    from tests.support.servers.postgres_server import server

    name = f"f{sha256(str(folder.absolute()).encode()).hexdigest()[:40]}"
    return server().named_database(name)
