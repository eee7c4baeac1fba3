"""Who was handed an event, and when, by the account of reads (/docs/api#who-has-looked).

The account says up to which number somebody has read, and when first and last. So an event of a
lower number was handed out between two instants; when exactly is not known.
"""

from collections.abc import Sequence

from msgspec import Struct

from projections.disclosure import Viewer, named
from projections.timestamps import rfc3339


class Reading(Struct, frozen=True):
    """Somebody has read a match as an audience, up to its number `seq`, first and last at these
    instants in microseconds.

    `person` is None for a key without a name, `role` what the key is for: `organiser`, `moderator`
    or `seat`. `audience` is None in what a seat is told after the end: somebody has looked at
    hidden things, when the seat had `seq` events of its own.
    """

    person: str | None
    role: str
    seq: int
    first: int
    last: int
    key_id: str | None = None
    audience: Viewer | None = None


class Look(Struct, frozen=True):
    """An event was handed to somebody, at the `earliest` and at the `latest` at these instants
    (RFC 3339). `audience` is the one as which it was read, None where that is not told."""

    person: str | None
    role: str
    key_id: str | None
    audience: str | None
    earliest: str
    latest: str


class Sent(Struct, frozen=True):
    """When an event was first handed to anybody as a reader: not before `earliest`, and not after
    `latest` (RFC 3339)."""

    earliest: str
    latest: str


def look(reading: Reading, since: int) -> Look:
    """The look at an event that the reader could know since this instant, in microseconds."""
    return Look(
        reading.person,
        reading.role,
        reading.key_id,
        None if reading.audience is None else named(reading.audience),
        rfc3339(max(reading.first, since)),
        rfc3339(max(reading.last, since)),
    )


def sent(readings: Sequence[Reading], since: int) -> Sent | None:
    """When it was first sent, by all readings of it; None if there are none."""
    if not readings:
        return None
    earliest = min(max(reading.first, since) for reading in readings)
    return Sent(rfc3339(earliest), rfc3339(min(max(one.last, since) for one in readings)))
