"""Receipts: each seat gets a signed receipt for each of its submissions, moderators and organisers
for what they order, the organiser one for the creation of the match."""

from collections.abc import Sequence
from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct
from msgspec.structs import replace

from domain.match.state import AnyGame, Match
from domain.proof import creation_notes
from domain.proof.creation_notes import Beginning, CreationText
from domain.proof.receipts import text
from domain.proof.subjects import of_match
from projections.audience.own_lines import OwnRows
from projections.evidence.seen import Acknowledged, NotedInput
from service.event_store.integrity.checked_records import ClosedRecords, own_states
from service.event_store.store import Store
from service.event_store.store_threads import in_store_thread
from service.observability.work import EVENT_READ, RECEIPT_SIGNED, spend
from service.signing.signing_keys import ServiceSigner


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

    def give(self, match_id: UUID, acknowledged: Acknowledged | None, *, sealed: bool) -> Receipted:
        """The receipt for an input; without the salt if `sealed`."""
        assert acknowledged is not None, "it has a receipt"
        text_ = text(acknowledged.receipt(of_match(str(match_id))))
        return Receipted(self._signer.receipt(text_), None if sealed else acknowledged.salt)

    async def list_receipts(
        self, match_id: UUID, noted: Sequence[NotedInput], log_key: bytes, opened: OwnRows | None
    ) -> list[Receipted]:
        """The receipts for these inputs, with what opens their commitments if `opened` is where the
        events of their sender are stored: no others are read. Raises StoreUnavailable or
        RecordAltered."""
        spend(RECEIPT_SIGNED, len(noted))
        every = (item.acknowledged(log_key) for item in noted)
        receipts = [self.give(match_id, item, sealed=opened is None) for item in every]
        if opened is None:
            return receipts
        spend(EVENT_READ, len(noted))
        rows = opened.at([item.count - 1 for item in noted])
        with self._closed.closing():
            states = await in_store_thread(own_states, self._store, match_id, rows)
        return [replace(item, event=state) for item, state in zip(receipts, states, strict=True)]
