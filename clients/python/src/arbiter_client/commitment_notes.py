"""What signed notes and events say of the commitment to the seed of a match."""

import hashlib
import re
from base64 import b64decode, b64encode
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
from msgspec import Struct

from arbiter_client.answers import Event

SEED_COMMITTED = "match.seed-committed.1"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

MOST_BACK = 1000
"""How many records after its input a commitment may stand: a seat is not told, since some are
hidden from it, so all are tried. They do not change what is committed to."""

CREATION = re.compile(
    r"arbiter-creation/1\nmatch (?P<match>\S+)\ncreated \S+\nseed-committed (?P<seed>\S+)\n\n"
)
RECEIPT = re.compile(
    r"arbiter-receipt/1\nmatch (?P<match>\S+)\nseed-committed (?P<seed>\S+)\n"
    r"seat (?P<seat>\d+)\ncount (?P<count>\d+)\n"
)
ORDER = re.compile(r"arbiter-receipt/1\nmatch (?P<match>\S+)\nseed-committed \S+\nseat moderator\n")


class Shown(Struct, frozen=True):
    """A commitment, as the note of the creation names it, as an event has shown it, or both."""

    named: str | None = None
    event: Event | None = None

    def is_named(self, named: str | None) -> bool:
        """Whether a signed note that names this names the commitment."""
        if self.named is not None:
            return self.named == named
        return self.event is not None and named is not None and named in _names(self.event)

    def agrees(self, other: "Shown") -> bool:
        """Whether both are of the same commitment."""
        if self.event is not None and other.event is not None:
            return (self.event.at, self.event.data) == (other.event.at, other.event.data)
        return self.is_named(other.named) or other.is_named(self.named)


def _names(event: Event) -> Iterator[str]:
    """What receipts may name a commitment by: SHA-256 of the event as it is stored. That is
    MessagePack of its instant in microseconds, of how far it stands after its input, and of its
    fields."""
    data: dict[str, Any] = dict(event.data)
    for name in ("commit", "rules_hash", "roster_hash"):
        data[name] = b64decode(data[name])
    data["names"] = [b64decode(name) for name in data["names"]]
    at = (event.at - EPOCH) // timedelta(microseconds=1)
    for back in range(MOST_BACK):
        stored = msgspec.msgpack.encode([at, back, {"type": event.type, **data}])
        yield b64encode(hashlib.sha256(stored).digest()).decode()
