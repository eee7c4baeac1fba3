"""Rulings on a record, and the commands that they were: told by their batches alone."""

from collections.abc import Sequence

from domain.events import Event
from domain.match_events import Directed
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
    RulingConsented,
    RulingLapsed,
    RulingOrdered,
    RulingProposed,
    RulingWithdrawn,
    SealedRuled,
    SeatRuled,
)


def ruling_given(batch: Sequence[Event], pending: set[str]) -> RulingCommand | None:
    """The command of which these are the events, None if it is about no ruling. `pending` are the
    ids proposed so far, to which it adds."""
    match batch:
        case [RulingProposed() as given, Directed() as by, *_]:
            pending.add(given.id)
            said = (given.rule, given.appeals, given.case, given.ask_seats)
            return Rule(given.id, given.ruling, given.reason, Actor.of(by), *said)
        case [
            (MatchRuled() | SeatRuled() | SealedRuled()) as ruled,
            Directed() as by,
            RulingOrdered(id, ruling, closes),
            *_,
        ]:
            if id in pending:
                return SecondRuling(id, Actor.of(by))
            return Rule(id, ruling, ruled.reason, Actor.of(by), ruled.rule, ruled.appeals, closes)
        case [RulingWithdrawn(id), Directed() as by, *_]:
            return WithdrawRuling(id, Actor.of(by))
        case [RulingLapsed(id), *_]:
            return LapseRuling(id)
        case [RulingConsented(id, giver), *_]:
            return ConsentToRuling(id, giver)
    return None
