"""Descriptors: how many files and connections the process may have open at once (`RLIMIT_NOFILE`),
and for what they are enough."""

import resource

from msgspec.structs import replace

from service.auth.rate_limiter import Rates
from service.observability import logs

FEWEST = 256
"""The fewest open files with which the store and a few clients fit."""

MOST_CONNECTIONS = 16_384

RESERVED_FILES = 256
"""Number of open files reserved for the store and everything else that is not a connection; half of
all if they are few."""

COMMAND_SHARE = 4
"""One connection in four is left for requests other than streams."""


def open_files() -> int:
    """Raises this process's limit of open files, as far as allowed and needed; returns the
    limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = 2 * MOST_CONNECTIONS
    if hard != resource.RLIM_INFINITY:
        needed = min(needed, hard)
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return needed
    resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))
    return needed


def most_connections(limit: int) -> int:
    """The maximum number of connections of a process that may open `limit` files."""
    return min(MOST_CONNECTIONS, limit - min(RESERVED_FILES, limit // 2))


def require_descriptors() -> None:
    """Raises OSError with a sentence for the operator if this process may open too few files."""
    limit = open_files()
    if limit < FEWEST:
        raise OSError(
            f"this process may open {limit} files and connections, and needs at least {FEWEST}:"
            " raise the limit (`ulimit -n`; LimitNOFILE= of systemd; ulimits of a container)"
        )


def fitting(rates: Rates, limit: int) -> Rates:
    """The rates with no more open streams than fit in `limit` open files, besides the connections
    of commands, the store and files. Says so in the log if these are fewer than were set."""
    connections = most_connections(limit)
    streams = connections - connections // COMMAND_SHARE
    unlimited = rates.streams == 0 and connections == MOST_CONNECTIONS
    if unlimited or 0 < rates.streams <= streams:
        return rates
    logs.info("streams_lowered", streams=streams, set=rates.streams, open_files=limit)
    return replace(rates, streams=streams)
