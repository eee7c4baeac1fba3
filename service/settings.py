"""Settings: from the environment, `ARBITER_*` and the store's own."""

import os
import re
from collections.abc import Mapping
from ipaddress import ip_network
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from service.auth.client_address import Network
from service.auth.rates import Rates, rate
from service.event_store.disk_room import DiskLimits
from service.notices.mail_server import mail_server
from service.observability.metrics_address import metrics_address

EMBEDDED = "service.event_store.sqlite"
POSTGRES = "service.event_store.postgres"

MIB = 1024**2

SEAT_BYTES = 384 * 1024
"""Default of the bytes that one seat of a match of two may put on its record: the seats of a match
together 768 KiB, which is less than 15,000 events and is read in a quarter of a second."""

GRACE = 10
"""Default of the longest absence, in seconds, for which no deadline is moved."""
DISK = DiskLimits(low=1024 * MIB, full=64 * MIB)
"""Default limits of the disk of an embedded store."""
SCRUB_SHARE, SCRUB_DAYS = 2, 7
"""Defaults of the part of a core that the scrub may use, in percent, and of the days in which it
judges a whole store."""

NAME = "arbiter"
"""Default name of the service in its signing keys."""


class Settings(Struct, frozen=True):
    """The settings of one instance of the service.

    - `store`: the environment of the event store (`PERSISTENCE_MODULE`, `SQLITE_DBNAME`, ...)
    - `organiser_key`: an organiser's key set by the operator instead of an issued one
    - `keys`: the folder of the signing keys, by default beside the embedded store or in `data`
    - `name`: the name of the service in its signing keys
    - `shared`: whether other instances write to the same store
    - `redis`: the URL of the Redis through which instances notify one another
    - `rates`: the rate limits of one sender
    - `trusted`: the networks of the proxies whose forwarded client addresses are trusted
    - `metrics`: the address at which metrics are served
    - `access_log`, `log_addresses`: whether each request is logged, and with its client's address
    - `match_memory`: the memory for loaded matches of one process, in bytes
    - `origins`: the origins whose pages may call the API; `*` stands for all, without a key
    - `seat_bytes`: the bytes that one seat of a match of two may put on its record; of more seats
      all together have as many
    - `grace`: the longest absence of the service, in seconds, for which no deadline is moved
    - `disk`: the free bytes on the disk of an embedded store below which it is low, and full
    - `scrub_share`: the part of a core that the scrub may use, in percent; 0 for no scrub
    - `scrub_days`: within this time the scrub judges everything in a store
    - `public_url`: the address at which people reach the service, without a slash at its end; by
      default links begin with the address at which it listens
    - `demo`: whether the pages offer to start matches between bots, on an embedded store
    - `smtp`: the mail server by which notices are sent to people, with a password
    - `private_webhooks`: whether webhooks may have http and addresses of the own network
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
    match_memory: int = 512 * MIB
    origins: tuple[str, ...] = ()
    seat_bytes: int = SEAT_BYTES
    grace: int = GRACE
    disk: DiskLimits = DISK
    scrub_share: int = SCRUB_SHARE
    scrub_days: int = SCRUB_DAYS
    public_url: str | None = None
    private_webhooks: bool = False
    smtp: str | None = None
    demo: bool = False

    @property
    def embedded(self) -> bool:
        """Whether the store is the embedded one, a file that this instance alone uses."""
        return self.store["PERSISTENCE_MODULE"] == EMBEDDED

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
        return self.keys or self.folder / "keys"

    @property
    def proxies(self) -> tuple[Network, ...]:
        """The networks of the trusted proxies."""
        return tuple(map(ip_network, self.trusted))

    @property
    def location(self) -> str:
        """The location of the store, for people."""
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
SCHEMA = re.compile(r"[a-z_][a-z0-9_]{0,62}")
"""The library looks up its types by the schema's name without quotes. With capital letters
everything would fail, but not before the first key is issued."""

ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:[0-9]{1,5})?")
"""An origin as a browser sends it (Fetch standard, 3.2)."""

PUBLIC_URL = re.compile(r"https?://[A-Za-z0-9.:\[\]-]+(/[A-Za-z0-9._~/-]*)?")

POSTGRES_NEEDS = ("POSTGRES_DBNAME", "POSTGRES_HOST", "POSTGRES_USER")


def read_settings(
    data: Path,
    host: str | None = None,
    port: int | None = None,
    environment: Mapping[str, str] | None = None,
) -> Settings:
    """The settings of an instance with its files in the folder `data`.

    Raises ValueError with a sentence for the operator if a setting is wrong.
    """
    env = os.environ if environment is None else environment
    if env.get("ARBITER_STORES"):
        raise ValueError(
            "ARBITER_STORES: a service has one store, not several; unset it."
            " `arbiter store copy` joins several"
        )
    store = _store(env, data)
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
        _positive(env, "ARBITER_MATCH_MEMORY", 512, "the memory in MiB") * MIB,
        _origins(env.get("ARBITER_ORIGINS", "")),
        _positive(env, "ARBITER_SEAT_BYTES", SEAT_BYTES, "the bytes of a seat in a match"),
        _positive(env, "ARBITER_GRACE", GRACE, "the seconds of an absence without consequence"),
        DiskLimits(
            _positive(env, "ARBITER_DISK_LOW", DISK.low // MIB, "the free room in MiB") * MIB,
            _positive(env, "ARBITER_DISK_FULL", DISK.full // MIB, "the free room in MiB") * MIB,
        ),
        _percent(env, "ARBITER_SCRUB_SHARE", SCRUB_SHARE),
        _positive(env, "ARBITER_SCRUB_DAYS", SCRUB_DAYS, "the days in which a store is judged"),
        public_url=_public_url(env.get("ARBITER_PUBLIC_URL", "")),
        private_webhooks=_switch(env, "ARBITER_PRIVATE_WEBHOOKS"),
        smtp=_smtp(env.get("ARBITER_SMTP", "")),
        demo=_switch(env, "ARBITER_DEMO"),
    )


def _store(env: Mapping[str, str], data: Path) -> dict[str, str]:
    """The environment of the store: its own variables for our modules, everything for others."""
    module = env.get("PERSISTENCE_MODULE", EMBEDDED)
    if module == EMBEDDED:
        database = env.get("SQLITE_DBNAME", str(data / "arbiter.db"))
        if ":memory:" in database or "mode=memory" in database:
            raise ValueError("SQLITE_DBNAME: a store in memory loses what it has acknowledged")
        return _with_prefix(env, "SQLITE_") | {
            "PERSISTENCE_MODULE": module, "SQLITE_DBNAME": database
        }  # fmt: skip
    if module == POSTGRES:
        missing = [name for name in POSTGRES_NEEDS if not env.get(name)]
        if missing:
            raise ValueError(f"the store is PostgreSQL: {', '.join(missing)} must be set")
        if not SCHEMA.fullmatch(env.get("POSTGRES_SCHEMA") or "public"):
            raise ValueError("POSTGRES_SCHEMA: say small letters, digits and _, 63 at most")
        # The library requires these two although libpq has defaults for them.
        defaults = {"POSTGRES_PORT": "5432", "POSTGRES_PASSWORD": ""}
        named = _with_prefix(env, "POSTGRES_") | _with_prefix(env, "CREATE_TABLE")
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
                raise ValueError(f"{setting}={env[setting]}: the number of streams, a whole number")
            chosen[name] = int(env[setting])
    return replace(Rates(), **chosen)


def _networks(text: str) -> tuple[str, ...]:
    try:
        return tuple(str(ip_network(part.strip())) for part in text.split(",") if part.strip())
    except ValueError as error:
        raise ValueError(f"ARBITER_TRUSTED_PROXIES: {error}") from None


def _public_url(said: str) -> str | None:
    """The address that people use, without a slash at its end; None if none is set."""
    if not said:
        return None
    if not PUBLIC_URL.fullmatch(said):
        raise ValueError(f"ARBITER_PUBLIC_URL={said}: write https://play.example.org")
    return said.rstrip("/")


def _smtp(said: str) -> str | None:
    """The mail server and the sender; None if none is set. The error does not have it, because it
    has a password."""
    try:
        if said:
            mail_server(said)
    except ValueError:
        raise ValueError(
            "ARBITER_SMTP: write mailtos://user:password@smtp.example.org?from=arbiter@example.org"
        ) from None
    return said or None


def _origins(text: str) -> tuple[str, ...]:
    origins = tuple(part.strip() for part in text.split(",") if part.strip())
    for origin in origins:
        default_port = {"http": ":80", "https": ":443"}.get(origin.partition(":")[0], "no port")
        if origin != "*" and (not ORIGIN.fullmatch(origin) or origin.endswith(default_port)):
            raise ValueError(
                f"ARBITER_ORIGINS: {origin}: write an origin as browsers send it, "
                "https://play.example.org, or *"
            )
    return origins


def _metrics(text: str | None) -> str | None:
    if text:
        metrics_address(text)
    return text or None


def _positive(env: Mapping[str, str], name: str, default: int, meaning: str) -> int:
    text = env.get(name, str(default))
    if not (text.isascii() and text.isdigit() and int(text)):
        raise ValueError(f"{name}={text}: {meaning}, a whole number")
    return int(text)


def _percent(env: Mapping[str, str], name: str, default: int) -> int:
    text = env.get(name, str(default))
    if not (text.isascii() and text.isdigit() and int(text) <= 100):
        raise ValueError(f"{name}={text}: a percentage, a whole number from 0 to 100")
    return int(text)


def _switch(env: Mapping[str, str], name: str) -> bool:
    text = env.get(name, "0")
    if text not in ("", "0", "1"):
        raise ValueError(f"{name}={text}: say 1 or 0")
    return text == "1"


def _with_prefix(env: Mapping[str, str], prefix: str) -> dict[str, str]:
    return {name: value for name, value in env.items() if name.startswith(prefix)}


def _name(text: str) -> str:
    if not SERVICE_NAME.fullmatch(text):
        raise ValueError("ARBITER_NAME: a host name, with a path if you like: play.example.org/cup")
    return text


def _port(text: str) -> int:
    if not text.isdigit() or int(text) > 65_535:
        raise ValueError(f"ARBITER_PORT={text}: a port is a number up to 65535")
    return int(text)
