"""Receipts: each seat gets a signed receipt for each of its submissions, moderators and organisers
for what they order, the organiser one for the creation of the match."""

from collections.abc import Callable, Iterator
from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct
from msgspec.structs import replace

from domain.encoding import decode, decode_all
from domain.events import Event, Record
from domain.match.events import ActionReceived, AwaitingChanged, ClientSeedGiven
from domain.match.state import AnyGame, Match
from domain.proof import creation_notes
from domain.proof.creation_notes import Beginning, CreationText
from domain.proof.receipts import text
from projections.audience.own_lines import OwnRows
from projections.audience.submissions import InputOutcome, Submission, receipt_text, submissions
from projections.evidence.seen import Bound, Order
from service.event_store.integrity.checked_records import own_states
from service.event_store.integrity.closed_records import ClosedRecords
from service.event_store.store import Store
from service.event_store.store_threads import in_store_thread
from service.observability.work import EVENT_READ, RECEIPT_SIGNED, spend
from service.signing.signing_keys import ServiceSigner

EVENTS_A_READ = 200
"""The seat's events that are read at a time."""

BoundAt = Callable[[int], Bound | None]
"""What the receipt for the input at a position of the record binds."""


class Acknowledged(Struct, frozen=True):
    """A recorded submission, with what its receipt needs. `seq` is its number in the sender's own
    count, `key` its idempotency key."""

    seat: int
    seq: int
    key: str | None
    outcome: InputOutcome
    bound: Bound


class Receipted(Struct, frozen=True):
    """A receipt as sent: the signed note and the opening of its commitment, which is the salt and,
    in a list, the stored bytes. The opening is None where a seat must not be able to prove what it
    sent, and of what was ordered."""

    note: str
    salt: Annotated[
        bytes | None,
        Meta(description="The salt of the commitment, in base64; null where it is withheld"),
    ]
    event: Annotated[
        bytes | None,
        Meta(description="The stored bytes of the event, in base64; null where they are withheld"),
    ] = None


def withheld(game: AnyGame, match: Match) -> bool:
    """Whether receipts leave out the openings of their commitments: in games of bluff until the
    end, under a closed record always."""
    return match.created.record == "closed" if match.over else withheld_at_first(game, match)


def withheld_at_first(game: AnyGame, match: Match) -> bool:
    """The same for the response to an action, even if it is repeated after the end: a repeat has
    the first response's body."""
    return game.bluff or match.created.record == "closed"


class SeatSubmissions:
    """The submissions of one seat. `own` is where the events that it may see are stored. Whatever
    reads raises RecordAltered if one of them has changed."""

    def __init__(self, store: Store, match_id: UUID, seat: int, own: OwnRows) -> None:
        self._store = store
        self._match_id = match_id
        self._seat = seat
        self._own = own
        self._unmatched: dict[int, bytes] = {}

    def after(self, seq: int) -> Iterator[tuple[Submission, bytes]]:
        """Each submission after the seat's own number `seq`, with its stored bytes. Blocks."""
        numbered = self._events(seq)
        for made in submissions(numbered, self._phase_after(seq)):
            stored = self._unmatched.pop(made.outcome.position)
            if made.event.seat == self._seat:
                yield replace(made, count=made.count + seq), stored

    def _events(self, seq: int) -> Iterator[tuple[int, Record[Event]]]:
        for start in range(seq, len(self._own.positions), EVENTS_A_READ):
            wanted = self._own.cut(start, start + EVENTS_A_READ)
            for position, stored in zip(wanted.positions, self._read(wanted), strict=True):
                record = decode(stored)
                if isinstance(record.event, ActionReceived | ClientSeedGiven):
                    self._unmatched[position] = stored
                yield position, record

    def _phase_after(self, seq: int) -> str | None:
        """The phase after the seat's first `seq` events."""
        for end in range(min(seq, len(self._own.positions)), 0, -EVENTS_A_READ):
            states = self._read(self._own.cut(max(0, end - EVENTS_A_READ), end))
            for record in reversed(decode_all(states)):
                if isinstance(record.event, AwaitingChanged):
                    return record.event.phase
        return None

    def _read(self, wanted: OwnRows) -> list[bytes]:
        return own_states(self._store, self._match_id, wanted)


class Receipts:
    """Signs receipts. They need not be stored: with the same signing key, an input always gets the
    same receipt."""

    def __init__(self, signer: ServiceSigner, store: Store, closed: ClosedRecords) -> None:
        """A record found damaged is added to `closed`; the caller gets RecordAltered."""
        self._signer = signer
        self._closed = closed
        self._store = store

    def created(self, match_id: UUID, beginning: Beginning) -> str:
        """The creation note of a match: the same at any time with the same signing key."""
        return self._signer.receipt(creation_notes.text(CreationText(str(match_id), beginning)))

    def given(self, match_id: UUID, submission: Acknowledged, *, sealed: bool) -> Receipted:
        """The receipt for a submission just answered; without the salt if `sealed`."""
        bound = submission.bound
        signed = receipt_text(
            str(match_id),
            submission.seat,
            submission.seq,
            submission.outcome,
            submission.key,
            bound.binding,
        )
        return Receipted(self._signer.receipt(text(signed)), None if sealed else bound.salt)

    def ordered(self, match_id: UUID, order: Order, bound: Bound | None) -> Receipted:
        """The receipt for what a moderator or an organiser has ordered."""
        assert bound is not None, "an order has a receipt"
        said = order.receipt(str(match_id), bound.binding)
        return Receipted(self._signer.receipt(text(said)), None)

    async def listed(
        self,
        match_id: UUID,
        seat: int,
        own: OwnRows,
        bound: BoundAt,
        after: int,
        limit: int,
        *,
        sealed: bool,
    ) -> tuple[list[Receipted], int | None]:
        """The receipts for the seat's submissions after its own number `after`, at most `limit`;
        and the `after` of the next page, if there is one. `own` is where the seat's own events are
        stored: no others are read. Raises StoreUnavailable or RecordAltered."""
        spend(EVENT_READ, len(own.positions))
        with self._closed.closing():
            found, following = await in_store_thread(
                self._listed, match_id, seat, own, bound, after, limit, sealed
            )
        spend(RECEIPT_SIGNED, len(found))
        return found, following

    def _listed(
        self,
        match_id: UUID,
        seat: int,
        own: OwnRows,
        bound: BoundAt,
        after: int,
        limit: int,
        sealed: bool,
    ) -> tuple[list[Receipted], int | None]:
        found: list[Receipted] = []
        last = after
        for submission, stored in SeatSubmissions(self._store, match_id, seat, own).after(after):
            if len(found) == limit:
                return found, last
            last = submission.count
            binds = bound(submission.outcome.position)
            assert binds is not None, "a submission has a receipt"
            signed = self._signer.receipt(text(submission.receipt(str(match_id), binds.binding)))
            found.append(Receipted(signed, *((None, None) if sealed else (binds.salt, stored))))
        return found, None
