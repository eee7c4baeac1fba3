"""Instants for people and programs."""

from datetime import datetime, timedelta
from functools import lru_cache

EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001  every instant here is UTC


@lru_cache(maxsize=256)
def rfc3339(microseconds: int) -> str:
    """The instant as RFC 3339, in UTC, from microseconds since 1970."""
    seconds, rest = divmod(microseconds, 1_000_000)
    return (EPOCH + timedelta(0, seconds, rest)).isoformat() + "Z"
