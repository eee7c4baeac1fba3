"""What every event of a match declares, its stored name and its one audience, and how events are
recorded: in batches, each of which is one input and its consequences. Every record says how far
back its input stands (/docs/evidence-format#records). What follows from an input that a ruling
gives again follows from the ruling."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Annotated, ClassVar, Generic, Literal, NamedTuple, TypeVar

from msgspec import Meta, Struct

AudienceName = Literal["public", "own seat", "sealed"]

PUBLIC: AudienceName = "public"
OWN_SEAT: AudienceName = "own seat"
SEALED: AudienceName = "sealed"

STORED_NAME = re.compile(r"[a-z][a-z0-9-]*(\.[a-z][a-z0-9-]*)+\.[1-9][0-9]*")

LATEST = 2**53 - 1
"""The latest instant there is, 2255-06-05T23:47:34.740991Z: the greatest number that every JSON
reader holds exactly."""

Instant = Annotated[
    int, Meta(ge=0, le=LATEST, extra={"instant": True}, extra_json_schema={"format": "date-time"})
]
"""Microseconds since 1970-01-01T00:00:00Z; shown on the wire as RFC 3339."""


HOUR = 3_600_000_000
"""In microseconds."""


def later(at: int, by: int) -> Instant:
    """The instant that is `by` microseconds after `at`, or the latest there is."""
    return min(at + by, LATEST)


Position = Annotated[int, Meta(ge=1, extra={"position": True})]
"""The number of an event in its stream, from 1; shown on the wire as the reader's own number of it,
or of its own first event after it."""


class Event(Struct, frozen=True, gc=False):
    """Something that happened, visible to exactly one audience: that of its base class, one of the
    three below.

    The tag is the stored name: it is the storage format and never changes. A class without an
    audience raises TypeError where it is defined.
    """

    audience: ClassVar[AudienceName]

    def discloses(self) -> Mapping[type["Event"], tuple[str, ...]]:
        """Fields of earlier events that this one shows to its own audience, by kind: of all events
        of that kind since the last event of this class. An audit relies on it
        (/docs/evidence#who-could-know-what)."""
        return {}

    def masked(self) -> "Event":
        """The event as moderators are shown it in a match that conceals from them what is for one
        seat (`Game.conceals`)."""
        return self

    def game_note(self) -> Struct | None:
        """What the receipt of the action from which this follows at once says in the game's own
        fields: a `Note` of the game."""
        return None

    def __init_subclass__(cls) -> None:
        if getattr(cls, "audience", None) not in (PUBLIC, OWN_SEAT, SEALED):
            raise TypeError(f"{cls.__name__} does not say who may see it")
        if cls.audience == SEALED and "seat" in cls.__annotations__:
            raise TypeError(f"{cls.__name__} is for moderators and has a field `seat`")


class PublicEvent(Event, frozen=True):
    """For everyone."""

    audience: ClassVar = PUBLIC


class SeatEvent(Event, frozen=True):
    """For one seat, and for moderators."""

    audience: ClassVar = OWN_SEAT
    seat: int


class SealedEvent(Event, frozen=True):
    """For moderators alone. It has no field `seat`, so the audience of a private event can be read
    from its fields alone."""

    audience: ClassVar = SEALED


def only_seat(event: Event) -> int | None:
    """The only seat that sees an event; None if it is not for one seat."""
    if event.audience != OWN_SEAT:
        return None
    seat: int = event.seat  # type: ignore[attr-defined]  # a SeatEvent; isinstance would be slower
    return seat


def check_stored_names(kinds: Iterable[type[Event]], prefix: str) -> None:
    """Raises TypeError unless each kind has a stored name like `<prefix>.what-happened.1`."""
    for kind in kinds:
        name = kind.__struct_config__.tag
        if not isinstance(name, str) or not STORED_NAME.fullmatch(name):
            raise TypeError(f"{kind.__name__} has no stored name like `game.what-happened.1`")
        if not name.startswith(f"{prefix}."):
            raise TypeError(f"{name} is not an event of {prefix}")


@cache
def stored_name(kind: type[Event]) -> str:
    """The name under which events of this class are stored."""
    return str(kind.__struct_config__.tag)


E_co = TypeVar("E_co", bound=Event, covariant=True)


class Record(Struct, Generic[E_co], frozen=True, array_like=True, gc=False):
    """An event, the instant at which it was recorded, and how many records before it its input
    stands: 0 for an input itself (/docs/evidence-format#records).

    A distance never leaves the batch, so it counts nothing that a reader of the event may not know.
    """

    at: Instant
    back: Annotated[int, Meta(ge=0)]
    event: E_co


class Numbered(NamedTuple):
    """A record with its number, and the number of its input: the same for an input itself, None
    where the reader who counts has not got it."""

    number: int
    cause: int | None
    record: Record[Event]

    @property
    def event(self) -> Event:
        """The event that was recorded."""
        return self.record.event


def batch(events: Iterable[Event], at: int, behind: int = 0) -> list[Record[Event]]:
    """The records of what was recorded at one instant, `behind` records after the input that it
    follows from; by default the first event is the input itself."""
    return [Record(at, back, event) for back, event in enumerate(events, behind)]


def batch_starts(records: Iterable[Record[Event]]) -> Iterator[int]:
    """The index of each input among records that follow one another."""
    return (index for index, record in enumerate(records) if record.back == 0)


def batches(records: Iterable[Record[Event]]) -> Iterator[list[Record[Event]]]:
    """The records by their batches, in order."""
    batch: list[Record[Event]] = []
    for record in records:
        if record.back == 0 and batch:
            yield batch
            batch = []
        batch.append(record)
    if batch:
        yield batch


def numbered(records: Sequence[Record[Event]]) -> list[Numbered]:
    """The records of a whole match, by their positions."""
    return [Numbered(n, n - record.back, record) for n, record in enumerate(records, 1)]
