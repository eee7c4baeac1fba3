"""Records as bytes: MessagePack of the event with its stored name, and old shapes made new."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from domain.events import Event, Record
from domain.games import GAMES, AnyEvent

Upcaster = Callable[[dict[str, Any]], tuple[str, dict[str, Any]]]
"""Turns the fields of an event under an old stored name into a newer name and its fields."""

UPCASTERS: dict[str, Upcaster] = {
    name: upcast for game in GAMES.values() for name, upcast in game.upcasters.items()
}

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Record[AnyEvent])

encode: Callable[[Record[Event]], bytes] = _encoder.encode


def decode(state: bytes, upcasters: Mapping[str, Upcaster] = UPCASTERS) -> Record[Event]:
    """The record in `state`, in today's shape. Raises msgspec.ValidationError if it has none."""
    try:
        return _decoder.decode(state)
    except msgspec.ValidationError:
        at, fields = msgspec.msgpack.decode(state)
        if fields.get("type") not in upcasters:
            raise
        while (name := fields["type"]) in upcasters:
            renamed, fields = upcasters[name](fields)
            fields["type"] = renamed
        return _decoder.decode(_encoder.encode((at, fields)))
