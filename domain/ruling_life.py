"""The life of a ruling: it is proposed, seconded or consented to, withdrawn, or lapses, and is
carried out once (/docs/rulings#with-two-people).

It is the same whatever is ruled on: a `Subject` says what differs, a match in `rulings`, a
tournament in `corrections`.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Sequence
from typing import ClassVar

from domain.commands import Conflict
from domain.deadlines import DAY
from domain.events import Event, later
from domain.people import Actor
from domain.ruling_commands import (
    ConsentToRuling,
    LapseRuling,
    Rule,
    RulingCommand,
    SecondRuling,
    WithdrawRuling,
)
from domain.ruling_events import RulingConsented, RulingLapsed, RulingOrdered, RulingWithdrawn
from domain.ruling_kinds import AnyRuling
from domain.ruling_state import PastRuling, PendingRuling, Rulings, audience_of, match_of
from domain.tournament_ruling_events import (
    TournamentRulingLapsed,
    TournamentRulingOrdered,
    TournamentRulingWithdrawn,
)

PENDING = DAY
"""Microseconds for which a ruling waits for somebody."""


class Subject(ABC):
    """What is ruled on, as it is at the instant `at`. `over`: nothing can be ruled any more."""

    ordered: ClassVar[type[RulingOrdered] | type[TournamentRulingOrdered]]
    withdrawn: ClassVar[type[RulingWithdrawn] | type[TournamentRulingWithdrawn]]
    lapsed: ClassVar[type[RulingLapsed] | type[TournamentRulingLapsed]]

    at: int
    rulings: Rulings
    over = False
    seats = 0
    """How many seats can be asked for their consent."""

    def appealed(self, ruling: str) -> PastRuling | None:
        """The ruling of this id that is not pending."""
        return self.rulings.was(ruling)

    def closed_case(self, _case: str | None) -> Collection[str | None]:
        """Those who have closed an open case before it was appealed."""
        return ()

    @abstractmethod
    def players(self) -> Iterable[str]:
        """The names of those who play, or have played."""

    @abstractmethod
    def people_needed(self, ruling: AnyRuling) -> int:
        """How many people it takes to carry out a ruling: one or two."""

    @abstractmethod
    def ruled(self, pending: PendingRuling) -> Event:
        """The event that says that a ruling is carried out."""

    @abstractmethod
    def proposed(self, pending: PendingRuling) -> list[Event]:
        """The events of a ruling that waits from now on."""

    @abstractmethod
    def effect(self, ruling: AnyRuling, actor: Actor | None) -> list[Event]:
        """The events that a ruling gives. Raises Conflict if it does not fit."""

    def no_longer_pending(self, _pending: PendingRuling) -> list[Event]:
        """The events by which those who were asked learn that a ruling is not pending any more."""
        return []

    def around(self, _pending: PendingRuling, _effect: Sequence[Event]) -> list[Event]:
        """The events that stand before the effect of a ruling: what it closes, and who is told."""
        return []


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
            pending = _pending(subject, ruling)
            _check_person(subject, actor)
            return [subject.withdrawn(pending.id), *subject.no_longer_pending(pending)]
        case LapseRuling(ruling):
            pending = _pending(subject, ruling)
            assert subject.at >= pending.lapses
            return [subject.lapsed(pending.id), *subject.no_longer_pending(pending)]


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
    )
    if command.ask_seats and audience_of(command.ruling) != "public":
        raise Conflict("not_public")
    carried_out = _carried_out(subject, pending, command.actor)
    if subject.people_needed(command.ruling) == 1:
        return carried_out
    return subject.proposed(pending)


def _second(subject: Subject, command: SecondRuling) -> list[Event]:
    pending = _pending(subject, command.id)
    _check_person(subject, command.actor, pending.appeals, pending.case)
    _check(command.actor, [pending.person], "same_person")
    return _carried_out(subject, pending, command.actor)


def _consent(subject: Subject, command: ConsentToRuling) -> list[Event]:
    """The seats learn from a consent's answer only whether the ruling can still be carried out:
    that is found out for each of them, not for the last alone."""
    pending = _pending(subject, command.id, asked=True)
    if not 0 <= command.seat < subject.seats:
        raise Conflict("no_such_seat")
    if command.seat in pending.consents:
        raise Conflict("already_consented")
    carried_out = _carried_out(subject, pending, None)
    consented = RulingConsented(pending.id, command.seat)
    missing = subject.seats - len(pending.consents) - 1
    return [consented] if missing else [consented, *carried_out]


def _carried_out(subject: Subject, pending: PendingRuling, actor: Actor | None) -> list[Event]:
    following = subject.effect(pending.ruling, actor)
    ordered: Event = subject.ordered(pending.id, pending.ruling, pending.case)  # type: ignore[arg-type]  # of its kinds
    waited = subject.rulings.waiting(pending.id) is not None
    closed = subject.no_longer_pending(pending) if waited else []
    around = subject.around(pending, following)
    return [subject.ruled(pending), ordered, *closed, *around, *following]


# Who may, and about what.


def _check_person(
    subject: Subject, actor: Actor, appeals: str | None = None, case: str | None = None
) -> None:
    """Raises Conflict if the person plays, has closed the case before, or may have ruled on what is
    appealed."""
    if actor.is_one_of(subject.players()):
        raise Conflict("moderator_plays")
    _check(actor, subject.closed_case(case), "own_ruling")
    appealed = None if appeals is None else subject.appealed(appeals)
    if appealed is not None:
        _check(actor, appealed.people, "own_ruling")


def _check(actor: Actor, people: Collection[str | None], same: str) -> None:
    fault = actor.fault(people, same)
    if fault is not None:
        raise Conflict(fault)


def _check_appealed(subject: Subject, command: Rule) -> None:
    """Raises Conflict unless the appealed ruling was carried out, on the same match of a
    tournament, and everybody who sees this ruling may see that one."""
    if command.appeals is None:
        return
    appealed = subject.appealed(command.appeals)
    if appealed is None or appealed.to is None:
        raise Conflict("no_such_ruling")
    if appealed.match not in (None, match_of(command.ruling)):
        raise Conflict("no_such_ruling")
    if appealed.to not in ("public", audience_of(command.ruling)):
        raise Conflict("not_public")


def _pending(subject: Subject, ruling: str, *, asked: bool = False) -> PendingRuling:
    """The pending ruling. Raises Conflict if there is none, or the subject is over. A seat knows
    nothing of a ruling for which the seats were not `asked`."""
    waiting, was = subject.rulings.waiting(ruling), subject.rulings.was(ruling)
    if asked:
        waiting = waiting if waiting is not None and waiting.ask_seats else None
        was = was if was is not None and was.asked else None
    if waiting is None and was is None:
        raise Conflict("no_such_ruling")
    if subject.over:
        raise Conflict("result_final")
    if waiting is None:
        raise Conflict("not_pending")
    return waiting
