"""Name salts: with the salt of its name a seat can prove who it was committed to
(/docs/evidence-format#arbiter-rng1).

A new player of a seat reads all of its past but that (/docs/rulings#a-new-player): the line of
`match.name-salted.1` keeps its number, and its `salt` is null.
"""

from collections.abc import Iterable, Iterator

import msgspec
from msgspec.structs import replace

from domain.events import Event, Record, stored_name
from domain.match.events import NameSalted
from domain.rulings.events import SeatReplaced
from projections.audience.disclosure import Viewer

NAME_SALTED = stored_name(NameSalted)
UNTOLD = b""
"""What stands in a record in place of a salt that its reader is not told."""

_MARK = f'"type":"{NAME_SALTED}"'.encode()


def withheld(line: bytes) -> bytes:
    """The line, as JSON, without the salt of a name, if it is one that tells it."""
    if _MARK not in line:
        return line
    fields = msgspec.json.decode(line)
    fields["data"]["salt"] = None
    return msgspec.json.encode(fields)


def own_records(viewer: Viewer, records: Iterable[Record[Event]]) -> Iterator[Record[Event]]:
    """A seat's own records as the holder of the seat at their end reads them."""
    own = list(records)
    if not any(isinstance(r.event, SeatReplaced) and r.event.seat == viewer for r in own):
        yield from own
        return
    for record in own:
        if isinstance(record.event, NameSalted):
            yield replace(record, event=replace(record.event, salt=UNTOLD))
        else:
            yield record
