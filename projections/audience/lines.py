"""Events as an audience reads them: numbered by its own count, one line each."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import cache
from typing import Annotated, Any, get_args, get_type_hints
from zlib import crc32

import msgspec
from msgspec import UNSET, Meta, Struct
from msgspec.structs import replace

from domain.encoding import decode, encode
from domain.events import Event, Record, stored_name
from domain.games import AnyEvent
from domain.match.events import NameSalted
from domain.proof.withholding import withheld
from domain.rulings.kinds import Ruling
from projections.audience.disclosure import mask_record
from projections.fields import PublicSeq, Seq, Timestamp, instant, rfc3339


def checksum(state: bytes) -> int:
    """The checksum of an event's stored bytes, as they were before a name in them was withheld: 4
    bytes, for finding damage."""
    row = withheld(state)
    return crc32(state) if row is None else row.checksum


_encode = msgspec.json.Encoder().encode


OwnNumber = Callable[[int], int]
"""The number of a reader's own event at a position of the whole record, or of its first one after
it."""


def same_number(position: int) -> int:
    """The number for those who see everything: the position itself."""
    return position


def own_number(positions: Sequence[int], position: int) -> int:
    """The same for a reader whose events are at these positions."""
    return bisect_left(positions, position) + 1


class Line(Struct, frozen=True):
    """One event as one audience sees it. `seq` counts that audience's events from 1; `public_seq`
    is its number in the public's count, the one to cite when people talk, and null if the public
    has not got it."""

    seq: Seq
    public_seq: PublicSeq
    at: Timestamp
    type: Annotated[str, Meta(description="The stored name of the event")]
    data: Annotated[dict[str, Any], Meta(description="Its fields, by what its type is")]


class LineText:
    """The text of an event's line without its number, which is the only part that differs between
    audiences. It is encoded when it is first read, from the stored bytes of the event or, while
    those who have recorded it still hold it, from the `record` itself.

    `size` is the number of stored bytes, `readers` that of the projections that keep it in memory,
    `checksum` that of the stored bytes.
    """

    __slots__ = ("_state", "_text", "checksum", "readers", "record", "size")

    def __init__(self, state: bytes, record: Record[Event] | None = None) -> None:
        self._state: bytes | None = state
        self._text = b""
        self.record = record
        self.readers = 0
        self.size = len(state)
        self.checksum = checksum(state)

    def numbered(self, seq: int, public_seq: int, own: OwnNumber) -> bytes:
        """The line as JSON, as number `seq` of a reader and `public_seq` of the public, 0 if it is
        none of theirs; `own` gives the reader's numbers."""
        if self._state is None:
            return numbered(seq, public_seq, self._text)
        record = self.record or decode(self._state)
        text = line_text(record, own)
        if not _position_fields(type(record.event)):
            self._text, self._state, self.record = text, None, None
        return numbered(seq, public_seq, text)


def numbered(seq: int, public_seq: int, text: bytes) -> bytes:
    """The line of this text, as number `seq` of a reader and `public_seq` of the public, 0 if it is
    none of theirs."""
    public = b"%d" % public_seq if public_seq else b"null"
    return b'{"seq":%d,"public_seq":%b,' % (seq, public) + text


def masked_text(text: LineText, record: Record[Event]) -> LineText:
    """The line of a record for moderators from whom the match conceals what is for one seat."""
    masked_record = mask_record(record)
    if masked_record is record:
        return text
    other = LineText(encode(masked_record))
    other.checksum = text.checksum
    return other


def line(
    seq: int, public_seq: int | None, record: Record[Event], own: OwnNumber = same_number
) -> Line:
    """The record as number `seq` of a reader and `public_seq` of the public; `own` gives the
    reader's numbers of the events that it names."""
    data = data_of(record.event, own)
    return Line(seq, public_seq, rfc3339(record.at), stored_name(type(record.event)), data)


def data_of(event: Event, own: OwnNumber = same_number) -> dict[str, Any]:
    """The fields of an event as readers see them; `own` gives the reader's numbers of the events
    that it names."""
    data: dict[str, Any] = msgspec.to_builtins(event, builtin_types=(bytes,))
    del data["type"]
    for name in _position_fields(type(event)):
        if name in data:
            data[name] = own(data[name])
    _show_instants(data, type(event))
    for name in _ruling_fields(type(event)):
        _show_instants(data[name], type(getattr(event, name)))
    return data


def in_own_numbers(record: Record[Event], own: OwnNumber) -> Record[Event]:
    """The record with a reader's numbers of the events that it names."""
    event = record.event
    own_numbers = {
        name: own(getattr(event, name))
        for name in _position_fields(type(event))
        if getattr(event, name) is not UNSET
    }
    return replace(record, event=replace(event, **own_numbers)) if own_numbers else record


def record_of(line: Line, back: int) -> Record[Event]:
    """The record of which this is the line, `back` records after its input. Raises KeyError for a
    kind of event that this release does not know, ValueError (also msgspec's ValidationError) for
    other fields or times."""
    kind = _kinds()[line.type]
    data = dict(line.data)
    for name in _timestamp_fields(kind):
        if data.get(name) is not None:
            data[name] = instant(data[name])
    if kind is NameSalted and data.get("salt", "") is None:
        data["salt"] = ""  # Anyone who has taken over the seat is not told it.
    return Record(instant(line.at), back, msgspec.convert({"type": line.type, **data}, kind))


def line_text(record: Record[Event], own: OwnNumber = same_number) -> bytes:
    """The JSON of the record's line after its numbers and a comma."""
    return _encode(line(0, None, record, own))[len(b'{"seq":0,"public_seq":null,') :]


def _show_instants(data: dict[str, Any], kind: type[Struct]) -> None:
    """Replaces the instants among the fields by RFC 3339."""
    for name in _timestamp_fields(kind):
        if data.get(name) is not None:
            data[name] = rfc3339(data[name])


@cache
def _kinds() -> dict[str, type[Event]]:
    """Every kind of event, by its stored name."""
    return {stored_name(kind): kind for kind in get_args(AnyEvent)}


@cache
def _ruling_fields(kind: type[Event]) -> tuple[str, ...]:
    """The fields of an event that hold a ruling."""
    hints = get_type_hints(kind)
    return tuple(name for name in kind.__struct_fields__ if hints[name] == Ruling)


@cache
def _timestamp_fields(kind: type[Struct]) -> tuple[str, ...]:
    """The fields of an event, or of a ruling in it, that contain instants."""
    return _fields_with(kind, "instant")


@cache
def _position_fields(kind: type[Struct]) -> tuple[str, ...]:
    """The fields of an event that name another one by its position."""
    return _fields_with(kind, "position")


def _fields_with(kind: type[Struct], mark: str) -> tuple[str, ...]:
    hints = get_type_hints(kind, include_extras=True)
    fields = zip(kind.__struct_fields__, kind.__struct_encode_fields__, strict=True)
    return tuple(
        encoded_name for name, encoded_name in fields if f"'{mark}': True" in repr(hints[name])
    )
