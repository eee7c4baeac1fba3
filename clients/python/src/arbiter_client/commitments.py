"""The commitments to the seed of a match that its seat was shown, and what its receipts name."""

import hashlib
import re
from base64 import b64decode, b64encode
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
from msgspec import Struct

from arbiter_client.answers import Event, Receipt
from arbiter_client.calls import Calls
from arbiter_client.problems import WrongCommitment, WrongSignature
from arbiter_client.signatures import PublishedKeys

SEED_COMMITTED = "match.seed-committed.1"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FIRST = 2
"""The number of the first commitment in every audience's count: right behind the creation."""

PAGE = 1000

MOST_BACK = 1000
"""How many records behind its input a commitment may stand: a seat is not told, since some are
hidden from it, so all are tried. They do not change what is committed to."""

_CREATION = re.compile(
    r"arbiter-creation/1\nmatch (?P<match>\S+)\ncreated \S+\nseed-committed (?P<seed>\S+)\n\n"
)
_RECEIPT = re.compile(
    r"arbiter-receipt/1\nmatch (?P<match>\S+)\nseed-committed (?P<seed>\S+)\n"
    r"seat (?P<seat>\d+)\ncount (?P<count>\d+)\n"
)
_ORDER = re.compile(
    r"arbiter-receipt/1\nmatch (?P<match>\S+)\nseed-committed \S+\nseat moderator\n"
)


class _Note(Struct):
    note: str


class _Events(Struct):
    events: tuple[Event, ...]
    next: int | None


class _Shown(Struct, frozen=True):
    """A commitment, as the note of the creation names it, as an event has shown it, or both."""

    named: str | None = None
    event: Event | None = None

    def is_named(self, named: str | None) -> bool:
        """Whether a signed note that names this names the commitment."""
        if self.named is not None:
            return self.named == named
        return self.event is not None and named is not None and named in _names(self.event)

    def agrees(self, other: "_Shown") -> bool:
        """Whether both are of the same commitment."""
        if self.event is not None and other.event is not None:
            return (self.event.at, self.event.data) == (other.event.at, other.event.data)
        return self.is_named(other.named) or other.is_named(self.named)


class Commitments:
    """What a seat was shown of the commitments to the seed, by its own numbers of them.

    The first is in the note of the creation. A rewind makes another one, which is an event. A
    receipt must name the last one before its submission.
    """

    def __init__(self, calls: Calls, match_id: str, path: str) -> None:
        self._calls = calls
        self._keys = PublishedKeys(calls)
        self._match = match_id
        self._path = path
        self._note: str | None = None
        self._shown: dict[int, _Shown] = {}

    async def know(self) -> str:
        """The note of the creation, fetched once: before anything is sent that counts on it. Raises
        WrongCommitment if it is another match's, or names another commitment than was shown, and
        WrongSignature if it is not signed."""
        if self._note is not None:
            return self._note
        note = (await self._calls.get(f"{self._path}/note", _Note)).note
        signed = await self._keys.have_signed(note)
        said = _CREATION.match(note)
        if said is None or not self._is_of_match(said["match"]):
            raise WrongCommitment("this is not the note of the creation of the match", note)
        self._note = note
        self._show(FIRST, _Shown(said["seed"]))
        if not signed:
            raise WrongSignature("no published key has signed the note of the creation", note)
        return note

    async def read(self) -> None:
        """Reads the events behind the last commitment that was shown: there may be another."""
        after: int | None = max(self._shown)
        while after is not None:
            path = f"{self._path}/events"
            page = await self._calls.get(path, _Events, after=after, limit=PAGE)
            for event in page.events:
                self.show(event)
            after = page.next

    def show(self, event: Event) -> None:
        """Notes an event of the seat. Raises WrongCommitment if another commitment was shown in its
        place."""
        if event.type == SEED_COMMITTED:
            self._show(event.seq, _Shown(event=event))

    def forget(self) -> None:
        """Forgets all commitments but the first: the records have gone back to a backup, and maybe
        behind a rewind."""
        self._shown = {n: one for n, one in self._shown.items() if n == FIRST}

    async def check(self, receipt: Receipt) -> None:
        """Raises WrongCommitment for a receipt that is not of this match and seat, or does not name
        the commitment that was shown, and WrongSignature for one that is not signed."""
        said = _RECEIPT.match(receipt.note or "")
        if said is None or not self._is_of_match(said["match"]):
            raise self._wrong("there is no receipt of this match", receipt)
        if (said["seat"], said["count"]) != (str(receipt.seat), str(receipt.seq)):
            raise self._wrong("the receipt is of another submission", receipt)
        if not self._in_force(receipt.seq).is_named(said["seed"]):
            await self.read()
        shown = self._in_force(receipt.seq)
        if not shown.is_named(said["seed"]):
            reason = "the receipt names another commitment to the seed than the one shown"
            raise self._wrong(reason, receipt, shown.event)
        await self._check_signature(receipt)

    async def check_order(self, receipt: Receipt) -> None:
        """Raises WrongSignature for what is not signed as a receipt for what a moderator or an
        organiser has ordered in this match. There is no receipt for what was so already."""
        if receipt.note is None:
            return
        said = _ORDER.match(receipt.note)
        if said is None or not self._is_of_match(said["match"]):
            reason = "there is no receipt of an order of this match"
            raise WrongSignature(reason, self._note, receipt)
        await self._check_signature(receipt)

    async def _check_signature(self, receipt: Receipt) -> None:
        if not await self._keys.have_signed(receipt.note or ""):
            reason = "no published key has signed the receipt"
            raise WrongSignature(reason, self._note, receipt)

    def _in_force(self, count: int) -> _Shown:
        """The last commitment before an own event."""
        return self._shown[max(number for number in self._shown if number <= max(count, FIRST))]

    def _show(self, number: int, shown: _Shown) -> None:
        before = self._shown.get(number, shown)
        event = before.event or shown.event
        if not before.agrees(shown):
            reason = "the commitment to the seed is not the one that was shown before"
            raise self._wrong(reason, None, event)
        self._shown[number] = _Shown(before.named or shown.named, event)

    def _wrong(
        self, reason: str, receipt: Receipt | None, event: Event | None = None
    ) -> WrongCommitment:
        return WrongCommitment(reason, self._note, receipt, event)

    def _is_of_match(self, named: str) -> bool:
        return named.replace("-", "") == self._match.replace("-", "").lower()


def _names(event: Event) -> Iterator[str]:
    """What receipts may name a commitment by: SHA-256 of the event as it is stored. That is
    MessagePack of its instant in microseconds, of how far it stands behind its input, and of its
    fields."""
    data: dict[str, Any] = dict(event.data)
    for name in ("commit", "rules_hash", "roster_hash"):
        data[name] = b64decode(data[name])
    data["names"] = [b64decode(name) for name in data["names"]]
    at = (event.at - EPOCH) // timedelta(microseconds=1)
    for back in range(MOST_BACK):
        stored = msgspec.msgpack.encode([at, back, {"type": event.type, **data}])
        yield b64encode(hashlib.sha256(stored).digest()).decode()
