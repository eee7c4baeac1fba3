"""The ledger of a tournament, numbered for each of its readers."""

from msgspec import Struct

from domain.tournament_events import GarnetsPosted


class Posted(Struct, frozen=True, gc=False):
    """A posting, numbered in its reader's own count, and when it was recorded."""

    seq: int
    at: int
    event: GarnetsPosted
