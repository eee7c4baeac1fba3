"""The ledger of a tournament, numbered for each of its readers."""

from msgspec import Struct

from domain.tournament.events import GarnetsPosted


class Posted(Struct, frozen=True, gc=False):
    """A posting, numbered in its reader's own count, when it was recorded, and the number of the
    one that it reverses, if any, in the same count."""

    seq: int
    at: int
    event: GarnetsPosted
    reverses: int | None = None
