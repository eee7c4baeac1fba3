"""By hand: the organiser seats everyone."""

from domain.game import Refused
from domain.tournament.format import Format
from domain.tournament.history import Draft, History


def _draft(history: History) -> Draft:
    raise Refused("no_pairing", "in this stage the organiser names the pairings")


FORMAT = Format("by_hand", range(2, 65), ("wins",), _draft, late_entry=True)
