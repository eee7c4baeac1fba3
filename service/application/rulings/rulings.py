"""Rulings of moderators, organisers and seats, once per request, whatever they are about."""

from collections.abc import Awaitable, Callable
from typing import Generic, NamedTuple, TypeVar
from uuid import UUID, uuid4

from msgspec import Struct
from msgspec.structs import replace

from domain.rulings.commands import ConsentToRuling, Rule, SecondRuling, WithdrawRuling
from domain.rulings.state import Rulings
from domain.tournament.state import KeyedRequest
from projections.audience.disclosure import MODERATOR, Viewer
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
    made = () if pending.person is None else (pending.person,)
    return pending.case, (*made, *seconds)


def seconded_by_another(rulings: Rulings, command: Ruling) -> bool:
    """Whether another person has carried out what this command seconds."""
    people = rulings.people(command.id)
    return isinstance(command, SecondRuling) and command.actor.person not in people


class RuledOnce(Struct, Generic[A], frozen=True):
    """The answer, and whether it is that to the same request before."""

    answer: A
    repeated: bool = False


async def ruled_once(
    idempotency: IdempotencyStore,
    command: Ruling,
    request: KeyedRequest | None,
    answered: Callable[[Ruling], Awaitable[A | None]],
    carry_out: Callable[[Ruling, RecordRequest], Awaitable[A]],
) -> RuledOnce[A]:
    """Rules, seconds a ruling or consents to it, once per request; it is carried out, or waits for
    someone. The id of a new ruling is drawn here, in place of that of `command`. `answered` finds
    the answer that a command on record has had.

    Raises what `carry_out` does, Refused and RequestInFlight.
    """

    def chosen(ruling: UUID) -> Ruling:
        return replace(command, id=str(ruling)) if isinstance(command, Rule) else command

    async def find(ruling: UUID) -> RuledOnce[A] | None:
        known = await answered(chosen(ruling))
        return None if known is None else RuledOnce(known, repeated=True)

    async def create(ruling: UUID, record_request: RecordRequest) -> RuledOnce[A]:
        return RuledOnce(await carry_out(chosen(ruling), record_request))

    return await idempotency.once(request, uuid4(), find, create)
