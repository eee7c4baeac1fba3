"""Rulings as they stand on the record, and the commands that they were."""

from collections.abc import Callable, Mapping
from typing import Any

from domain.events import Event
from domain.match_state import Match
from domain.past import Past
from domain.people import Actor
from domain.ruling_commands import (
    ConsentToRuling,
    LapseRuling,
    Rule,
    RulingCommand,
    SecondRuling,
    WithdrawRuling,
)
from domain.ruling_events import (
    MatchRuled,
    Ruled,
    RulingConsented,
    RulingLapsed,
    RulingOrdered,
    RulingProposed,
    RulingWithdrawn,
    SealedRuled,
    SeatRuled,
)
from domain.ruling_kinds import AnyRuling, Rewind

LookBack = Callable[[Rewind], Past]
"""What a rewind looks back on, in the record so far."""


def ruling_of(
    event: Event,
    match: Match,
    actor: Actor | None,
    ordered: RulingOrdered | None,
    look_back: LookBack,
) -> RulingCommand | None:
    """The command about a ruling of which this is the first event, given in a match by an actor;
    `ordered` is the ruling that it carries out. None if it is of none."""
    if isinstance(event, RulingLapsed):
        return LapseRuling(event.id)
    if isinstance(event, RulingConsented):
        past = _past_of_pending(match, event.id, look_back)
        return ConsentToRuling(event.id, event.giver, past)
    directed = _DIRECTED.get(type(event))
    if actor is None or directed is None:
        return None
    return directed(event, match, actor, ordered, look_back)


def past_needed(ruling: AnyRuling, look_back: LookBack) -> Past | None:
    """What a ruling looks back on; None for those that do not."""
    return look_back(ruling) if isinstance(ruling, Rewind) else None


def _past_of_pending(match: Match, ruling: str, look_back: LookBack) -> Past | None:
    waiting = match.rulings.waiting(ruling)
    return None if waiting is None else past_needed(waiting.ruling, look_back)


def _ruled(
    event: Ruled, match: Match, actor: Actor, ordered: RulingOrdered | None, look_back: LookBack
) -> Rule | SecondRuling | None:
    """A ruling carried out at once, or one that was pending."""
    if ordered is None:
        return None
    if match.rulings.waiting(ordered.id) is not None:
        past = _past_of_pending(match, ordered.id, look_back)
        return SecondRuling(ordered.id, actor, past)
    return Rule(
        ordered.id,
        ordered.ruling,
        event.reason,
        actor,
        event.rule,
        event.appeals,
        ordered.case,
        past=past_needed(ordered.ruling, look_back),
    )


def _proposed(
    event: RulingProposed,
    match: Match,
    actor: Actor,
    ordered: RulingOrdered | None,
    look_back: LookBack,
) -> Rule:
    return Rule(
        event.id,
        event.ruling,
        event.reason,
        actor,
        event.rule,
        event.appeals,
        event.case,
        event.ask_seats,
        past_needed(event.ruling, look_back),
    )


def _withdrawn(
    event: RulingWithdrawn,
    match: Match,
    actor: Actor,
    ordered: RulingOrdered | None,
    look_back: LookBack,
) -> WithdrawRuling:
    return WithdrawRuling(event.id, actor)


_DIRECTED: Mapping[
    type[Event], Callable[[Any, Match, Actor, RulingOrdered | None, LookBack], RulingCommand | None]
] = {
    MatchRuled: _ruled,
    SeatRuled: _ruled,
    SealedRuled: _ruled,
    RulingProposed: _proposed,
    RulingWithdrawn: _withdrawn,
}
