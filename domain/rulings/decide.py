"""Rulings on a match: how many people they take, and what is recorded next to their effect
(/docs/rulings#with-two-people).

Their life is that of all rulings (`life`); what each kind gives is in `effects`.
"""

from collections.abc import Iterable, Sequence

from msgspec import UNSET, Struct

from domain.cases.on_record import OF_MATCH, closed_by, closers
from domain.events import Event, Instant
from domain.match.commands import Conflict, EndProtests, PassDeadline
from domain.match.play import window_end
from domain.match.seat_holders import free_seats, names_had
from domain.match.state import AnyGame, Match
from domain.people import OPERATOR, Actor
from domain.rulings.commands import LapseRuling, LooksBack, Past, Rule, RulingCommand
from domain.rulings.effects import effect
from domain.rulings.events import (
    ActionAdmitted,
    ActionStruck,
    ConsentAsked,
    MatchRewound,
    MatchRuled,
    RulingLapsed,
    RulingOrdered,
    RulingProposed,
    RulingWithdrawn,
    SealedRuled,
    SeatRuled,
)
from domain.rulings.kinds import (
    AnyRuling,
    KindName,
    ReplaceSeat,
    Rewind,
    RuleResult,
    VoidMatch,
    kind_of,
)
from domain.rulings.life import Subject, fits, given_up
from domain.rulings.life import decide as decide_on
from domain.rulings.state import PendingRuling, audience_of
from domain.tournament.absences import BY_ITSELF


def people_needed(
    match: Match, ruling: AnyRuling, past: Past | None = None, actor: Actor | None = None
) -> int:
    """How many people it takes to carry out a ruling: one or two. To rewind, one is enough where
    nothing but refusals came since, no seat alone was told anything, and what is undone took no
    two. A forfeit of those who
    have done nothing the service rules by itself."""
    if match.created.rulings == "single" or not isinstance(
        ruling, ReplaceSeat | RuleResult | VoidMatch | Rewind
    ):
        return 1
    if actor == OPERATOR and isinstance(ruling, RuleResult) and ruling.because == "forfeit":
        idle = [seat for seat, size in enumerate(match.recorded.sizes) if size == 0]
        if ruling.result.losers and set(ruling.result.losers) <= set(idle):
            return 1
    if isinstance(ruling, Rewind):
        return 1 if past is not None and past.alone else 2
    return 1 if isinstance(ruling, VoidMatch) and match.status == "created" else 2


def decide(game: AnyGame, match: Match, command: RulingCommand, at: int) -> list[Event]:
    """The events that a command about a ruling on a match, received at `at`, gives. Raises Conflict
    (see `life.decide`)."""
    past = command.past if isinstance(command, LooksBack) else None
    actor = command.actor if isinstance(command, Rule) else None
    if isinstance(command, Rule) and actor != OPERATOR:
        _check_rules(match, command)
    return decide_on(_subject(game, match, at, past, actor), command)


def _check_rules(match: Match, command: Rule) -> None:
    """Raises Conflict for what only the service itself rules: by a rule of its own, and at an open
    table what no seat asks for."""
    if command.rule == BY_ITSELF or (match.created.table and command.actor.seat is UNSET):
        raise Conflict("rule_of_service")


def outrun(
    game: AnyGame, before: Match, match: Match, events: Sequence[Event], at: int
) -> list[Event]:
    """The events by which those rulings are given up that were pending `before` these events and
    cannot be carried out in the `match` after them."""
    subject = _subject(game, match, at)
    still_pending = [
        pending
        for pending in before.rulings.pending
        if match.rulings.waiting(pending.id) is not None
    ]
    impossible = (
        pending
        for pending in still_pending
        if _is_undone(pending, before, match, events) or not fits(subject, pending)
    )
    return [event for pending in impossible for event in given_up(subject, pending)]


def _is_undone(
    pending: PendingRuling, before: Match, match: Match, events: Sequence[Event]
) -> bool:
    """Whether a rewind has lost the event before which the match would go on, or the open phase in
    which it would strike and admit."""
    ruling = pending.ruling
    if not isinstance(ruling, Rewind):
        return False
    if ruling.before is None:
        return match.awaiting.phase != before.awaiting.phase
    starts = (event.before for event in events if isinstance(event, MatchRewound))
    return any(start <= ruling.before for start in starts)


def _subject(
    game: AnyGame, match: Match, at: int, past: Past | None = None, actor: Actor | None = None
) -> Subject:
    return Subject(
        at=at,
        rulings=match.rulings,
        players=names_had(match),
        past=match.rulings.past,
        people_needed=lambda ruling: people_needed(match, ruling, past, actor),
        effect=lambda pending, actor: effect(game, match, pending.ruling, actor, at, past),
        ruled=lambda pending: _ruling_event(match, pending),
        proposed=lambda pending: _propose(match, past, pending),
        ordered=RulingOrdered,
        withdrawn=RulingWithdrawn,
        lapsed=RulingLapsed,
        over=match.over,
        seats=match.created.seats,
        free=free_seats(match) if match.created.table and match.status == "created" else (),
        moderated=not match.created.table,
        closers=lambda case: closers(match.cases, case),
        around=lambda pending, effect: [
            *closed_by(OF_MATCH, match.cases, pending),
            *_told_seats(pending, effect),
        ],
    )


def new_holders(events: Iterable[Event]) -> list[str]:
    """The names of those to whom rulings among these events give a seat."""
    rulings = (event.ruling for event in events if isinstance(event, RulingOrdered))
    return [ruling.name for ruling in rulings if isinstance(ruling, ReplaceSeat)]


def _ruling_event(match: Match, pending: PendingRuling) -> Event:
    to, texts = audience_of(pending.ruling), _ruling_texts(pending)
    if to == "public":
        return MatchRuled(match.rulings.n + 1, *texts)
    return SealedRuled(*texts) if to == "sealed" else SeatRuled(int(to.split(":")[1]), *texts)


def _ruling_texts(pending: PendingRuling) -> tuple[KindName, str, str | None, str | None]:
    return kind_of(pending.ruling), pending.reason, pending.rule, pending.appeals


def _propose(match: Match, past: Past | None, pending: PendingRuling) -> list[Event]:
    values = (getattr(pending, name) for name in RulingProposed.__struct_fields__)
    seats = range(match.created.seats) if pending.ask_seats else ()
    return [RulingProposed(*values), *(_ask_seat(seat, past, pending) for seat in seats)]


SHOWN = {"seat": "replaces"} | {name: name for name in ("result", "because", "name", "replaced_by")}
"""The fields of rulings that everyone sees once they are carried out, as seats are asked."""


def _ask_seat(seat: int, past: Past | None, pending: PendingRuling) -> Event:
    fields = {
        name: value
        for field, name in SHOWN.items()
        if (value := getattr(pending.ruling, field, None)) is not None
    }
    return ConsentAsked(
        seat,
        pending.id,
        kind_of(pending.ruling),
        pending.reason,
        before=UNSET if past is None else past.start,
        rule=pending.rule or UNSET,
        asker=pending.asker,
        **fields,
    )


def _told_seats(pending: PendingRuling, following: Sequence[Event]) -> list[Event]:
    """The seats whose submissions a sealed ruling strikes or admits are told of it, too."""
    if not isinstance(pending.ruling, Rewind) or audience_of(pending.ruling) == "public":
        return []
    seats = (event.seat for event in following if isinstance(event, ActionStruck | ActionAdmitted))
    return [SeatRuled(seat, *_ruling_texts(pending)) for seat in sorted(set(seats))]


# What the clock gives a match by itself.


class DueCommand(Struct, frozen=True):
    """A command, and the instant in microseconds at which the clock gives it: a deadline passes, a
    protest window ends, or a pending ruling lapses."""

    at: Instant
    command: PassDeadline | EndProtests | LapseRuling


def due_lapse(match: Match) -> DueCommand | None:
    """The next ruling to lapse if no one does anything; None if none is pending in a match that is
    not over. Like a deadline it lapses after every input stamped before that instant."""
    if not match.rulings.pending or match.over:
        return None
    first = match.rulings.pending[0]
    return DueCommand(first.lapses, LapseRuling(first.id))


def next_due(match: Match) -> DueCommand | None:
    """What comes next if no one does anything; of several at an instant a lapse comes last."""
    deadline, unmoved = match.awaiting.deadline, next_unmoved(match)
    if deadline is None or (unmoved is not None and unmoved.at < deadline):
        return unmoved
    return DueCommand(deadline, PassDeadline())


def due_at(match: Match) -> Instant | None:
    """The instant at which the clock gives the match something."""
    due = next_due(match)
    return None if due is None else due.at


def next_unmoved(match: Match) -> DueCommand | None:
    """The same of what an absence of the service does not move: all but deadlines, which are for
    those who play."""
    end, lapse = window_end(match), due_lapse(match)
    if end is None or (lapse is not None and lapse.at < end):
        return lapse
    return DueCommand(end, EndProtests())
