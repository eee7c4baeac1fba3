"""A case: the events of its own stream, what gives them, and what follows from them (/docs/cases).
The tags are the storage format.

They are no events of the match: what a case adds to the record of its match or tournament is in
`on_record`, and who reads a case is said by `projections.cases`. To the store they are sealed.
"""

from collections.abc import Iterable, Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct, field
from msgspec.structs import replace

from domain.events import Event, Record, SealedEvent, later
from domain.match.commands import Conflict, check_judge
from domain.match.deadlines import DAY
from domain.people import Actor

Said = Annotated[str, Meta(min_length=1, max_length=2_000)]

Role = Literal["seat", "player", "moderator", "organiser"]


class Speaker(Struct, frozen=True):
    """Who says something in a case: a `party`, which is a seat of the match or a player of the
    tournament, or else a moderator or an organiser. `key_id` is the id of the key, `by` the name
    for which it was issued, None for a key without one."""

    role: Role
    party: int | None
    by: str | None
    key_id: str | None


class Attachment(Struct, frozen=True, forbid_unknown_fields=True):
    """What is kept elsewhere: its SHA-256 in lower-case hexadecimal, and what it is called."""

    sha256: Annotated[
        str,
        Meta(
            pattern=r"^[0-9a-f]{64}(?!\n)$",
            description="The SHA-256 of the content, in lower-case hexadecimal",
        ),
    ]
    name: Annotated[str, Meta(min_length=1, max_length=200)] | None = None


class AboutTournament(Struct, frozen=True, forbid_unknown_fields=True):
    """What in a tournament a case is about: a pairing of a round, a place or a penalty in a stage,
    or a player. At least one is named, and a round with its stage."""

    stage: Annotated[int, Meta(ge=1, description="The stage, from 1")] | None = None
    round: Annotated[int, Meta(ge=1, description="The round of the stage, from 1")] | None = None
    player: Annotated[int, Meta(ge=0, description="The number of the player")] | None = None

    def __post_init__(self) -> None:
        if self.stage is None and (self.round is not None or self.player is None):
            raise ValueError("name a player, a stage, or a round with its stage")


About = int | AboutTournament | None
"""What a case is about: the event at this position of the match's record, something in the
tournament, or none."""


class CaseOpened(SealedEvent, frozen=True, tag="case.opened.1"):
    """The first event: a case of the match or the tournament with this id, which is stored as
    `match`. The seat or the player that opened it is a party."""

    subject: str = field(name="match")
    about: About
    speaker: Speaker
    says: str


class CaseStated(SealedEvent, frozen=True, tag="case.stated.1"):
    """Something was said. `id` is random, so that a repeated request finds what it has recorded."""

    id: str
    speaker: Speaker
    says: str
    attachment: Attachment | None


class PartyAdded(SealedEvent, frozen=True, tag="case.party-added.1"):
    """A moderator made a seat or a player a party: it reads all of the case, and speaks in it."""

    party: int
    actor: Actor


class CasePublished(SealedEvent, frozen=True, tag="case.published.1"):
    """An organiser lets everyone read the case from now on, all of it."""

    actor: Actor


class CaseClosed(SealedEvent, frozen=True, tag="case.closed.1"):
    """The case is closed, by the ruling with this id or by a `note`. `people` are those who gave
    either (see `Actor.person`)."""

    ruling: str | None
    note: str | None
    by: str | None
    people: tuple[str, ...]


class CaseAppealed(SealedEvent, frozen=True, tag="case.appealed.1"):
    """A party appealed against how the case was closed: it is open again."""

    speaker: Speaker
    says: str


class CaseListed(SealedEvent, frozen=True, tag="case.listed.1"):
    """An audience can read this case from now on. It stands in the list of that audience, a stream
    of its own, so that no one reads in the lists of others."""

    subject: str = field(name="match")
    case: str


CaseStreamEvent = (
    CaseOpened | CaseStated | PartyAdded | CasePublished | CaseClosed | CaseAppealed | CaseListed
)


class Case(Struct, frozen=True):
    """A case. `people` have closed it; `closed_at` is when it was closed last, in microseconds,
    None while it is open. `said` is how many bytes each party has said in it."""

    about: About
    parties: tuple[int, ...]
    public: bool = False
    closed_at: int | None = None
    appealed: bool = False
    people: tuple[str, ...] = ()
    said: tuple[tuple[int, int], ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether it waits to be closed."""
        return self.closed_at is None

    def said_by(self, party: int) -> int:
        """How many bytes the party has said in it."""
        return sum(size for speaker, size in self.said if speaker == party)


def size_of(event: CaseOpened | CaseStated | CaseAppealed) -> int:
    """The bytes of an event as it is stored."""
    return len(msgspec.msgpack.encode(event))


def open_case(event: CaseOpened) -> Case:
    """A case that has just been opened."""
    party = event.speaker.party
    case = Case(event.about, () if party is None else (party,))
    return _add_statement(case, event)


def evolve(case: Case, event: Event, at: int) -> Case:
    """The case after an event that is not its first, recorded at `at`; never refuses."""
    match event:
        case CaseStated():
            return _add_statement(case, event)
        case PartyAdded(party):
            return replace(case, parties=(*case.parties, party))
        case CasePublished():
            return replace(case, public=True)
        case CaseClosed(people=people):
            return replace(case, closed_at=at, people=(*case.people, *people))
        case CaseAppealed():
            return replace(_add_statement(case, event), closed_at=None, appealed=True)
    return case


def fold_case(records: Sequence[Record[Event]]) -> Case:
    """A case from its whole record, which begins with its opening."""
    first, *rest = records
    assert isinstance(first.event, CaseOpened), "a case is opened by its first event"
    case = open_case(first.event)
    for record in rest:
        case = evolve(case, record.event, record.at)
    return case


def _add_statement(case: Case, event: CaseOpened | CaseStated | CaseAppealed) -> Case:
    party = event.speaker.party
    return case if party is None else replace(case, said=(*case.said, (party, size_of(event))))


MOST_OPEN = 10
"""Maximum open cases of a match to which one seat is a party, or of a tournament to which one
player is, beyond which they open no other."""

SEAT_BYTES = 64 * 1024
"""Maximum bytes that one seat says in all cases of a match, or one player in those of a
tournament."""

APPEAL_TIME = DAY
"""Microseconds for which a closed case can be appealed."""


def appeal_until(case: Case) -> int | None:
    """Until when the case can be appealed, in microseconds; None if it cannot be."""
    if case.closed_at is None or case.appealed:
        return None
    return later(case.closed_at, APPEAL_TIME)


def state(case: Case, event: CaseStated) -> list[CaseStated]:
    """A party or a moderator says something. Raises Conflict."""
    _check_open(case)
    return [event]


def add_party(case: Case, party: int, actor: Actor) -> list[PartyAdded]:
    """A moderator makes a seat or a player a party; nothing happens if it is one. Raises
    Conflict."""
    _check_open(case)
    return [] if party in case.parties else [PartyAdded(party, actor)]


def publish(case: Case, actor: Actor) -> list[CasePublished]:
    """An organiser lets everyone read the case; nothing happens if they can."""
    return [] if case.public else [CasePublished(actor)]


def close(case: Case, players: Iterable[str], note: str, actor: Actor) -> list[CaseClosed]:
    """A moderator or an organiser closes the case by a note: none of the `players`, nor anyone who
    has closed the case before. Raises Conflict."""
    _check_open(case)
    check_judge(actor, players, case.people)
    return [CaseClosed(None, note, actor.by, (actor.person,))]


def closed_by_ruling(case: Case, ruling: str, people: tuple[str, ...]) -> list[CaseClosed]:
    """A ruling of these people closes the case. Raises Conflict."""
    _check_open(case)
    return [CaseClosed(ruling, None, None, people)]


def appeal(case: Case, event: CaseAppealed, at: int) -> list[CaseAppealed]:
    """A party appeals at `at` against how the case was closed. Raises Conflict."""
    if case.appealed:
        raise Conflict("already_appealed")
    until = appeal_until(case)
    if until is None:
        raise Conflict("case_open")
    if at >= until:
        raise Conflict("appeal_too_late")
    return [event]


def _check_open(case: Case) -> None:
    if not case.is_open:
        raise Conflict("case_closed")
