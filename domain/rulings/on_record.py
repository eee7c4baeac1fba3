"""What is wrong with the events of a tournament's ruling, by what stands before them."""

from collections.abc import Sequence

from domain.events import Event
from domain.rulings.kinds import tournament_kind_of
from domain.rulings.state import Rulings, match_of
from domain.tournament.events import (
    TournamentDirected,
    TournamentRuled,
    TournamentRulingLapsed,
    TournamentRulingOrdered,
    TournamentRulingProposed,
    TournamentRulingWithdrawn,
)

BEGUN = (TournamentRuled, TournamentRulingProposed, TournamentRulingWithdrawn)
"""The events that say who gave them right after."""


def wrong_ruling(rulings: Rulings, last: Sequence[Event], event: Event) -> list[str]:
    """What is wrong with an event about a ruling, after the `last` two events, if there were as
    many."""
    found = []
    before = last[-1] if last else None
    if isinstance(before, BEGUN) != isinstance(event, TournamentDirected):
        found.append("who ruled is said where no ruling is, or is not said where one is")
    match event:
        case TournamentRuled(n) if n != rulings.n + 1:
            found.append(f"it is ruling {n}, and not the next one")
        case TournamentRulingProposed(ruling) if rulings.knows(ruling):
            found.append(f"ruling {ruling} was known before")
        case TournamentRulingWithdrawn(ruling) | TournamentRulingLapsed(ruling):
            if rulings.waiting(ruling) is None:
                found.append(f"ruling {ruling} was not pending")
        case TournamentRulingOrdered():
            found += _wrong_order(rulings, last, event)
    return found


def _wrong_order(
    rulings: Rulings, last: Sequence[Event], event: TournamentRulingOrdered
) -> list[str]:
    """An order belongs to the ruling before it, and orders what was proposed."""
    ruled = last[0] if len(last) == 2 else None
    said = (tournament_kind_of(event.ruling), match_of(event.ruling))
    if not isinstance(ruled, TournamentRuled) or (ruled.kind, ruled.match) != said:
        return ["it orders something that was not ruled"]
    waiting, was = rulings.waiting(event.id), rulings.was(event.id)
    if was is not None or (waiting is not None and waiting.ruling != event.ruling):
        return [f"ruling {event.id} orders something else than was proposed"]
    return []
