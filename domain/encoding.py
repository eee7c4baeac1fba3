"""Records as bytes: MessagePack of the event with its stored name, and upcasts of old shapes."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from domain.events import Event, Record
from domain.games import RULES, AnyEvent

Upcaster = Callable[[dict[str, Any]], tuple[str, dict[str, Any]]]
"""Turns the fields of an event under an old stored name into a newer name and its fields."""

UPCASTERS: dict[str, Upcaster] = {
    name: upcast
    for game in reversed(RULES)  # what today's rules say of a name counts
    for name, upcast in game.upcasters.items()
}

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Record[AnyEvent])
_list_decoder = msgspec.msgpack.Decoder(list[Record[AnyEvent]])

ARRAY_32 = b"\xdd"
"""The first byte of a MessagePack list with a 32-bit length (big-endian)."""

encode: Callable[[Record[Event]], bytes] = _encoder.encode


def decode(state: bytes, upcasters: Mapping[str, Upcaster] = UPCASTERS) -> Record[Event]:
    """The record in `state`, in today's shape. Raises msgspec.ValidationError if it has none."""
    try:
        return _decoder.decode(state)
    except UnicodeDecodeError as error:
        raise msgspec.ValidationError(str(error)) from None
    except msgspec.ValidationError:
        at, back, fields = msgspec.msgpack.decode(state, type=tuple[int, int, dict[str, Any]])
        if fields.get("type") not in upcasters:
            raise
        while (name := fields["type"]) in upcasters:
            new_name, fields = upcasters[name](fields)
            fields["type"] = new_name
        return _decoder.decode(_encoder.encode((at, back, fields)))


def decode_all(states: Sequence[bytes]) -> list[Record[Event]]:
    """The records in `states`, in order. Decodes them as one MessagePack list, which is faster than
    one by one, unless one has an old shape."""
    packed_list = ARRAY_32 + len(states).to_bytes(4, "big") + b"".join(states)
    try:
        return _list_decoder.decode(packed_list)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return [decode(state) for state in states]
