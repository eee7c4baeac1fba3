"""The life of a ruling: it is proposed, seconded or consented to, withdrawn, or lapses, and is
carried out once (/docs/rulings#with-two-people).

It is the same whatever is ruled on: a `Subject` says what differs, a match in `rulings`, a
tournament in `corrections`.
"""

from collections.abc import Callable, Collection, Sequence
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from domain.events import Event, later
from domain.match.commands import Conflict, check_judge
from domain.match.deadlines import DAY
from domain.people import Actor
from domain.rulings.commands import (
    ConsentToRuling,
    LapseRuling,
    Rule,
    RulingCommand,
    SecondRuling,
    WithdrawRuling,
)
from domain.rulings.events import ConsentClosed, RulingConsented
from domain.rulings.kinds import ASKABLE, AnyRuling, Rewind
from domain.rulings.state import PastRuling, PendingRuling, Rulings, audience_of, match_of

PENDING = DAY
"""Microseconds for which a ruling waits for someone."""


class Subject(Struct, frozen=True):
    """What is ruled on, as it is at the instant `at`. `players` are the names of those who play, or
    have played; `past` the rulings that can be appealed. `over`: nothing can be ruled any more.
    `seats` is how many can be asked for their consent; no one has those that are `free`. Of a
    `moderated` one what a seat asks for takes a moderator, too.

    `people_needed` says how many people it takes to carry out a ruling: one or two. `effect` gives
    the events of one that is carried out, and raises Conflict if it does not fit; `ruled` is the
    event that says so, `ordered` the class of the next one; `proposed` is the event of one that
    waits from now on. `closers` have closed an open case before it was appealed. `around` gives the
    events that stand before the effect of a ruling: what it closes, and who is told.
    """

    at: int
    rulings: Rulings
    players: Sequence[str]
    past: Sequence[PastRuling]
    people_needed: Callable[[AnyRuling], int]
    effect: Callable[[PendingRuling, Actor | None], list[Event]]
    ruled: Callable[[PendingRuling], Event]
    proposed: Callable[[PendingRuling], list[Event]]
    ordered: Callable[[str, Any, str | None], Event]
    withdrawn: Callable[[str], Event]
    lapsed: Callable[[str], Event]
    closers: Callable[[str | None], Collection[str | None]]
    around: Callable[[PendingRuling, Sequence[Event]], list[Event]]
    over: bool = False
    seats: int = 0
    free: Collection[int] = ()
    moderated: bool = True

    def no_longer_pending(self, pending: PendingRuling) -> list[Event]:
        """The events by which those who were asked learn that a ruling is not pending any more."""
        seats = range(self.seats) if pending.ask_seats else ()
        return [ConsentClosed(seat, pending.id) for seat in seats]

    def missing(self, pending: PendingRuling) -> list[int]:
        """The seats that have not consented; the one that asks has, and no one has a free one."""
        people_for = (pending.asker, *pending.consents, *self.free)
        return [seat for seat in range(self.seats) if seat not in people_for]

    def agreed(self, pending: PendingRuling) -> bool:
        """Whether a seat asks for what needs no one else: all other seats are free."""
        return pending.asker is not UNSET and not self.moderated and not self.missing(pending)

    def appealed(self, ruling: str) -> PastRuling | None:
        """The ruling of this id that is not pending."""
        return next((past for past in self.past if past.id == ruling), None)


def decide(subject: Subject, command: RulingCommand) -> list[Event]:
    """The events that a command about a ruling gives: the input itself first.

    Raises Conflict, whose code is one of `ruling_commands` or of `commands.CONFLICTS`; what may
    not be known is not told (`no_such_ruling`).
    """
    match command:
        case Rule():
            return _rule(subject, command)
        case SecondRuling():
            return _second(subject, command)
        case ConsentToRuling():
            return _consent(subject, command)
        case WithdrawRuling(ruling, actor):
            pending = _pending(subject, ruling, by_seat=actor.seat is not UNSET)
            _check_person(subject, actor)
            if actor.seat not in (UNSET, pending.asker):
                raise Conflict("no_such_ruling")
            return [subject.withdrawn(pending.id), *subject.no_longer_pending(pending)]
        case LapseRuling(ruling):
            pending = _pending(subject, ruling)
            assert subject.at >= pending.lapses
            return given_up(subject, pending)


def given_up(subject: Subject, pending: PendingRuling) -> list[Event]:
    """The events by which a pending ruling lapses."""
    return [subject.lapsed(pending.id), *subject.no_longer_pending(pending)]


def fits(subject: Subject, pending: PendingRuling) -> bool:
    """Whether a pending ruling could be carried out now. What a rewind looks back on is not asked
    for."""
    if isinstance(pending.ruling, Rewind):
        return True
    try:
        _carried_out(subject, pending, None)
    except Conflict:
        return False
    return True


def _rule(subject: Subject, command: Rule) -> list[Event]:
    assert not subject.rulings.knows(command.id)
    _check_person(subject, command.actor, command.appeals, command.case)
    _check_appealed(subject, command)
    pending = PendingRuling(
        id=command.id,
        ruling=command.ruling,
        reason=command.reason,
        rule=command.rule,
        appeals=command.appeals,
        case=command.case,
        lapses=later(subject.at, PENDING),
        ask_seats=command.ask_seats,
        asker=command.actor.seat,
    )
    _check_asker(subject, pending)
    if command.ask_seats and audience_of(command.ruling) != "public":
        raise Conflict("not_public")
    carried_out = _carried_out(subject, pending, command.actor)
    if pending.asker is UNSET and subject.people_needed(command.ruling) == 1:
        return carried_out
    return [*subject.proposed(pending), *(carried_out if subject.agreed(pending) else ())]


def _second(subject: Subject, command: SecondRuling) -> list[Event]:
    pending = _pending(subject, command.id)
    _check_person(subject, command.actor, pending.appeals, pending.case)
    check_judge(command.actor, (), [pending.person], "same_person")
    if pending.asker is not UNSET and subject.missing(pending):
        raise Conflict("consent_missing")
    return _carried_out(subject, pending, command.actor)


def _consent(subject: Subject, command: ConsentToRuling) -> list[Event]:
    """The seats learn from a consent's answer only whether the ruling can still be carried out:
    that is found out for each of them, not for the last alone."""
    pending = _pending(subject, command.id, by_seat=True)
    if not 0 <= command.seat < subject.seats:
        raise Conflict("no_such_seat")
    missing = subject.missing(pending)
    if command.seat not in missing:
        raise Conflict("already_consented")
    carried_out = _carried_out(subject, pending, None)
    consented = RulingConsented(pending.id, command.seat)
    waits = len(missing) > 1 or (pending.asker is not UNSET and subject.moderated)
    return [consented] if waits else [consented, *carried_out]


def _carried_out(subject: Subject, pending: PendingRuling, actor: Actor | None) -> list[Event]:
    following = subject.effect(pending, actor)
    order = subject.ordered(pending.id, pending.ruling, pending.case)
    was_pending = subject.rulings.waiting(pending.id) is not None or subject.agreed(pending)
    closings = subject.no_longer_pending(pending) if was_pending else []
    around = subject.around(pending, following)
    return [subject.ruled(pending), order, *closings, *around, *following]


# Who may, and about what.


def _check_person(
    subject: Subject, actor: Actor, appeals: str | None = None, case: str | None = None
) -> None:
    """Raises Conflict if the person plays, has closed the case before, or may have ruled on what is
    appealed. A seat only asks."""
    if actor.seat is not UNSET:
        return
    check_judge(actor, subject.players, subject.closers(case))
    appealed = None if appeals is None else subject.appealed(appeals)
    if appealed is not None:
        check_judge(actor, (), appealed.people)


def _check_asker(subject: Subject, pending: PendingRuling) -> None:
    """Raises Conflict if the seat that asks has asked for something that is pending."""
    if isinstance(pending.asker, UnsetType):
        return
    assert isinstance(pending.ruling, ASKABLE) and pending.ask_seats
    assert pending.appeals is None and pending.case is None
    if subject.rulings.asked_by(pending.asker):
        raise Conflict("proposal_open")


def _check_appealed(subject: Subject, command: Rule) -> None:
    """Raises Conflict unless the appealed ruling was carried out, on the same match of a
    tournament, and everyone who sees this ruling may see that one."""
    if command.appeals is None:
        return
    appealed = subject.appealed(command.appeals)
    if appealed is None or appealed.to is None:
        raise Conflict("no_such_ruling")
    if match_of(appealed.ruling) not in (None, match_of(command.ruling)):
        raise Conflict("no_such_ruling")
    if appealed.to not in ("public", audience_of(command.ruling)):
        raise Conflict("not_public")


def _pending(subject: Subject, ruling: str, *, by_seat: bool = False) -> PendingRuling:
    """The pending ruling. Raises Conflict if there is none, or the subject is over. A seat knows
    nothing of a ruling for which the seats were not asked."""
    waiting, was = subject.rulings.waiting(ruling), subject.rulings.was(ruling)
    if by_seat:
        waiting = waiting if waiting is not None and waiting.ask_seats else None
        was = was if was is not None and was.asked else None
    if waiting is None and was is None:
        raise Conflict("no_such_ruling")
    if waiting is None or subject.over:
        raise Conflict("not_pending")
    return waiting
