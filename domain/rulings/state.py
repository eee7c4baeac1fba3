"""The rulings on a match or a tournament, folded from its events: who ruled what, and what is
pending."""

from typing import TypeVar

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import asdict, replace

from domain.events import Event, Instant
from domain.people import Actor
from domain.rulings.events import (
    MatchRuled,
    ResultRuled,
    RulingConsented,
    RulingLapsed,
    RulingOrdered,
    RulingProposed,
    RulingWithdrawn,
    SeatReplaced,
)
from domain.rulings.kinds import AnyRuling, Correction, Note, ReplaceMatch, Rewind, TournamentRuling
from domain.tournament.events import (
    TournamentDirected,
    TournamentRuled,
    TournamentRulingOrdered,
    TournamentRulingProposed,
)


class PendingRuling(Struct, frozen=True):
    """A ruling that waits for a second person, or for the seats if they were asked. `person` made
    it (see `Actor.person`), or the seat `asker`; `consents` are the seats that have consented, in
    order. `by` is the name of the person who made it; None for a key without a name."""

    id: str
    ruling: AnyRuling
    reason: str
    rule: str | None
    appeals: str | None
    case: str | None
    lapses: Instant
    ask_seats: bool = False
    person: str | None = None
    by: tuple[str | None, ...] = ()
    asker: int | UnsetType = UNSET
    consents: tuple[int, ...] = ()


class PastRuling(Struct, frozen=True):
    """A ruling that was carried out for the audience `to` (`public`, `seat:N`, `sealed`), as public
    ruling `n`, by these `people`; if `to` is None it was withdrawn or has lapsed. `asked`: the
    seats were asked for their consent. `proposed`: it was pending at first. `ruling` is what it
    orders, where it is one on a tournament. `by` are the names of who proposed it and who carried
    it out, None for a key without one."""

    id: str
    to: str | None = None
    n: int | None = None
    people: tuple[str, ...] = ()
    asked: bool = False
    proposed: bool = False
    ruling: AnyRuling | None = None
    by: tuple[str | None, ...] = ()


class Rulings(Struct, frozen=True):
    """The rulings on a match or a tournament. `n` is the number of public ones, `director` who last
    directed it, None right after a consent."""

    n: int = 0
    pending: tuple[PendingRuling, ...] = ()
    past: tuple[PastRuling, ...] = ()
    director: Actor | None = None

    def asked_by(self, seat: int) -> bool:
        """Whether a ruling for which this seat asks is pending."""
        return any(pending.asker == seat for pending in self.pending)

    def waiting(self, ruling: str) -> PendingRuling | None:
        """The pending ruling of this id."""
        return next((pending for pending in self.pending if pending.id == ruling), None)

    def was(self, ruling: str) -> PastRuling | None:
        """The ruling of this id that is not pending any more."""
        return next((past for past in self.past if past.id == ruling), None)

    def number(self, ruling: str) -> int | None:
        """The number of the ruling of this id; None if it has no public one."""
        past = self.was(ruling)
        return None if past is None else past.n

    def people(self, ruling: str | None) -> tuple[str, ...]:
        """Those who have carried out the ruling of this id; no one without one."""
        past = None if ruling is None else self.was(ruling)
        return () if past is None else past.people

    def knows(self, ruling: str) -> bool:
        """Whether this id has been used."""
        return self.waiting(ruling) is not None or self.was(ruling) is not None

    def ruling_of(self, ruling: str) -> AnyRuling | None:
        """What the ruling of this id on a tournament orders; None if there is none."""
        waiting, was = self.waiting(ruling), self.was(ruling)
        if waiting is not None:
            return waiting.ruling
        return None if was is None else was.ruling


class MatchRulings(Rulings, frozen=True):
    """Those of a match. `replaced` are the seats that another person has taken over, in order.
    `result_ruled`: the result is a ruling's, because of an absence if it is `forfeited`. `branch`
    is the number of rewinds."""

    replaced: tuple[int, ...] = ()
    result_ruled: bool = False
    forfeited: bool = False
    branch: int = 0


R = TypeVar("R", bound=Rulings)


def audience_of(ruling: AnyRuling) -> str:
    """For whom a ruling is: all are public but notes, and what changes only the submissions of a
    sealed phase that is open."""
    if isinstance(ruling, Rewind) and ruling.in_open_phase:
        return "sealed"
    return ruling.to if isinstance(ruling, Note) else "public"


def match_of(ruling: AnyRuling | None) -> str | None:
    """The match of a tournament about which a ruling is."""
    return ruling.match if isinstance(ruling, Correction | ReplaceMatch) else None


def directed(rulings: R, actor: Actor) -> R:
    """After what says who gave an input: of a ruling just proposed it says who made it."""
    *before, last = rulings.pending or (None,)
    if last is not None and last.person is None:
        proposal = replace(last, person=actor.person, by=(actor.by,), asker=actor.seat)
        rulings = replace(rulings, pending=(*before, proposal))
    return replace(rulings, director=actor)


def fold_rulings(rulings: R, event: Event) -> R:
    """The rulings after an event about them; never refuses."""
    match event:
        case MatchRuled(n) | TournamentRuled(n):
            return replace(rulings, n=n)
        case TournamentDirected():
            return directed(rulings, Actor.of(event))
        case RulingOrdered() | TournamentRulingOrdered():
            return _ordered(rulings, event)
        case RulingProposed() | TournamentRulingProposed():
            return replace(rulings, pending=(*rulings.pending, PendingRuling(**asdict(event))))
        case RulingConsented():
            return _consented(rulings, event)
        case RulingWithdrawn(ruling) | RulingLapsed(ruling):
            past = PastRuling(ruling, ruling=_of_tournament(rulings.ruling_of(ruling)))
            return _close(rulings, _past(rulings.waiting(ruling), past))
        case SeatReplaced(seat) if isinstance(rulings, MatchRulings):
            return replace(rulings, replaced=(*rulings.replaced, seat))
        case ResultRuled(because=because):
            return replace(rulings, result_ruled=True, forfeited=because == "forfeit")
    return rulings


def _ordered(rulings: R, event: RulingOrdered | TournamentRulingOrdered) -> R:
    """Carried out: by the one who directed it now and, if it was pending, the one who made it."""
    waiting, to = rulings.waiting(event.id), audience_of(event.ruling)
    proposer, by = (None, ()) if waiting is None else (waiting.person, waiting.by)
    carrier = rulings.director
    people = dict.fromkeys((proposer, None if carrier is None else carrier.person))
    past = PastRuling(
        event.id,
        to,
        rulings.n if to == "public" else None,
        tuple(person for person in people if person is not None),
        ruling=_of_tournament(event.ruling),
        by=by if carrier is None else (*by, carrier.by),
    )
    return _close(rulings, _past(waiting, past))


def _of_tournament(ruling: AnyRuling | None) -> AnyRuling | None:
    """What a ruling on a tournament orders: those on a match are read from its record."""
    return ruling if isinstance(ruling, TournamentRuling) else None


def _consented(rulings: R, event: RulingConsented) -> R:
    pending = tuple(
        replace(ruling, consents=(*ruling.consents, event.giver))
        if ruling.id == event.id
        else ruling
        for ruling in rulings.pending
    )
    return replace(rulings, pending=pending, director=None)


def _past(waiting: PendingRuling | None, past: PastRuling) -> PastRuling:
    """With what is known of it because it was pending."""
    return past if waiting is None else replace(past, asked=waiting.ask_seats, proposed=True)


def _close(rulings: R, past: PastRuling) -> R:
    pending = tuple(ruling for ruling in rulings.pending if ruling.id != past.id)
    return replace(rulings, pending=pending, past=(*rulings.past, past))
