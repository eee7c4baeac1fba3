"""The rulings of a match, folded from its events: who ruled what, and what is pending."""

from msgspec import Struct
from msgspec.structs import replace

from domain.dispatch import by_kind
from domain.events import Instant
from domain.people import Actor
from domain.ruling_events import (
    MatchRuled,
    ResultRuled,
    RulingConsented,
    RulingLapsed,
    RulingOrdered,
    RulingProposed,
    RulingWithdrawn,
    SeatReplaced,
)
from domain.ruling_kinds import Note, Rewind, Ruling


class PendingRuling(Struct, frozen=True):
    """A ruling that waits for a second person, or for the seats if they were asked. `person` made
    it (see `Actor.person`); `consents` are the seats that have consented, in order."""

    id: str
    ruling: Ruling
    reason: str
    rule: str | None
    appeals: str | None
    case: str | None
    ask_seats: bool
    lapses: Instant
    person: str | None = None
    consents: tuple[int, ...] = ()


class PastRuling(Struct, frozen=True):
    """A ruling that was carried out for the audience `to` (`public`, `seat:N`, `sealed`), as public
    ruling `n`, by these `people`; if `to` is None it was withdrawn or has lapsed. `asked`: the
    seats were asked for their consent."""

    id: str
    to: str | None = None
    n: int | None = None
    people: tuple[str, ...] = ()
    asked: bool = False


class MatchRulings(Struct, frozen=True):
    """The rulings of a match. `n` is the number of public ones. `director` is the person who last
    directed the match, None right after a consent. `replaced` are the seats that somebody else has
    taken over, in order. `result_ruled`: the result is a ruling's. `branch` is the number of
    rewinds."""

    n: int = 0
    pending: tuple[PendingRuling, ...] = ()
    past: tuple[PastRuling, ...] = ()
    director: str | None = None
    replaced: tuple[int, ...] = ()
    result_ruled: bool = False
    branch: int = 0

    def waiting(self, ruling: str) -> PendingRuling | None:
        """The pending ruling of this id."""
        return next((one for one in self.pending if one.id == ruling), None)

    def was(self, ruling: str) -> PastRuling | None:
        """The ruling of this id that is not pending any more."""
        return next((one for one in self.past if one.id == ruling), None)

    def knows(self, ruling: str) -> bool:
        """Whether this id has been used."""
        return self.waiting(ruling) is not None or self.was(ruling) is not None


NO_RULINGS = MatchRulings()


def audience_of(ruling: Ruling) -> str:
    """For whom a ruling is: all are public but notes, and what changes only the submissions of a
    sealed phase that is open."""
    if isinstance(ruling, Rewind) and ruling.in_open_phase:
        return "sealed"
    return ruling.to if isinstance(ruling, Note) else "public"


def directed(rulings: MatchRulings, actor: Actor) -> MatchRulings:
    """After `match.directed.1`: of a ruling just proposed it says who made it."""
    *before, last = rulings.pending or (None,)
    if last is not None and last.person is None:
        rulings = replace(rulings, pending=(*before, replace(last, person=actor.person)))
    return replace(rulings, director=actor.person)


def _ruled(rulings: MatchRulings, event: MatchRuled) -> MatchRulings:
    return replace(rulings, n=event.n)


def _ordered(rulings: MatchRulings, event: RulingOrdered) -> MatchRulings:
    """Carried out: by the one who directed it now and, if it was pending, the one who made it."""
    waiting, to = rulings.waiting(event.id), audience_of(event.ruling)
    made = None if waiting is None else waiting.person
    people = dict.fromkeys(one for one in (made, rulings.director) if one is not None)
    n = rulings.n if to == "public" else None
    asked = waiting is not None and waiting.ask_seats
    return _closed(rulings, PastRuling(event.id, to, n, tuple(people), asked))


def _proposed(rulings: MatchRulings, event: RulingProposed) -> MatchRulings:
    fields = {name: getattr(event, name) for name in event.__struct_fields__}
    return replace(rulings, pending=(*rulings.pending, PendingRuling(**fields)))


def _consented(rulings: MatchRulings, event: RulingConsented) -> MatchRulings:
    pending = tuple(
        replace(one, consents=(*one.consents, event.giver)) if one.id == event.id else one
        for one in rulings.pending
    )
    return replace(rulings, pending=pending, director=None)


def _given_up(rulings: MatchRulings, event: RulingWithdrawn | RulingLapsed) -> MatchRulings:
    waiting = rulings.waiting(event.id)
    asked = waiting is not None and waiting.ask_seats
    return _closed(rulings, PastRuling(event.id, asked=asked))


def _closed(rulings: MatchRulings, past: PastRuling) -> MatchRulings:
    pending = tuple(one for one in rulings.pending if one.id != past.id)
    return replace(rulings, pending=pending, past=(*rulings.past, past))


def _replaced(rulings: MatchRulings, event: SeatReplaced) -> MatchRulings:
    return replace(rulings, replaced=(*rulings.replaced, event.seat))


def _result_ruled(rulings: MatchRulings, event: ResultRuled) -> MatchRulings:
    return replace(rulings, result_ruled=True)


folded = by_kind(
    _ruled,
    _ordered,
    _proposed,
    _consented,
    _given_up,
    _replaced,
    _result_ruled,
)
"""The rulings after an event about them; never refuses."""
