"""Settings: from the environment, `ARBITER_*` and the store's own."""

import os
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

EMBEDDED = "service.storage.sqlite"


class Settings(Struct, frozen=True):
    """How one instance of the service runs.

    `store` is the environment of the event store (`PERSISTENCE_MODULE`, `SQLITE_DBNAME`, ...);
    `organiser_key` an organiser's key set by the operator instead of an issued one.
    """

    store: dict[str, str]
    host: str = "127.0.0.1"
    port: int = 8000
    organiser_key: str | None = None
    log_format: str = "console"

    @property
    def database(self) -> str:
        """The SQLite database of the store."""
        return self.store["SQLITE_DBNAME"]


SHORTEST_KEY = 32


def read_settings(
    data: Path,
    host: str | None = None,
    port: int | None = None,
    environment: Mapping[str, str] | None = None,
) -> Settings:
    """The settings of an instance whose embedded store lies in the folder `data`.

    Raises ValueError with a sentence for the operator when a setting is wrong.
    """
    env = os.environ if environment is None else environment
    module = env.get("PERSISTENCE_MODULE", EMBEDDED)
    if module != EMBEDDED:
        raise ValueError(f"PERSISTENCE_MODULE={module}: this release knows {EMBEDDED} only")
    database = env.get("SQLITE_DBNAME", str(data / "arbiter.db"))
    if ":memory:" in database or "mode=memory" in database:
        raise ValueError("SQLITE_DBNAME: a store in memory loses what it has acknowledged")
    key = env.get("ARBITER_ORGANISER_KEY")
    if key is not None and len(key) < SHORTEST_KEY:
        raise ValueError(f"ARBITER_ORGANISER_KEY needs at least {SHORTEST_KEY} characters")
    log_format = env.get("ARBITER_LOG", "console")
    if log_format not in ("console", "json"):
        raise ValueError(f"ARBITER_LOG={log_format}: say console or json")
    return Settings(
        {
            **{name: value for name, value in env.items() if name.startswith("SQLITE_")},
            "PERSISTENCE_MODULE": module,
            "SQLITE_DBNAME": database,
        },
        host if host is not None else env.get("ARBITER_HOST", "127.0.0.1"),
        port if port is not None else _port(env.get("ARBITER_PORT", "8000")),
        key,
        log_format,
    )


def _port(text: str) -> int:
    if not text.isdigit() or int(text) > 65_535:
        raise ValueError(f"ARBITER_PORT={text}: a port is a number up to 65535")
    return int(text)
