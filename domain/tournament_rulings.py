"""The rulings of a tournament: what waits, and what has become of the others."""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from domain.events import Event, Instant
from domain.people import Actor
from domain.tournament_ruling_events import (
    Correction,
    TournamentDirected,
    TournamentRuled,
    TournamentRulingLapsed,
    TournamentRulingOrdered,
    TournamentRulingProposed,
    TournamentRulingWithdrawn,
)


class PendingCorrection(Struct, frozen=True):
    """A correction that waits for a moderator of the match. `person` made it (see
    `Actor.person`)."""

    id: str
    ruling: Correction
    reason: str
    rule: str | None
    appeals: str | None
    case: str | None
    lapses: Instant
    person: str | None = None


class PastCorrection(Struct, frozen=True):
    """A correction of this match that was carried out as ruling `n` by these `people`; if `n` is
    None it was withdrawn or has lapsed. `proposed`: it was pending at first."""

    id: str
    match: str
    n: int | None = None
    people: tuple[str, ...] = ()
    proposed: bool = False


class TournamentRulings(Struct, frozen=True):
    """The rulings of a tournament. `n` is the number of those carried out, `director` the person
    who last directed it."""

    n: int = 0
    pending: tuple[PendingCorrection, ...] = ()
    past: tuple[PastCorrection, ...] = ()
    director: str | None = None

    def waiting(self, ruling: str) -> PendingCorrection | None:
        """The pending ruling of this id."""
        return next((one for one in self.pending if one.id == ruling), None)

    def was(self, ruling: str) -> PastCorrection | None:
        """The ruling of this id that is not pending any more."""
        return next((one for one in self.past if one.id == ruling), None)

    def match_of(self, ruling: str) -> str | None:
        """The match about which the ruling of this id is; None if there is none."""
        waiting, was = self.waiting(ruling), self.was(ruling)
        if waiting is not None:
            return waiting.ruling.match
        return None if was is None else was.match


NO_RULINGS = TournamentRulings()


def folded(rulings: TournamentRulings, event: Event) -> TournamentRulings:
    """The rulings after an event about them; never refuses."""
    handler = EVOLVERS.get(type(event))
    return rulings if handler is None else handler(rulings, event)


def _ruled(rulings: TournamentRulings, event: TournamentRuled) -> TournamentRulings:
    return replace(rulings, n=event.n)


def _directed(rulings: TournamentRulings, event: TournamentDirected) -> TournamentRulings:
    """Of a ruling just proposed it says who made it."""
    person = Actor(event.by, event.key_id).person
    *before, last = rulings.pending or (None,)
    if last is not None and last.person is None:
        rulings = replace(rulings, pending=(*before, replace(last, person=person)))
    return replace(rulings, director=person)


def _ordered(rulings: TournamentRulings, event: TournamentRulingOrdered) -> TournamentRulings:
    """Carried out: by the one who directed it now and, if it was pending, the one who made it."""
    waiting = rulings.waiting(event.id)
    made = None if waiting is None else waiting.person
    people = dict.fromkeys(one for one in (made, rulings.director) if one is not None)
    return _closed(rulings, event.id, event.ruling.match, rulings.n, tuple(people))


def _proposed(rulings: TournamentRulings, event: TournamentRulingProposed) -> TournamentRulings:
    fields = {name: getattr(event, name) for name in event.__struct_fields__}
    return replace(rulings, pending=(*rulings.pending, PendingCorrection(**fields)))


def _given_up(
    rulings: TournamentRulings, event: TournamentRulingWithdrawn | TournamentRulingLapsed
) -> TournamentRulings:
    match = rulings.match_of(event.id)
    return rulings if match is None else _closed(rulings, event.id, match, None, ())


def _closed(
    rulings: TournamentRulings, ruling: str, match: str, n: int | None, people: tuple[str, ...]
) -> TournamentRulings:
    past = PastCorrection(ruling, match, n, people, rulings.waiting(ruling) is not None)
    pending = tuple(one for one in rulings.pending if one.id != ruling)
    return replace(rulings, pending=pending, past=(*rulings.past, past))


EVOLVERS: Mapping[type[Event], Callable[[TournamentRulings, Any], TournamentRulings]] = {
    TournamentRuled: _ruled,
    TournamentDirected: _directed,
    TournamentRulingOrdered: _ordered,
    TournamentRulingProposed: _proposed,
    TournamentRulingWithdrawn: _given_up,
    TournamentRulingLapsed: _given_up,
}
