"""Names that are withheld: what is stored in place of an event that holds one
(/docs/evidence-format#withheld-names).

The row of such an event has the event with `Player N` in place of the name, and what proves the
event as it was: its leaf is given by its hash, its commitment as it is.
"""

import re
from collections.abc import Collection
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from domain.events import Event, Record
from domain.match.events import NameSalted, SeatNamed
from domain.rulings.events import ConsentAsked, RulingOrdered, RulingProposed
from domain.rulings.kinds import ReplaceSeat
from domain.tournament.events import PlayerNamed, PlayerWaits

MARK = b"\x96"
"""How such a row begins: a MessagePack list of six, where other records are of three."""

_SHOWN = re.compile(r"Player (0|[1-9][0-9]{0,3})")

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(tuple[int, int, dict[str, object], bytes, bytes, int]).decode


class Withheld(NamedTuple):
    """What is kept of a row: the digest of its `content` and its `checksum`, so that it still fits
    what was computed from it, and its `proof`: the hash of the leaf of a public event, or the
    commitment to a private one."""

    content: bytes
    proof: bytes
    checksum: int


def shown_name(number: int) -> str:
    """What stands in place of the name of a player or a seat: the number that the roster has, from
    0."""
    return f"Player {number}"


def withheld(state: bytes) -> Withheld | None:
    """What is kept of a row whose name is withheld; None for all others."""
    if state[:1] != MARK:
        return None
    *_, content, proof, checksum = _decode(state)
    return Withheld(content, proof, checksum)


def withholding(record: Record[Event], proof: Withheld) -> bytes:
    """The row that is stored in place of one whose name is withheld."""
    return _encode((record.at, record.back, record.event, *proof))


def without_name(event: Event, names: Collection[str], placeholder: str) -> Event:
    """The event without these names; the same one if it holds none of them."""
    match event:
        case SeatNamed(name=name) | PlayerNamed(name=name) if name in names:
            return replace(event, name=placeholder, blind=b"")
        case PlayerWaits(name) if name in names:
            return replace(event, name=placeholder)
        case RulingOrdered(ruling=ReplaceSeat() as ruling) if ruling.name in names:
            return replace(event, ruling=replace(ruling, name=placeholder))
        case RulingProposed(ruling=ReplaceSeat() as ruling) if ruling.name in names:
            return replace(event, ruling=replace(ruling, name=placeholder))
        case ConsentAsked(name=str() as name) if name in names:
            return replace(event, name=placeholder)
    return event


def is_without_name(event: Event) -> bool:
    """Whether an event is one in which a name is withheld."""
    match event:
        case SeatNamed(name=name, blind=b"") | PlayerNamed(name=name, blind=b""):
            return is_shown_name(name)
        case NameSalted(salt=salt):
            return salt == b""
        case PlayerWaits(name):
            return is_shown_name(name)
        case RulingOrdered(ruling=ReplaceSeat() as ruling):
            return is_shown_name(ruling.name)
        case RulingProposed(ruling=ReplaceSeat() as ruling):
            return is_shown_name(ruling.name)
        case ConsentAsked(name=str() as name):
            return is_shown_name(name)
    return False


def is_shown_name(name: str) -> bool:
    """Whether it is what stands in place of a name."""
    return _SHOWN.fullmatch(name) is not None
