"""Rulings on a match: how many people they take, and what is recorded beside their effect
(/docs/rulings#with-two-people).

Their life is that of all rulings (`ruling_life`); what each kind gives is in `ruling_effects`.
"""

from collections.abc import Collection, Iterable, Sequence

from msgspec import UNSET, Struct

from domain.events import Event, Instant
from domain.match_cases import closed_by, closers
from domain.match_state import AnyGame, Match
from domain.past import Past
from domain.people import Actor
from domain.rewind_events import ActionAdmitted, ActionStruck
from domain.ruling_commands import LooksBack, RulingCommand
from domain.ruling_effects import effect
from domain.ruling_events import (
    ConsentAsked,
    ConsentClosed,
    MatchRuled,
    RulingLapsed,
    RulingOrdered,
    RulingProposed,
    RulingWithdrawn,
    SealedRuled,
    SeatRuled,
)
from domain.ruling_kinds import AnyRuling, ReplaceSeat, Rewind, RuleResult, VoidMatch, kind_of
from domain.ruling_life import Subject
from domain.ruling_life import decide as decide_on
from domain.ruling_state import PendingRuling, audience_of
from domain.seat_holders import names_had


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


def people_needed(match: Match, ruling: AnyRuling, past: Past | None = None) -> int:
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
    """The events that a command about a ruling on a match, received at `at`, gives. Raises Conflict
    (see `ruling_life.decide`)."""
    past = command.past if isinstance(command, LooksBack) else None
    return decide_on(_OnMatch(game, match, past, at), command)


def new_holders(events: Iterable[Event]) -> list[str]:
    """The names of those to whom rulings among these events give a seat."""
    ordered = (event.ruling for event in events if isinstance(event, RulingOrdered))
    return [ruling.name for ruling in ordered if isinstance(ruling, ReplaceSeat)]


class _OnMatch(Subject):
    """A match; a rewind looks back on its `past`."""

    ordered, withdrawn, lapsed = RulingOrdered, RulingWithdrawn, RulingLapsed

    def __init__(self, game: AnyGame, match: Match, past: Past | None, at: int) -> None:
        self.game, self.match, self.past, self.at = game, match, past, at
        self.rulings, self.over = match.rulings, match.over
        self.seats = match.created.seats

    def players(self) -> Iterable[str]:
        return names_had(self.match)

    def closed_case(self, case: str | None) -> Collection[str | None]:
        return closers(self.match, case)

    def people_needed(self, ruling: AnyRuling) -> int:
        return people_needed(self.match, ruling, self.past)

    def effect(self, ruling: AnyRuling, actor: Actor | None) -> list[Event]:
        return effect(self.game, self.match, ruling, actor, self.at, self.past)

    def ruled(self, pending: PendingRuling) -> Event:
        to = audience_of(pending.ruling)
        said = (kind_of(pending.ruling), pending.reason, pending.rule, pending.appeals)
        if to == "public":
            return MatchRuled(self.rulings.n + 1, *said)
        return SealedRuled(*said) if to == "sealed" else SeatRuled(int(to.split(":")[1]), *said)

    def proposed(self, pending: PendingRuling) -> list[Event]:
        given = (getattr(pending, name) for name in RulingProposed.__struct_fields__)
        kind, before = kind_of(pending.ruling), UNSET if self.past is None else self.past.start
        asked = (
            ConsentAsked(seat, pending.id, kind, pending.reason, before)
            for seat in self._asked(pending)
        )
        return [RulingProposed(*given), *asked]

    def no_longer_pending(self, pending: PendingRuling) -> list[Event]:
        return [ConsentClosed(seat, pending.id) for seat in self._asked(pending)]

    def around(self, pending: PendingRuling, effect: Sequence[Event]) -> list[Event]:
        return [*closed_by(self.match, pending), *_told_seats(pending, effect)]

    def _asked(self, pending: PendingRuling) -> Sequence[int]:
        return range(self.seats) if pending.ask_seats else ()


def _told_seats(pending: PendingRuling, following: Sequence[Event]) -> list[Event]:
    """The seats whose submissions a sealed ruling strikes or admits are told of it, too."""
    if not isinstance(pending.ruling, Rewind) or audience_of(pending.ruling) == "public":
        return []
    told = (event.seat for event in following if isinstance(event, ActionStruck | ActionAdmitted))
    said = (kind_of(pending.ruling), pending.reason, pending.rule, pending.appeals)
    return [SeatRuled(seat, *said) for seat in sorted(set(told))]
