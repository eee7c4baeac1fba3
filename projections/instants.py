"""Instants as people and programs read them."""

from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def rfc3339(microseconds: int) -> str:
    """The instant so many microseconds after 1970, in UTC (RFC 3339)."""
    return (EPOCH + timedelta(microseconds=microseconds)).isoformat().replace("+00:00", "Z")
