"""Settings: from the environment, `ARBITER_*` and the store's own."""

import os
import re
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

EMBEDDED = "service.storage.sqlite"
POSTGRES = "service.storage.postgres"

NAME = "arbiter"
"""What signing keys are named after unless the operator says more."""


class Settings(Struct, frozen=True):
    """How one instance of the service runs.

    `store` is the environment of the event store (`PERSISTENCE_MODULE`, `SQLITE_DBNAME`, ...);
    `organiser_key` an organiser's key set by the operator instead of an issued one; `keys` the
    folder of the signing keys, by default beside the store; `name` whose keys they say they are;
    `shared` if other instances write to the same store; `redis` where they tell one another.
    """

    store: dict[str, str]
    host: str = "127.0.0.1"
    port: int = 8000
    organiser_key: str | None = None
    log_format: str = "console"
    keys: Path | None = None
    name: str = NAME
    shared: bool = False
    redis: str | None = None

    @property
    def database(self) -> str:
        """The SQLite database of the store."""
        return self.store["SQLITE_DBNAME"]

    @property
    def key_folder(self) -> Path:
        """Where the signing keys lie."""
        return self.keys or Path(self.database).parent / "keys"


SHORTEST_KEY = 32
SERVICE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]{0,126}(/[A-Za-z0-9._-]{1,64}){0,4}")


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
        Path(env["ARBITER_KEYS"]) if "ARBITER_KEYS" in env else None,
        _name(env.get("ARBITER_NAME", NAME)),
    )


def _name(text: str) -> str:
    if not SERVICE_NAME.fullmatch(text):
        raise ValueError("ARBITER_NAME: a host name, with a path if you like: play.example.org/cup")
    return text


def _port(text: str) -> int:
    if not text.isdigit() or int(text) > 65_535:
        raise ValueError(f"ARBITER_PORT={text}: a port is a number up to 65535")
    return int(text)
