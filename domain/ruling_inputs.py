"""Rulings as they stand on the record, and the commands that they were."""

from collections.abc import Callable

from domain.match_state import Match
from domain.past import Past
from domain.people import Actor
from domain.ruling_commands import ConsentToRuling, Rule, SecondRuling
from domain.ruling_events import Ruled, RulingConsented, RulingOrdered, RulingProposed
from domain.ruling_kinds import AnyRuling, Rewind

LookBack = Callable[[Rewind], Past]
"""What a rewind looks back on, in the record so far."""


def past_needed(ruling: AnyRuling, look_back: LookBack) -> Past | None:
    """What a ruling looks back on; None for those that do not."""
    return look_back(ruling) if isinstance(ruling, Rewind) else None


def _past_of_pending(match: Match, ruling: str, look_back: LookBack) -> Past | None:
    waiting = match.rulings.waiting(ruling)
    return None if waiting is None else past_needed(waiting.ruling, look_back)


def consented(event: RulingConsented, match: Match, look_back: LookBack) -> ConsentToRuling:
    """A seat's consent."""
    past = _past_of_pending(match, event.id, look_back)
    return ConsentToRuling(event.id, event.giver, past)


def carried_out(
    event: Ruled, match: Match, actor: Actor, ordered: RulingOrdered, look_back: LookBack
) -> Rule | SecondRuling:
    """The ruling `ordered`, carried out at once, or one that was pending."""
    if match.rulings.waiting(ordered.id) is not None:
        past = _past_of_pending(match, ordered.id, look_back)
        return SecondRuling(ordered.id, actor, past)
    return Rule(
        id=ordered.id,
        ruling=ordered.ruling,
        reason=event.reason,
        actor=actor,
        rule=event.rule,
        appeals=event.appeals,
        case=ordered.case,
        past=past_needed(ordered.ruling, look_back),
    )


def proposed(event: RulingProposed, actor: Actor, look_back: LookBack) -> Rule:
    """A ruling that was pending from then on."""
    return Rule(
        id=event.id,
        ruling=event.ruling,
        reason=event.reason,
        actor=actor,
        rule=event.rule,
        appeals=event.appeals,
        case=event.case,
        ask_seats=event.ask_seats,
        past=past_needed(event.ruling, look_back),
    )
