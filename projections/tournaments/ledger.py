"""The ledger of a tournament, numbered for each of its readers."""

from typing import Annotated

from msgspec import UNSET, Meta, Struct

from domain.tournament.events import GarnetsPosted
from domain.tournament.ledger import AccountKind
from projections.fields import By, Player, Timestamp, rfc3339


class LedgerEntry(Struct, frozen=True, gc=False):
    """A posting: `amount` garnets of a player from the debited account to the credited one. `seq`
    counts what its reader may see; `reverses` is that of an earlier posting which a correction
    takes back; `by` is who gave or took the garnets by hand, null for a key without a name."""

    seq: int
    at: Timestamp
    player: Player
    debit: Annotated[AccountKind, Meta(description="The account from which it is taken")]
    credit: Annotated[AccountKind, Meta(description="The account to which it is given")]
    amount: int
    reason: str
    match: str | None
    reverses: int | None
    by: By


def entry_of(seq: int, at: int, event: GarnetsPosted, reverses: int | None) -> LedgerEntry:
    """A posting with its number, and that of the posting which it reverses, in one count."""
    return LedgerEntry(
        seq=seq,
        at=rfc3339(at),
        player=event.seat,
        debit=event.debit,
        credit=event.credit,
        amount=event.amount,
        reason=event.reason,
        match=event.match,
        reverses=reverses,
        by=None if event.by is UNSET else event.by,
    )
