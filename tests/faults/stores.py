"""A fresh store of either kind, for an instance in the process of the test."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from service.settings import EMBEDDED, Settings
from tests.live import ORGANISER_KEY
from tests.postgres import fresh_database


@contextmanager
def store(kind: str, folder: Path) -> Iterator[Settings]:
    """The settings of an instance on it: `sqlite` or `postgres`."""
    folder.mkdir(parents=True)
    if kind == "sqlite":
        env = {"PERSISTENCE_MODULE": EMBEDDED, "SQLITE_DBNAME": str(folder / "arbiter.db")}
        yield Settings(env, organiser_key=ORGANISER_KEY, data=folder)
        return
    with fresh_database() as env:
        yield Settings(env, organiser_key=ORGANISER_KEY, data=folder, shared=True)
