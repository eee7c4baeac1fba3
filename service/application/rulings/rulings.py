"""Rulings of moderators, organisers and seats, once per request, whatever they are about; what has
become of one, and what one would change."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Generic, Literal, NamedTuple, TypeVar
from uuid import UUID, uuid4

from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import replace

from domain.events import Event, Record, batch
from domain.match.replay import after_command
from domain.match.state import AnyGame, Match
from domain.rulings.commands import (
    ConsentToRuling,
    LooksBack,
    Past,
    Rule,
    SecondRuling,
    WithdrawRuling,
)
from domain.rulings.decide import decide
from domain.rulings.effects import effect
from domain.rulings.kinds import AnyRuling, KindName, Rewind
from domain.rulings.looking_back import learned_since
from domain.rulings.rewinding import Misfit, rewind_match
from domain.rulings.state import Rulings
from domain.tournament.state import KeyedRequest
from projections.audience.disclosure import MODERATOR, Viewer
from projections.audience.results import ShownResult
from projections.audience.view import View, see_live, view
from projections.fields import PublicSeq, Seat
from projections.rulings.match_rulings import RulingShown
from projections.tournaments.stage_standings import StageStandings
from projections.tournaments.standings import Standing
from service.application.idempotency import IdempotencyStore, RecordRequest

A = TypeVar("A")

Ruling = Rule | SecondRuling | ConsentToRuling
"""The commands that may carry a ruling out."""

Expected = frozenset[int] | None
"""The versions of what is ruled on at which it was previewed; None for any."""


class RulingSender(NamedTuple):
    """Who sends a ruling, and as which audience they preview it and are answered. Only organisers
    are told at which match someone has looked, and may allow it, for a reason."""

    organiser: bool = False
    has_looked_reason: str | None = None
    viewer: Viewer = MODERATOR


NOBODY = RulingSender()
"""A sender who may allow nothing."""


def closed_case(
    rulings: Rulings, command: Ruling | WithdrawRuling
) -> tuple[str | None, tuple[str, ...]]:
    """The case that a ruling closes when this command carries it out, if any, and those who give
    it."""
    if isinstance(command, Rule):
        return command.case, (command.actor.person,)
    pending = rulings.waiting(command.id)
    if pending is None:
        return None, ()
    seconds = (command.actor.person,) if isinstance(command, SecondRuling) else ()
    proposers = () if pending.person is None else (pending.person,)
    return pending.case, (*proposers, *seconds)


def seconded_by_another(rulings: Rulings, command: Ruling) -> bool:
    """Whether another person has carried out what this command seconds."""
    people = rulings.people(command.id)
    return isinstance(command, SecondRuling) and command.actor.person not in people


class RuledOnce(Struct, Generic[A], frozen=True):
    """The answer, and whether it is that to the same request before."""

    answer: A
    repeated: bool = False


async def rule_once(
    idempotency: IdempotencyStore,
    command: Ruling,
    request: KeyedRequest | None,
    find_answer: Callable[[Ruling], Awaitable[A | None]],
    carry_out: Callable[[Ruling, RecordRequest], Awaitable[A]],
) -> RuledOnce[A]:
    """Rules, seconds a ruling or consents to it, once per request; it is carried out, or waits for
    someone. The id of a new ruling is drawn here, in place of that of `command`. `find_answer`
    finds the answer that a command on record has had.

    Raises what `carry_out` does, Refused and RequestInFlight.
    """

    def with_id(ruling: UUID) -> Ruling:
        return replace(command, id=str(ruling)) if isinstance(command, Rule) else command

    async def find(ruling: UUID) -> RuledOnce[A] | None:
        answer = await find_answer(with_id(ruling))
        return None if answer is None else RuledOnce(answer, repeated=True)

    async def create(ruling: UUID, record_request: RecordRequest) -> RuledOnce[A]:
        return RuledOnce(await carry_out(with_id(ruling), record_request))

    return await idempotency.once(request, uuid4(), find, create)


class RulingAnswer(Struct, frozen=True):
    """What has become of a ruling: it is carried out, as public ruling `n` if it is public, or it
    waits for someone. `key` is there when someone has taken over a seat: the key to it, which is
    shown once to the person who carries the ruling out. `note` is the signed receipt for what was
    ordered; null for a seat, which asks or consents."""

    ruling: str
    n: int | None
    kind: KindName
    status: Literal["carried_out", "pending"]
    key: str | UnsetType | None = UNSET
    note: str | None = None


class Outcome(Struct, frozen=True):
    """The result of a match, and the standings of its tournament; null where there is none. For a
    ruling on a tournament also those of the `stage` that it concerns, if it concerns one."""

    result: ShownResult | None
    standings: list[Standing] | None
    stage: StageStandings | UnsetType = UNSET


class MisfitShown(Struct, frozen=True):
    """The first later input that would not be legal any more, by its `seq` in the moderators' view
    and, if it is public, its number in the public's count; and the code of why."""

    seq: int
    public_seq: PublicSeq
    code: str


class Learnt(Struct, frozen=True):
    """What a seat has received from the event on before which a match goes on, and keeps: numbers
    of events in the moderators' view. What the seat sent itself is not among them."""

    seat: Seat
    events: tuple[int, ...]


class Preview(Struct, frozen=True):
    """What a ruling would change: the events that it would undo, the first later input that would
    not be legal any more, result and standings before and after, and what each seat has learned
    since then and keeps. Events are named by their `seq` in the moderators' view. Of a rewind
    `position` is the match as moderators would see it right after it."""

    before: Outcome
    after: Outcome
    undone: Annotated[
        tuple[int, ...], Meta(description="The numbers of the events that would be undone")
    ] = ()
    misfit: Annotated[
        MisfitShown | None,
        Meta(
            description="The first later action that would not be legal any more; null without one"
        ),
    ] = None
    learnt: tuple[Learnt, ...] = ()
    people: Annotated[
        int | UnsetType, Meta(description="How many people it takes to carry it out")
    ] = UNSET
    position: Annotated[
        View | UnsetType, Meta(description="Where a rewind would leave the match")
    ] = UNSET


def answer_of(ruling: RulingShown) -> RulingAnswer:
    """The answer to the person who ruled, from the ruling as moderators see it."""
    status: Literal["carried_out", "pending"] = (
        "carried_out" if ruling.status == "carried_out" else "pending"
    )
    assert ruling.ruling is not None, "moderators know the ids of all rulings"
    return RulingAnswer(ruling.ruling, ruling.n, ruling.kind, status)


def as_answered(ruling: RulingShown, command: LooksBack) -> RulingShown | None:
    """The ruling as the first answer to this command has shown it, whatever has become of it since;
    None if the command is not on record."""
    pending = replace(ruling, n=None, status="pending")
    if isinstance(command, Rule):
        at_once = ruling.proposed is UNSET and command.actor.seat is UNSET
        return ruling if at_once else pending
    if isinstance(command, SecondRuling):
        return ruling if ruling.status == "carried_out" else None
    consents = ruling.consents or ()
    if command.seat not in consents:
        return None
    # What came after the seat's own consent is not told; the last one carried it out.
    last = consents[-1] == command.seat and len(ruling.by or ()) == 1
    return ruling if last and ruling.status == "carried_out" else pending


class Foreseen(NamedTuple):
    """The match after a ruling, the events of its effect, and the first later input that would not
    be legal any more."""

    match: Match
    events: list[Event]
    misfit: Misfit | None = None


def foresee(game: AnyGame, match: Match, command: Rule | SecondRuling, at: int) -> Foreseen:
    """What a ruling would give if it were carried out at `at`. Raises Conflict as the command
    would."""
    decide(game, match, command, at)
    ruling = ruling_of(match, command)
    assert ruling is not None, "it could be decided"
    if isinstance(ruling, Rewind) and command.past is not None:
        rewinding = rewind_match(game, match, ruling, command.past, at)
        after = after_command(game, match, command, rewinding.events)
        return Foreseen(after, rewinding.events, rewinding.misfit)
    effects = effect(game, match, ruling, command.actor, at)
    return Foreseen(after_command(game, match, command, effects), effects)


def learnt_by_seats(
    game: AnyGame, match: Match, records: Sequence[Record[Event]], past: Past
) -> tuple[Learnt, ...]:
    """What each seat has learned from the point of a rewind on."""
    start = past.start or len(records) + 1
    by_seat = learned_since(records, start, match.created.seats, game.sealed_phase)
    return tuple(Learnt(seat, events) for seat, events in enumerate(by_seat))


def position_after(
    match: Match, records: Sequence[Record[Event]], events: Sequence[Event], at: int
) -> View:
    """The match as moderators would see it after its whole record and the effect of a rewind."""
    whole = [*records, *batch(events, at)]
    state = see_live(MODERATOR, range(1, len(whole) + 1), whole)
    return view(match.id, match.created.game, state)


def ruling_of(match: Match, command: LooksBack) -> AnyRuling | None:
    """The ruling that the command is about; None if none is pending under its id."""
    if isinstance(command, Rule):
        return command.ruling
    pending = match.rulings.waiting(command.id)
    return None if pending is None else pending.ruling
