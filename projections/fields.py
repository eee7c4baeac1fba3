"""Fields that many answers have: their types, with what they mean in the description of the API,
and instants for people and programs."""

from datetime import datetime, timedelta
from functools import lru_cache
from typing import Annotated, Any

from msgspec import Meta, UnsetType

from domain.events import LATEST

Seat = Annotated[int, Meta(description="The number of a seat, from 0")]
Player = Annotated[int, Meta(description="The number of a player in the roster, from 0")]
Moderator = Annotated[int, Meta(description="The number of a moderator of the tournament, from 0")]
Seq = Annotated[int, Meta(ge=1, description="The number of an event, in the reader's own count")]
PublicSeq = Annotated[
    Annotated[int, Meta(ge=1)] | None,
    Meta(
        description="The event's number in the public's count, by which everybody may name it; "
        "null if the public has not got it"
    ),
]
By = Annotated[str | None, Meta(description="Who did it; null for a key without a name")]
Rule = Annotated[str | None, Meta(description="A rule of the game or of the event")]
Appeals = Annotated[
    str | None,
    Meta(description="The id of the ruling about which this one decides; null if it is no appeal"),
]
Asker = Annotated[
    int | UnsetType, Meta(description="The seat that asks for it; missing if none does")
]
Replaces = Annotated[
    int | UnsetType, Meta(description="The seat that another person would take over")
]
Successor = Annotated[str | UnsetType, Meta(description="The name of that person")]
ReplacedBy = Annotated[str | UnsetType, Meta(description="The match that would be played instead")]
Next = Annotated[
    int | None, Meta(description="The `after` of the page that follows; null on the last one")
]
ShownOnce = Annotated[str | None, Meta(description="Shown once: null in a repeated answer")]


ShownAction = Annotated[
    dict[str, Any],
    Meta(description="An action of the game", extra_json_schema={"x-of-a-game": "action"}),
]
ShownOptions = Annotated[
    dict[str, Any],
    Meta(description="The options of the match", extra_json_schema={"x-of-a-game": "options"}),
]


EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001  every instant here is UTC
MICROSECOND = timedelta(0, 0, 1)
FIRST, LAST = timedelta(-719_162), timedelta(0, 0, LATEST)
"""Since EPOCH: the first instant of year 1, and the last that every reader of JSON can hold."""
YEARS = range(-62_135_596_800_000_000, 9_025_257_600_000_000)
"""Microseconds since 1970 of the years 1 to 2255."""

Timestamp = Annotated[
    str,
    Meta(
        description="RFC 3339, in UTC",
        examples=["2026-11-21T14:00:00.123456Z"],
        extra_json_schema={"format": "date-time"},
    ),
]
"""An instant as it is shown: RFC 3339, in UTC."""


@lru_cache(maxsize=256)
def rfc3339(microseconds: int) -> str:
    """The instant as RFC 3339, in UTC, from microseconds since 1970."""
    seconds, rest = divmod(microseconds, 1_000_000)
    return (EPOCH + timedelta(0, seconds, rest)).isoformat() + "Z"


def instant(text: str) -> int:
    """The microseconds since 1970 of an RFC 3339 instant. Raises ValueError for anything else, also
    without an offset from UTC: everyone would take that for a time where they are."""
    since = microseconds(datetime.fromisoformat(text))
    if not FIRST <= since * MICROSECOND <= LAST:
        raise ValueError("an instant is in the years 1 to 2255, in UTC")
    return since


def microseconds(when: datetime) -> int:
    """The microseconds since 1970. Raises ValueError without an offset from UTC."""
    offset = when.utcoffset()
    if offset is None:
        raise ValueError("an instant has an offset from UTC")
    # In this order: the first and the last instants of a datetime have offsets beyond its years.
    return (when.replace(tzinfo=None) - EPOCH - offset) // MICROSECOND


def check_year(when: datetime) -> None:
    """Raises ValueError for an instant that is in none of the years that a request may name."""
    if microseconds(when) not in YEARS:
        raise ValueError("an instant is in the years 1 to 2255, in UTC")
