"""Settings: every one is read here, from the environment, `ARBITER_*` and the store's own. An empty
setting is an unset one."""

import os
import re
from collections.abc import Mapping
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin
from urllib.parse import urlsplit

from msgspec import Struct, ValidationError, convert, field
from msgspec.structs import fields

from service.auth.rate_limiter import Rates
from service.auth.request_guard import Network
from service.event_store.database import EMBEDDED, MEMORY, POSTGRES, is_embedded
from service.event_store.sqlite.disk_room import MIB, DiskLimits
from service.setting_types import (
    Grace,
    KeepAlive,
    LogFormat,
    Memory,
    MetricsAddress,
    Networks,
    OpenTables,
    OrganiserKey,
    OriginsSetting,
    Port,
    PublicAddress,
    RedisUrl,
    SeatBytes,
    ServiceName,
    Switch,
    parse_setting,
)

MODULES = {
    EMBEDDED: EMBEDDED,
    POSTGRES: POSTGRES,
    "eventsourcing.sqlite": EMBEDDED,
    "eventsourcing.postgres": POSTGRES,
}
"""What `PERSISTENCE_MODULE` may be: our modules, by their own names and by the library's."""

SEAT_BYTES = 384 * 1024
"""Default of the bytes that one seat of a match of two may put on its record: the seats of a match
together 768 KiB, which is less than 15,000 events and is read in a quarter of a second."""

SCHEMA = re.compile(r"[a-z_][a-z0-9_]{0,62}")
"""The library looks up its types by the schema's name without quotes. With capital letters
everything would fail, but not before the first key is issued."""

KEEP_ALIVE = 75
"""Default of the seconds for which a connection waits for its next request: longer than proxies and
balancers keep theirs, mostly 60, so that none sends a request on a connection that is closing."""

POSTGRES_NEEDS = ("POSTGRES_DBNAME", "POSTGRES_HOST", "POSTGRES_USER")


class ServerSettings(Struct, frozen=True, kw_only=True):
    """Where the service listens and how it is reached. `trusted` are the networks of proxies whose
    forwarded client addresses are trusted, `origins` those whose pages may call the API; a
    connection waits `keep_alive` seconds for its next request. By default links begin with the
    address at which it listens, not with a `public_url`."""

    host: str = field(name="ARBITER_HOST", default="127.0.0.1")
    port: Port = field(name="ARBITER_PORT", default=8000)
    keep_alive: KeepAlive = field(name="ARBITER_KEEP_ALIVE", default=KEEP_ALIVE)
    trusted: Networks = field(name="ARBITER_TRUSTED_PROXIES", default=Networks())
    origins: OriginsSetting = field(name="ARBITER_ORIGINS", default=OriginsSetting())
    public_url: PublicAddress | None = field(name="ARBITER_PUBLIC_URL", default=None)

    @property
    def root(self) -> str:
        """What the paths of the service begin with where people reach it, as `/arbiter`; "" if it
        has a host to itself."""
        return urlsplit(self.public_url or "").path

    @property
    def proxies(self) -> tuple[Network, ...]:
        """The networks of the trusted proxies."""
        return tuple(map(ip_network, self.trusted))


class LogSettings(Struct, frozen=True, kw_only=True):
    """What the service says of itself: the form of its log, and the address at which metrics are
    served."""

    format: LogFormat = field(name="ARBITER_LOG", default="console")
    metrics: MetricsAddress | None = field(name="ARBITER_METRICS", default=None)


class Limits(Struct, frozen=True, kw_only=True):
    """Bounds of one process: the bytes for loaded matches; those that one seat of a match of two
    may put on its record (of more seats all together have as many); the longest absence of the
    service, in seconds, for which no deadline is moved; how many tables that anyone may open are
    not over at once."""

    match_memory: Memory = field(name="ARBITER_MATCH_MEMORY", default=Memory(512 * MIB))
    seat_bytes: SeatBytes = field(name="ARBITER_SEAT_BYTES", default=SEAT_BYTES)
    grace: Grace = field(name="ARBITER_GRACE", default=10)
    open_tables: OpenTables = field(name="ARBITER_OPEN_TABLES", default=0)


class SigningSettings(Struct, frozen=True, kw_only=True):
    """The folder of the signing keys, by default next to the embedded store or in `data`; and the
    name of the service in them."""

    keys: Path | None = field(name="ARBITER_KEYS", default=None)
    name: ServiceName = field(name="ARBITER_NAME", default="arbiter")


class Settings(Struct, frozen=True, kw_only=True):
    """The settings of one instance of the service.

    - `store`: the environment of the event store (`PERSISTENCE_MODULE`, `SQLITE_DBNAME`, ...)
    - `shared`: whether other instances write to the same store
    - `data`: the folder of the instance's files, unless they lie next to the embedded store
    - `organiser_key`: an organiser's key set by the operator instead of an issued one
    - `redis`: the URL of the Redis through which instances notify one another
    - `private_webhooks`: whether webhooks may have http and addresses of the own network
    - `demo`: whether the pages offer to start matches between bots, on an embedded store
    - `rates`: the rate limits of one sender
    - `disk`: the free MiB on the disk of an embedded store below which it is low, and full
    """

    store: dict[str, str]
    shared: bool = False
    data: Path = Path("data")
    organiser_key: OrganiserKey | None = field(name="ARBITER_ORGANISER_KEY", default=None)
    redis: RedisUrl | None = field(name="ARBITER_REDIS_URL", default=None)
    private_webhooks: Switch = field(name="ARBITER_PRIVATE_WEBHOOKS", default=False)
    demo: Switch = field(name="ARBITER_DEMO", default=False)
    server: ServerSettings = ServerSettings()
    logs: LogSettings = LogSettings()
    limits: Limits = Limits()
    rates: Rates = Rates()
    disk: DiskLimits = DiskLimits()
    signing: SigningSettings = SigningSettings()

    @property
    def embedded(self) -> bool:
        """Whether the store is the embedded one, a file that this instance alone uses."""
        return is_embedded(self.store) and self.store["SQLITE_DBNAME"] != MEMORY

    @property
    def offers_demo(self) -> bool:
        """Whether readers may start matches between bots. Each is known to one process alone, so a
        store that others share offers none."""
        return self.demo and self.embedded

    @property
    def database(self) -> Path:
        """The file of the embedded store."""
        return Path(self.store["SQLITE_DBNAME"])

    @property
    def folder(self) -> Path:
        """The folder of the instance's files."""
        return self.database.parent if self.embedded else self.data

    @property
    def key_folder(self) -> Path:
        """The folder of the signing keys."""
        return self.signing.keys or self.folder / "keys"

    @property
    def location(self) -> str:
        """The location of the store, for people."""
        if self.embedded:
            return str(self.database)
        return f"PostgreSQL {self.store['POSTGRES_DBNAME']} at {self.store['POSTGRES_HOST']}"


GROUPS: Mapping[str, type[Struct]] = {
    field.name: field.type for field in fields(Settings) if isinstance(field.default, Struct)
}
"""The named groups, each of which is read from the same variables."""


def variables(*names: str) -> dict[str, str]:
    """What is set in the environment of this process; with `names`, of these variables alone."""
    return {
        name: value for name, value in os.environ.items() if value and (not names or name in names)
    }


def read_settings(
    data: Path,
    host: str | None = None,
    port: int | None = None,
    environment: Mapping[str, str] | None = None,
) -> Settings:
    """The settings of an instance with its files in the folder `data`, from the environment of this
    process or from another. `host` and `port` come before those of the environment.

    Raises ValueError with a sentence for the operator if a setting is wrong.
    """
    env = variables() if environment is None else {n: v for n, v in environment.items() if v}
    if "ARBITER_PUBLIC_URL" in env:
        # Paths begin with a slash of their own.
        env["ARBITER_PUBLIC_URL"] = env["ARBITER_PUBLIC_URL"].rstrip("/")
    overrides = {"ARBITER_HOST": host, "ARBITER_PORT": None if port is None else str(port)}
    store = _store(env, data)
    env |= {name: value for name, value in overrides.items() if value is not None}
    values: dict[str, Any] = {
        **env,
        **dict.fromkeys(GROUPS, env),
        "store": store,
        "shared": store["PERSISTENCE_MODULE"] != EMBEDDED,
        "data": data,
    }
    try:
        return convert(values, Settings, strict=False, dec_hook=parse_setting)
    except ValidationError as error:
        raise ValueError(_sentence(error, env)) from None


def _store(env: Mapping[str, str], data: Path) -> dict[str, str]:
    """The environment of the store: its own variables."""
    module_ = env.get("PERSISTENCE_MODULE", EMBEDDED)
    if module_ not in MODULES:
        raise ValueError(
            f"PERSISTENCE_MODULE={module_} is not one of our stores: say {EMBEDDED} or {POSTGRES}"
        )
    module = {"PERSISTENCE_MODULE": MODULES[module_], **_with_prefix(env, "CREATE_TABLE")}
    if module["PERSISTENCE_MODULE"] == EMBEDDED:
        database = env.get("SQLITE_DBNAME", str(data / "arbiter.db"))
        if database == ":memory:" or database.startswith("file:"):
            raise ValueError(
                "SQLITE_DBNAME: the path of a file; a store in memory loses what it has"
                " acknowledged"
            )
        return {**_with_prefix(env, "SQLITE_"), **module, "SQLITE_DBNAME": _resolved(database)}
    missing = [name for name in POSTGRES_NEEDS if name not in env]
    if missing:
        raise ValueError(f"the store is PostgreSQL: {', '.join(missing)} must be set")
    if not SCHEMA.fullmatch(env.get("POSTGRES_SCHEMA", "public")):
        raise ValueError("POSTGRES_SCHEMA: say small letters, digits and _, 63 at most")
    # The library requires these two although libpq has defaults for them.
    defaults = {"POSTGRES_PORT": "5432", "POSTGRES_PASSWORD": ""}
    return {**defaults, **_with_prefix(env, "POSTGRES_"), **module}


def _resolved(database: str) -> str:
    """The file itself: its log, its lock and its mark lie where SQLite looks for them, whatever
    names lead to it."""
    try:
        return str(Path(database).resolve())
    except OSError as error:
        raise ValueError(f"{database}: {error.strerror}") from None


def _with_prefix(env: Mapping[str, str], prefix: str) -> dict[str, str]:
    return {name: value for name, value in env.items() if name.startswith(prefix)}


def _sentence(error: ValidationError, env: Mapping[str, str]) -> str:
    """What an operator reads of a wrong setting: its value, unless that is secret, and what it can
    be."""
    if isinstance(error.__cause__, ValueError):
        return str(error.__cause__)
    name = str(error).rpartition(".")[2].rstrip("`")
    groups: tuple[type[Struct], ...] = (Settings, *GROUPS.values())
    (kind,) = (
        field.type for group in groups for field in fields(group) if field.encode_name == name
    )
    (meta,) = next(
        field for field in (kind, *get_args(kind)) if get_origin(field) is Annotated
    ).__metadata__
    setting = name if meta.extra else f"{name}={env.get(name)}"
    return f"{setting}: {meta.description}"
