"""The commitments to the seed of a match that its seat was shown, and what its receipts name."""

import warnings

from msgspec import Struct

from arbiter_client import signed_notes
from arbiter_client.answers import Event, Receipt
from arbiter_client.asynchronous.calls import Calls
from arbiter_client.commitment_notes import CREATION, ORDER, RECEIPT, SEED_COMMITTED, Shown
from arbiter_client.problems import WrongCommitment, WrongSignature
from arbiter_client.signed_notes import SignaturesNotChecked, is_signed

FIRST = 2
"""The number of the first commitment in every audience's count: right after the creation."""

PAGE = 1000

UNSIGNED = "no published key has signed the receipt"


class _PublishedKey(Struct):
    key: str


class _KeyList(Struct):
    keys: tuple[_PublishedKey, ...]


class PublishedKeys:
    """The public keys with which the service says that it signs, and has signed before. They are
    read once, and again for a note that none of them has signed: there may be a new key."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._keys: tuple[str, ...] = ()

    async def have_signed(self, note: str) -> bool:
        """Whether one of the keys of receipts has signed the note. Without `cryptography` this is
        not checked: it is taken to be true, with a warning."""
        if not signed_notes.CAN_CHECK:
            reason = "the signatures of receipts are not checked"
            how = "install arbiter-client[signatures]"
            warnings.warn(f"{reason}: {how}", SignaturesNotChecked, stacklevel=2)
            return True
        if is_signed(note, self._keys):
            return True
        listed = await self._calls.get("/v1/keys", _KeyList)
        self._keys = tuple(one.key for one in listed.keys)
        return is_signed(note, self._keys)


class _Note(Struct):
    note: str


class Commitments:
    """What a seat was shown of the commitments to the seed, by its own numbers of them.

    The first is in the note of the creation. A rewind makes another one, which is an event. A
    receipt must name the last one before its submission.
    """

    def __init__(self, calls: Calls, match_id: str, path: str, keys: PublishedKeys) -> None:
        self._calls = calls
        self._keys = keys
        self._match = match_id
        self._path = path
        self._note: str | None = None
        self._shown: dict[int, Shown] = {}

    async def know(self) -> str:
        """The note of the creation, fetched once: before anything is sent that counts on it. Raises
        WrongCommitment if it is another match's, or names another commitment than was shown, and
        WrongSignature if it is not signed."""
        if self._note is not None:
            return self._note
        note = (await self._calls.get(f"{self._path}/note", _Note)).note
        signed = await self._keys.have_signed(note)
        said = CREATION.match(note)
        if said is None or not self._is_of_match(said["match"]):
            raise WrongCommitment("this is not the note of the creation of the match", note)
        self._note = note
        self._show(FIRST, Shown(said["seed"]))
        if not signed:
            raise WrongSignature("no published key has signed the note of the creation", note)
        return note

    async def read(self) -> None:
        """Reads the events after the last commitment that was shown: there may be another."""
        path, after = f"{self._path}/events", max(self._shown)
        async for event in self._calls.rows(path, "events", Event, after=after, limit=PAGE):
            self.show(event)

    def show(self, event: Event) -> None:
        """Notes an event of the seat. Raises WrongCommitment if another commitment was shown in its
        place."""
        if event.type == SEED_COMMITTED:
            self._show(event.seq, Shown(event=event))

    def forget(self) -> None:
        """Forgets all commitments but the first: the records have gone back to a backup, and maybe
        after a rewind."""
        self._shown = {n: one for n, one in self._shown.items() if n == FIRST}

    async def check(self, receipt: Receipt) -> None:
        """Raises WrongCommitment for a receipt that is not of this match and seat, or does not name
        the commitment that was shown, and WrongSignature for one that is not signed."""
        said = RECEIPT.match(receipt.note or "")
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

    async def check_order(self, note: str | None, receipt: Receipt | None = None) -> None:
        """Raises WrongSignature for what is not signed as a receipt for what a moderator or an
        organiser has ordered in this match. There is none for what was so already."""
        if note is None:
            return
        said = ORDER.match(note)
        if said is None or not self._is_of_match(said["match"]):
            reason = "there is no receipt of an order of this match"
        elif not await self._keys.have_signed(note):
            reason = UNSIGNED
        else:
            return
        raise WrongSignature(reason, note if receipt is None else self._note, receipt)

    async def _check_signature(self, receipt: Receipt) -> None:
        if not await self._keys.have_signed(receipt.note or ""):
            raise WrongSignature(UNSIGNED, self._note, receipt)

    def _in_force(self, count: int) -> Shown:
        """The last commitment before an own event."""
        return self._shown[max(number for number in self._shown if number <= max(count, FIRST))]

    def _show(self, number: int, shown: Shown) -> None:
        before = self._shown.get(number, shown)
        event = before.event or shown.event
        if not before.agrees(shown):
            reason = "the commitment to the seed is not the one that was shown before"
            raise self._wrong(reason, None, event)
        self._shown[number] = Shown(before.named or shown.named, event)

    def _wrong(
        self, reason: str, receipt: Receipt | None, event: Event | None = None
    ) -> WrongCommitment:
        return WrongCommitment(reason, self._note, receipt, event)

    def _is_of_match(self, named: str) -> bool:
        return named.replace("-", "") == self._match.replace("-", "").lower()
