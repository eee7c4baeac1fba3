"""Settings: from the environment, `ARBITER_*` and the store's own."""

import os
import re
from collections.abc import Mapping
from ipaddress import ip_network
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from service.access.limiting import Rates, rate
from service.access.senders import Network
from service.operation.address import metrics_address

EMBEDDED = "service.storage.sqlite"
POSTGRES = "service.storage.postgres"

MIB = 1024**2

NAME = "arbiter"
"""What signing keys are named after unless the operator says more."""


class Settings(Struct, frozen=True):
    """How one instance of the service runs.

    `store` is the environment of the event store (`PERSISTENCE_MODULE`, `SQLITE_DBNAME`, ...);
    `organiser_key` an organiser's key set by the operator instead of an issued one; `keys` the
    folder of the signing keys, by default beside the embedded store or in `data`; `name` whose keys
    they say they are; `shared` if other instances write to the same store; `redis` where they tell
    one another. `rates` is how much one sender may do, `trusted` the networks of the proxies that
    are believed whom they speak for; `metrics` the address at which figures are given;
    `stores` are the stores by name where there are several, of which `store` is the first;
    `access_log` asks for a line for each request, `log_addresses` for its sender's address in it;
    `room` is how many bytes of memory the open matches of one process may take.
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
    data: Path = Path("data")
    rates: Rates = Rates()
    trusted: tuple[str, ...] = ()
    metrics: str | None = None
    access_log: bool = False
    log_addresses: bool = False
    stores: dict[str, dict[str, str]] = {}
    room: int = 512 * MIB

    @property
    def each(self) -> "dict[str, Settings]":
        """The settings of the instance on each store, by the store's name."""
        if not self.stores:
            return {"only": self}
        alike = replace(self, stores={}, room=self.room // len(self.stores))
        return {name: replace(alike, store=store) for name, store in self.stores.items()}

    @property
    def embedded(self) -> bool:
        """Whether the store is a file of this instance alone."""
        return self.store["PERSISTENCE_MODULE"] == EMBEDDED

    @property
    def database(self) -> Path:
        """The file of the embedded store."""
        return Path(self.store["SQLITE_DBNAME"])

    @property
    def folder(self) -> Path:
        """Where the files of the instance lie."""
        return self.database.parent if self.embedded else self.data

    @property
    def key_folder(self) -> Path:
        """Where the signing keys lie."""
        return self.keys or self.folder / "keys"

    @property
    def proxies(self) -> tuple[Network, ...]:
        """The networks of the trusted proxies."""
        return tuple(map(ip_network, self.trusted))

    @property
    def place(self) -> str:
        """Where matches lie, for people."""
        module = self.store["PERSISTENCE_MODULE"]
        if self.embedded:
            return str(self.database)
        if module == POSTGRES:
            return f"PostgreSQL {self.store['POSTGRES_DBNAME']} at {self.store['POSTGRES_HOST']}"
        return module


SHORTEST_KEY = 32
SERVICE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]{0,126}(/[A-Za-z0-9._-]{1,64}){0,4}")
REDIS_URL = re.compile(r"(rediss?|unix)://\S+")
RATES = {
    "by_key": "ARBITER_RATE_BY_KEY",
    "by_address": "ARBITER_RATE_BY_ADDRESS",
    "failures": "ARBITER_RATE_FAILURES",
}
STREAMS = {
    "streams_by_key": "ARBITER_STREAMS_BY_KEY",
    "streams_by_address": "ARBITER_STREAMS_BY_ADDRESS",
    "streams": "ARBITER_STREAMS",
}
STORE_NAME = re.compile(r"[a-z][a-z0-9]{0,30}")
SCHEMA = re.compile(r"[a-z_][a-z0-9_]{0,62}")
"""The library looks for its types by the schema's name without quotes: with capital letters nothing
would fail before the first key is issued, and then everything."""

POSTGRES_NEEDS = ("POSTGRES_DBNAME", "POSTGRES_HOST", "POSTGRES_USER")


def read_settings(
    data: Path,
    host: str | None = None,
    port: int | None = None,
    environment: Mapping[str, str] | None = None,
) -> Settings:
    """The settings of an instance whose files lie in the folder `data`.

    Raises ValueError with a sentence for the operator when a setting is wrong.
    """
    env = os.environ if environment is None else environment
    stores = _stores(env, data)
    store = next(iter(stores.values())) if stores else _store(env, data)
    key = env.get("ARBITER_ORGANISER_KEY")
    if key is not None and len(key) < SHORTEST_KEY:
        raise ValueError(f"ARBITER_ORGANISER_KEY needs at least {SHORTEST_KEY} characters")
    log_format = env.get("ARBITER_LOG", "console")
    if log_format not in ("console", "json"):
        raise ValueError(f"ARBITER_LOG={log_format}: say console or json")
    redis = env.get("ARBITER_REDIS_URL") or None
    if redis is not None and not REDIS_URL.fullmatch(redis):
        raise ValueError("ARBITER_REDIS_URL: redis://host:port/0, rediss://... or unix://path")
    return Settings(
        store,
        host if host is not None else env.get("ARBITER_HOST", "127.0.0.1"),
        port if port is not None else _port(env.get("ARBITER_PORT", "8000")),
        key,
        log_format,
        Path(env["ARBITER_KEYS"]) if "ARBITER_KEYS" in env else None,
        _name(env.get("ARBITER_NAME", NAME)),
        store["PERSISTENCE_MODULE"] != EMBEDDED,
        redis,
        data,
        _rates(env),
        _networks(env.get("ARBITER_TRUSTED_PROXIES", "")),
        _metrics(env.get("ARBITER_METRICS")),
        _switch(env, "ARBITER_ACCESS_LOG"),
        _switch(env, "ARBITER_LOG_ADDRESSES"),
        stores,
        _room(env.get("ARBITER_MATCH_MEMORY", "512")) * MIB,
    )


def _stores(env: Mapping[str, str], data: Path) -> dict[str, dict[str, str]]:
    """Several stores: what concerns one of them alone begins with its name."""
    names = [name.strip() for name in env.get("ARBITER_STORES", "").split(",") if name.strip()]
    if len(set(names)) < len(names):
        raise ValueError("ARBITER_STORES: every store has a name of its own")
    stores = {}
    for name in names:
        if not STORE_NAME.fullmatch(name):
            raise ValueError(f"ARBITER_STORES: {name}: say letters, digits, north,south")
        own = _beginning(env, f"{name.upper()}_")
        store = _store(
            {**env, **{key.partition("_")[2]: value for key, value in own.items()}}, data
        )
        if store["PERSISTENCE_MODULE"] == EMBEDDED:
            raise ValueError(f"ARBITER_STORES: {name}: of embedded stores there is only one")
        stores[name] = store
    return stores


def _store(env: Mapping[str, str], data: Path) -> dict[str, str]:
    """The environment of the store: of ours what concerns it, of another module everything."""
    module = env.get("PERSISTENCE_MODULE", EMBEDDED)
    if module == EMBEDDED:
        database = env.get("SQLITE_DBNAME", str(data / "arbiter.db"))
        if ":memory:" in database or "mode=memory" in database:
            raise ValueError("SQLITE_DBNAME: a store in memory loses what it has acknowledged")
        return _beginning(env, "SQLITE_") | {
            "PERSISTENCE_MODULE": module, "SQLITE_DBNAME": database
        }  # fmt: skip
    if module == POSTGRES:
        missing = [name for name in POSTGRES_NEEDS if not env.get(name)]
        if missing:
            raise ValueError(f"the store is PostgreSQL: {', '.join(missing)} must be set")
        if not SCHEMA.fullmatch(env.get("POSTGRES_SCHEMA") or "public"):
            raise ValueError("POSTGRES_SCHEMA: say small letters, digits and _, 63 at most")
        # The library wants these two in any case; libpq has its own defaults for them.
        defaults = {"POSTGRES_PORT": "5432", "POSTGRES_PASSWORD": ""}
        named = _beginning(env, "POSTGRES_") | _beginning(env, "CREATE_TABLE")
        return defaults | named | {"PERSISTENCE_MODULE": module}
    return {name: value for name, value in env.items() if not name.startswith("ARBITER_")}


def _rates(env: Mapping[str, str]) -> Rates:
    chosen: dict[str, str | int] = {}
    for name, setting in RATES.items():
        if setting in env:
            rate(env[setting])
            chosen[name] = env[setting]
    for name, setting in STREAMS.items():
        if setting in env:
            if not (env[setting].isascii() and env[setting].isdigit()):
                raise ValueError(f"{setting}={env[setting]}: so many streams, a whole number")
            chosen[name] = int(env[setting])
    return replace(Rates(), **chosen)


def _networks(text: str) -> tuple[str, ...]:
    try:
        return tuple(str(ip_network(part.strip())) for part in text.split(",") if part.strip())
    except ValueError as error:
        raise ValueError(f"ARBITER_TRUSTED_PROXIES: {error}") from None


def _metrics(text: str | None) -> str | None:
    if text:
        metrics_address(text)
    return text or None


def _room(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text)):
        raise ValueError(f"ARBITER_MATCH_MEMORY={text}: so many MiB, a whole number")
    return int(text)


def _switch(env: Mapping[str, str], name: str) -> bool:
    text = env.get(name, "0")
    if text not in ("", "0", "1"):
        raise ValueError(f"{name}={text}: say 1 or 0")
    return text == "1"


def _beginning(env: Mapping[str, str], prefix: str) -> dict[str, str]:
    return {name: value for name, value in env.items() if name.startswith(prefix)}


def _name(text: str) -> str:
    if not SERVICE_NAME.fullmatch(text):
        raise ValueError("ARBITER_NAME: a host name, with a path if you like: play.example.org/cup")
    return text


def _port(text: str) -> int:
    if not text.isdigit() or int(text) > 65_535:
        raise ValueError(f"ARBITER_PORT={text}: a port is a number up to 65535")
    return int(text)
