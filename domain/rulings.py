"""Rulings: who may rule, how many people it takes, and when it is carried out (RULINGS §3).

What each kind of ruling gives is in `ruling_effects`.
"""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from domain.commands import Conflict
from domain.deadlines import DAY
from domain.events import Event, Instant
from domain.match_rulings import PastRuling, PendingRuling, audience_of
from domain.match_state import Match
from domain.people import Actor, named_person
from domain.ruling_commands import (
    ConsentToRuling,
    LapseRuling,
    Rule,
    RulingCommand,
    SecondRuling,
    WithdrawRuling,
)
from domain.ruling_effects import effect
from domain.ruling_events import (
    ConsentAsked,
    ConsentClosed,
    MatchRuled,
    RulingConsented,
    RulingLapsed,
    RulingOrdered,
    RulingProposed,
    RulingWithdrawn,
    SealedRuled,
    SeatRuled,
)
from domain.ruling_kinds import ReplaceSeat, RuleResult, Ruling, VoidMatch, kind_of

OVER = ("ended", "void")
PENDING = DAY
"""Microseconds for which a ruling waits for somebody."""


class Lapse(Struct, frozen=True):
    """When a pending ruling lapses, in microseconds, and its id."""

    at: Instant
    id: str


def due_lapse(match: Match) -> Lapse | None:
    """The next ruling to lapse if nobody does anything; None if none is pending in a match that is
    not over. Like a deadline it lapses after every input stamped before that instant."""
    if match.status in OVER or not match.rulings.pending:
        return None
    first = match.rulings.pending[0]
    return Lapse(first.lapses, first.id)


def people_needed(match: Match, ruling: Ruling) -> int:
    """How many people it takes to carry out a ruling: one or two."""
    if match.created.rulings == "single" or not isinstance(
        ruling, ReplaceSeat | RuleResult | VoidMatch
    ):
        return 1
    return 1 if isinstance(ruling, VoidMatch) and match.status == "created" else 2


def decide(match: Match, command: RulingCommand, at: int) -> list[Event]:
    """The events that a command about a ruling, received at `at`, gives: the input itself first.

    Raises Conflict, whose code is one of `ruling_commands` or of `commands.CONFLICTS`; what may
    not be known is not told (`no_such_ruling`).
    """
    return _DECIDERS[type(command)](match, command, at)


def _rule(match: Match, command: Rule, at: int) -> list[Event]:
    rulings = match.rulings
    assert rulings.waiting(command.id) is None and rulings.was(command.id) is None
    _check_person(match, command.actor, command.appeals)
    _check_appealed(match, command)
    pending = PendingRuling(
        command.id,
        command.ruling,
        command.reason,
        command.rule,
        command.appeals,
        command.case,
        command.ask_seats,
        at + PENDING,
    )
    carried_out = _carried_out(match, pending, command.actor, at)
    return carried_out if people_needed(match, command.ruling) == 1 else _proposed(match, pending)


def _second(match: Match, command: SecondRuling, at: int) -> list[Event]:
    pending = _pending(match, command.id)
    _check_person(match, command.actor, pending.appeals)
    if command.actor.person == pending.person:
        raise Conflict("same_person")
    return _carried_out(match, pending, command.actor, at)


def _withdraw(match: Match, command: WithdrawRuling, at: int) -> list[Event]:
    pending = _pending(match, command.id)
    _check_person(match, command.actor, None)
    return [RulingWithdrawn(pending.id), *_closed(match, pending)]


def _lapse(match: Match, command: LapseRuling, at: int) -> list[Event]:
    pending = _pending(match, command.id)
    assert at >= pending.lapses
    return [RulingLapsed(pending.id), *_closed(match, pending)]


def _consent(match: Match, command: ConsentToRuling, at: int) -> list[Event]:
    """The seats learn from a consent's answer only whether the ruling can still be carried out:
    that is found out for each of them, not for the last alone."""
    pending = _asked(match, command.id)
    if not 0 <= command.seat < len(match.created.seats):
        raise Conflict("no_such_seat")
    if command.seat in pending.consents:
        raise Conflict("already_consented")
    carried_out = _carried_out(match, pending, None, at)
    consented = RulingConsented(pending.id, command.seat)
    missing = len(match.created.seats) - len(pending.consents) - 1
    return [consented] if missing else [consented, *carried_out]


_DECIDERS: Mapping[type[RulingCommand], Callable[[Match, Any, int], list[Event]]] = {
    Rule: _rule,
    SecondRuling: _second,
    WithdrawRuling: _withdraw,
    LapseRuling: _lapse,
    ConsentToRuling: _consent,
}


# What is recorded.


def _proposed(match: Match, pending: PendingRuling) -> list[Event]:
    given = (getattr(pending, name) for name in RulingProposed.__struct_fields__)
    proposed: list[Event] = [RulingProposed(*given)]
    if not pending.ask_seats:
        return proposed
    kind = kind_of(pending.ruling)
    seats = range(len(match.created.seats))
    return proposed + [ConsentAsked(seat, pending.id, kind, pending.reason) for seat in seats]


def _carried_out(match: Match, pending: PendingRuling, actor: Actor | None, at: int) -> list[Event]:
    following = effect(match, pending.ruling, actor, at)
    ordered = RulingOrdered(pending.id, pending.ruling, pending.case)
    waited = match.rulings.waiting(pending.id) is not None
    closed = _closed(match, pending) if waited else []
    return [_ruled(match, pending), ordered, *closed, *following]


def _ruled(match: Match, pending: PendingRuling) -> Event:
    kind, to = kind_of(pending.ruling), audience_of(pending.ruling)
    said = (kind, pending.reason, pending.rule, pending.appeals)
    if to == "public":
        return MatchRuled(match.rulings.n + 1, *said)
    return SealedRuled(*said) if to == "sealed" else SeatRuled(int(to.split(":")[1]), *said)


def _closed(match: Match, pending: PendingRuling) -> list[Event]:
    """The seats that were asked are told that the ruling is not pending any more."""
    seats = range(len(match.created.seats)) if pending.ask_seats else ()
    return [ConsentClosed(seat, pending.id) for seat in seats]


# Who may, and about what.


def _check_person(match: Match, actor: Actor, appeals: str | None) -> None:
    """Raises Conflict if the person plays in the match, or ruled on what is appealed."""
    names = (*match.created.seats, *(name for _, name in match.rulings.replaced))
    if actor.person in map(named_person, names):
        raise Conflict("moderator_plays")
    appealed = None if appeals is None else match.rulings.was(appeals)
    if appealed is not None and actor.person in appealed.people:
        raise Conflict("own_ruling")


def _check_appealed(match: Match, command: Rule) -> None:
    """Raises Conflict unless the appealed ruling was carried out, and everybody who sees this
    ruling may see that one."""
    if command.appeals is None:
        return
    appealed = match.rulings.was(command.appeals)
    if appealed is None or appealed.to is None:
        raise Conflict("no_such_ruling")
    if appealed.to not in ("public", audience_of(command.ruling)):
        raise Conflict("not_public")


def _pending(match: Match, ruling: str) -> PendingRuling:
    """The pending ruling. Raises Conflict if there is none, or the match is over."""
    waiting, was = match.rulings.waiting(ruling), match.rulings.was(ruling)
    return _still(match, waiting, was)


def _asked(match: Match, ruling: str) -> PendingRuling:
    """The same for a seat: of a ruling for which the seats were not asked it knows nothing."""
    waiting, was = match.rulings.waiting(ruling), match.rulings.was(ruling)
    asked = waiting if waiting is not None and waiting.ask_seats else None
    return _still(match, asked, was if was is not None and was.asked else None)


def _still(match: Match, waiting: PendingRuling | None, was: PastRuling | None) -> PendingRuling:
    if waiting is None and was is None:
        raise Conflict("no_such_ruling")
    if match.status in OVER:
        raise Conflict("result_final")
    if waiting is None:
        raise Conflict("not_pending")
    return waiting
