"""Rulings: who may rule, how many people it takes, and when it is carried out (RULINGS §3).

What each kind of ruling gives is in `ruling_effects`.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from msgspec import UNSET, Struct

from domain.commands import Conflict
from domain.deadlines import DAY
from domain.events import Event, Instant, later
from domain.match_cases import check_closer, closed_by
from domain.match_rulings import PastRuling, PendingRuling, audience_of
from domain.match_state import AnyGame, Match
from domain.past import Past
from domain.people import Actor
from domain.rewind_events import ActionAdmitted, ActionStruck
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
from domain.ruling_kinds import ReplaceSeat, Rewind, RuleResult, Ruling, VoidMatch, kind_of

PENDING = DAY
"""Microseconds for which a ruling waits for somebody."""


class Lapse(Struct, frozen=True):
    """When a pending ruling lapses, in microseconds, and its id."""

    at: Instant
    id: str


def due_lapse(match: Match) -> Lapse | None:
    """The next ruling to lapse if nobody does anything; None if none is pending in a match that is
    not over. Like a deadline it lapses after every input stamped before that instant."""
    if not match.rulings.pending or match.over:
        return None
    first = match.rulings.pending[0]
    return Lapse(first.lapses, first.id)


def people_needed(match: Match, ruling: Ruling, past: Past | None = None) -> int:
    """How many people it takes to carry out a ruling: one or two. To rewind, one is enough where
    nothing but refusals came since, and no seat alone was told anything."""
    if match.created.rulings == "single" or not isinstance(
        ruling, ReplaceSeat | RuleResult | VoidMatch | Rewind
    ):
        return 1
    if isinstance(ruling, Rewind):
        return 1 if past is not None and past.alone else 2
    return 1 if isinstance(ruling, VoidMatch) and match.status == "created" else 2


def decide(game: AnyGame, match: Match, command: RulingCommand, at: int) -> list[Event]:
    """The events that a command about a ruling, received at `at`, gives: the input itself first.

    Raises Conflict, whose code is one of `ruling_commands` or of `commands.CONFLICTS`; what may
    not be known is not told (`no_such_ruling`).
    """
    return _DECIDERS[type(command)](game, match, command, at)


def _rule(game: AnyGame, match: Match, command: Rule, at: int) -> list[Event]:
    rulings = match.rulings
    assert rulings.waiting(command.id) is None and rulings.was(command.id) is None
    _check_person(match, command.actor, command.appeals, command.case)
    _check_appealed(match, command)
    pending = PendingRuling(
        command.id,
        command.ruling,
        command.reason,
        command.rule,
        command.appeals,
        command.case,
        command.ask_seats,
        later(at, PENDING),
    )
    if command.ask_seats and audience_of(command.ruling) != "public":
        raise Conflict("not_public")
    carried_out = _carried_out(game, match, pending, command.actor, at, command.past)
    if people_needed(match, command.ruling, command.past) == 1:
        return carried_out
    return _proposed(match, pending, command.past)


def _second(game: AnyGame, match: Match, command: SecondRuling, at: int) -> list[Event]:
    pending = _pending(match, command.id)
    _check_person(match, command.actor, pending.appeals, pending.case)
    fault = command.actor.fault([pending.person], "same_person")
    if fault is not None:
        raise Conflict(fault)
    return _carried_out(game, match, pending, command.actor, at, command.past)


def _withdraw(game: AnyGame, match: Match, command: WithdrawRuling, at: int) -> list[Event]:
    pending = _pending(match, command.id)
    _check_person(match, command.actor)
    return [RulingWithdrawn(pending.id), *_closed(match, pending)]


def _lapse(game: AnyGame, match: Match, command: LapseRuling, at: int) -> list[Event]:
    pending = _pending(match, command.id)
    assert at >= pending.lapses
    return [RulingLapsed(pending.id), *_closed(match, pending)]


def _consent(game: AnyGame, match: Match, command: ConsentToRuling, at: int) -> list[Event]:
    """The seats learn from a consent's answer only whether the ruling can still be carried out:
    that is found out for each of them, not for the last alone."""
    pending = _asked(match, command.id)
    if not 0 <= command.seat < match.created.seats:
        raise Conflict("no_such_seat")
    if command.seat in pending.consents:
        raise Conflict("already_consented")
    carried_out = _carried_out(game, match, pending, None, at, command.past)
    consented = RulingConsented(pending.id, command.seat)
    missing = match.created.seats - len(pending.consents) - 1
    return [consented] if missing else [consented, *carried_out]


_DECIDERS: Mapping[type[RulingCommand], Callable[[AnyGame, Match, Any, int], list[Event]]] = {
    Rule: _rule,
    SecondRuling: _second,
    WithdrawRuling: _withdraw,
    LapseRuling: _lapse,
    ConsentToRuling: _consent,
}


def new_holders(events: Iterable[Event]) -> list[str]:
    """The names of those to whom rulings among these events give a seat."""
    ordered = (event.ruling for event in events if isinstance(event, RulingOrdered))
    return [ruling.name for ruling in ordered if isinstance(ruling, ReplaceSeat)]


# What is recorded.


def _proposed(match: Match, pending: PendingRuling, past: Past | None) -> list[Event]:
    given = (getattr(pending, name) for name in RulingProposed.__struct_fields__)
    proposed: list[Event] = [RulingProposed(*given)]
    if not pending.ask_seats:
        return proposed
    kind = kind_of(pending.ruling)
    seats, before = range(match.created.seats), UNSET if past is None else past.start
    return proposed + [
        ConsentAsked(seat, pending.id, kind, pending.reason, before) for seat in seats
    ]


def _carried_out(
    game: AnyGame,
    match: Match,
    pending: PendingRuling,
    actor: Actor | None,
    at: int,
    past: Past | None,
) -> list[Event]:
    following = effect(game, match, pending.ruling, actor, at, past)
    ordered = RulingOrdered(pending.id, pending.ruling, pending.case)
    waited = match.rulings.waiting(pending.id) is not None
    closed = _closed(match, pending) if waited else []
    told = _told_seats(pending, following)
    ends = closed_by(match, pending)
    return [_ruled(match, pending), ordered, *closed, *ends, *told, *following]


def _told_seats(pending: PendingRuling, following: list[Event]) -> list[Event]:
    """The seats whose submissions a sealed ruling strikes or admits are told of it, too."""
    if not isinstance(pending.ruling, Rewind) or audience_of(pending.ruling) == "public":
        return []
    told = (event.seat for event in following if isinstance(event, ActionStruck | ActionAdmitted))
    said = (kind_of(pending.ruling), pending.reason, pending.rule, pending.appeals)
    return [SeatRuled(seat, *said) for seat in sorted(set(told))]


def _ruled(match: Match, pending: PendingRuling) -> Event:
    kind, to = kind_of(pending.ruling), audience_of(pending.ruling)
    said = (kind, pending.reason, pending.rule, pending.appeals)
    if to == "public":
        return MatchRuled(match.rulings.n + 1, *said)
    return SealedRuled(*said) if to == "sealed" else SeatRuled(int(to.split(":")[1]), *said)


def _closed(match: Match, pending: PendingRuling) -> list[Event]:
    """The seats that were asked are told that the ruling is not pending any more."""
    seats = range(match.created.seats) if pending.ask_seats else ()
    return [ConsentClosed(seat, pending.id) for seat in seats]


# Who may, and about what.


def _check_person(
    match: Match, actor: Actor, appeals: str | None = None, case: str | None = None
) -> None:
    """Raises Conflict if the person plays in the match, or may have ruled on what is appealed."""
    check_closer(match, actor, case)
    appealed = None if appeals is None else match.rulings.was(appeals)
    fault = None if appealed is None else actor.fault(appealed.people, "own_ruling")
    if fault is not None:
        raise Conflict(fault)


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
    if match.over:
        raise Conflict("result_final")
    if waiting is None:
        raise Conflict("not_pending")
    return waiting
