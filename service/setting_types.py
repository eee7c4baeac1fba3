"""The values that settings can have: what an error says of one stands in its description."""

import re
from collections.abc import Callable, Mapping
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta

from service.event_store.sqlite.disk_room import MIB

SECRET = {"secret": True}
"""Of a setting whose value no error repeats."""

Port = Annotated[int, Meta(ge=0, le=65_535, description="a port is a number up to 65535")]
Grace = Annotated[
    int, Meta(ge=1, description="the seconds of an absence without consequence, a whole number")
]
KeepAlive = Annotated[
    int, Meta(ge=1, description="for how many seconds a connection is kept, a whole number")
]
SeatBytes = Annotated[int, Meta(ge=1, description="the bytes of a seat in a match, a whole number")]
OpenTables = Annotated[
    int,
    Meta(ge=0, description="how many open tables there may be at once, a whole number; 0 for none"),
]
Switch = Annotated[bool, Meta(description="say 1 or 0")]
LogFormat = Annotated[Literal["console", "json"], Meta(description="say console or json")]
OrganiserKey = Annotated[
    str, Meta(min_length=32, description="at least 32 characters", extra=SECRET)
]
ServiceName = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9.-]{0,126}(/[A-Za-z0-9._-]{1,64}){0,4}\Z",
        description="a host name, with a path if you like: play.example.org/cup",
    ),
]
RedisUrl = Annotated[
    str,
    Meta(
        pattern=r"^(rediss?|unix)://\S+\Z",
        description="redis://host:port/0, rediss://... or unix://path",
        extra=SECRET,
    ),
]


PublicAddress = Annotated[
    str,
    Meta(
        pattern=r"^https?://[A-Za-z0-9.:\[\]-]+(/[A-Za-z0-9._~/-]*)?\Z",
        description="write https://play.example.org",
    ),
]

ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:[0-9]{1,5})?")
"""An origin as a browser sends it (Fetch standard, 3.2)."""


class OriginsSetting(tuple[str, ...]):
    """The origins whose pages may call the API; `*` stands for all, without a key."""

    __slots__ = ()


class Networks(tuple[str, ...]):
    """Networks of IP addresses."""

    __slots__ = ()


class MetricsAddress(str):
    """An address and a port, as `metrics_address` reads it."""

    __slots__ = ()


class Memory(int):
    """Bytes, which the environment has in MiB."""

    __slots__ = ()


def _networks(text: str) -> Networks:
    try:
        return Networks(str(ip_network(part)) for part in _parts(text))
    except ValueError as error:
        raise ValueError(f"ARBITER_TRUSTED_PROXIES: {error}") from None


def _origins(text: str) -> OriginsSetting:
    origins = OriginsSetting(_parts(text))
    for origin in origins:
        default_port = {"http": ":80", "https": ":443"}.get(origin.partition(":")[0], "no port")
        if origin != "*" and (not ORIGIN.fullmatch(origin) or origin.endswith(default_port)):
            raise ValueError(
                f"ARBITER_ORIGINS: {origin}: write an origin as browsers send it, "
                "https://play.example.org, or *"
            )
    return origins


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _metrics(text: str) -> MetricsAddress:
    metrics_address(text)
    return MetricsAddress(text)


def _memory(text: str) -> Memory:
    if not (text.isascii() and text.isdigit() and int(text)):
        raise ValueError(f"ARBITER_MATCH_MEMORY={text}: the memory in MiB, a whole number")
    return Memory(int(text) * MIB)


_PARSERS: Mapping[type, Callable[[str], object]] = {
    Path: Path,
    Networks: _networks,
    OriginsSetting: _origins,
    MetricsAddress: _metrics,
    Memory: _memory,
}


def parse_setting(kind: type, value: Any) -> Any:
    """A value of one of the types above, from the text of a setting. Raises ValueError with a
    sentence for the operator."""
    return value if isinstance(value, kind) else _PARSERS[kind](value)


def metrics_address(text: str, worker: int = 0) -> tuple[str, int]:
    """The address of a worker's metrics: `127.0.0.1:9464` for the first, then the next ports.

    Each worker is collected separately, so that memory, lag and restarts are seen per worker.
    Raises ValueError with a sentence for the operator.
    """
    host, colon, port = text.rpartition(":")
    if not (colon and host and port.isascii() and port.isdigit()):
        raise ValueError(f"ARBITER_METRICS={text}: an address and a port, as 127.0.0.1:9464")
    number = int(port)
    if number + worker > 65_535:
        raise ValueError(f"ARBITER_METRICS={text}: worker {worker} has no port above it")
    return host.removeprefix("[").removesuffix("]"), number + worker if number else 0
