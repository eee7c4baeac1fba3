"""Rulings as they stand on the record, and the commands that they were."""

from collections.abc import Callable, Mapping
from typing import Any

from domain.events import Event
from domain.match_state import Match
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


def ruling_of(
    event: Event, match: Match, actor: Actor | None, ordered: Event | None
) -> RulingCommand | None:
    """The command about a ruling of which this is the first event, given in a match by an actor;
    `ordered` stands behind who gave it. None if it is of none."""
    if isinstance(event, RulingLapsed):
        return LapseRuling(event.id)
    if isinstance(event, RulingConsented):
        return ConsentToRuling(event.id, event.giver)
    directed = _DIRECTED.get(type(event))
    return None if actor is None or directed is None else directed(event, match, actor, ordered)


def _ruled(
    event: Ruled, match: Match, actor: Actor, ordered: Event | None
) -> Rule | SecondRuling | None:
    """A ruling carried out at once, or one that was pending."""
    if not isinstance(ordered, RulingOrdered):
        return None
    if match.rulings.waiting(ordered.id) is not None:
        return SecondRuling(ordered.id, actor)
    return Rule(
        ordered.id, ordered.ruling, event.reason, actor, event.rule, event.appeals, ordered.case
    )


def _proposed(event: RulingProposed, match: Match, actor: Actor, ordered: Event | None) -> Rule:
    return Rule(
        event.id,
        event.ruling,
        event.reason,
        actor,
        event.rule,
        event.appeals,
        event.case,
        event.ask_seats,
    )


def _withdrawn(
    event: RulingWithdrawn, match: Match, actor: Actor, ordered: Event | None
) -> WithdrawRuling:
    return WithdrawRuling(event.id, actor)


_DIRECTED: Mapping[
    type[Event], Callable[[Any, Match, Actor, Event | None], RulingCommand | None]
] = {
    MatchRuled: _ruled,
    SeatRuled: _ruled,
    SealedRuled: _ruled,
    RulingProposed: _proposed,
    RulingWithdrawn: _withdrawn,
}
