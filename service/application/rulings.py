"""Rulings: carries out those of moderators, organisers and seats, once per request, whatever they
are about."""

from abc import ABC, abstractmethod
from typing import Generic, TypeVar
from uuid import UUID, uuid4

from msgspec import Struct
from msgspec.structs import replace

from domain.ruling_commands import ConsentToRuling, Rule, SecondRuling, WithdrawRuling
from domain.tournament import OverrideLook
from domain.tournament_state import Request
from service.application.idempotency import IdempotencyStore, RecordRequest
from service.application.ruling_answers import Preview
from service.application.succession import Sender

A = TypeVar("A")

Ruling = Rule | SecondRuling | ConsentToRuling
"""The commands that may carry a ruling out."""

Expected = frozenset[int] | None
"""The versions of what is ruled on at which it was previewed; None for any."""

NOBODY = Sender()
"""A sender who may allow nothing."""


class RuledOnce(Struct, Generic[A], frozen=True):
    """The answer, and whether it is that to the same request before."""

    answer: A
    repeated: bool = False


class RulingService(ABC, Generic[A]):
    """Executes rulings on the matches of a store, or on its tournaments: what differs between them
    is in a class of each.

    All of it raises Conflict, Refused, PreconditionFailed, UnknownMatch, UnknownTournament,
    RecordAltered and StoreUnavailable; HasLooked for a seat that somebody is to take over.
    """

    def __init__(self, idempotency: IdempotencyStore) -> None:
        self._idempotency = idempotency

    async def execute(
        self,
        subject: UUID,
        command: Ruling,
        request: Request | None = None,
        expected: Expected = None,
        sender: Sender = NOBODY,
    ) -> RuledOnce[A]:
        """Rules, seconds a ruling or consents to it, once per request; it is carried out, or
        waits for somebody. The id of a new ruling is drawn here, in place of that of `command`.
        `expected` are the versions of the subject at which it was previewed.

        Raises RequestInFlight, too.
        """

        async def find(chosen: UUID) -> RuledOnce[A] | None:
            known = await self._answered(subject, _chosen(command, chosen))
            return None if known is None else RuledOnce(known, repeated=True)

        async def create(chosen: UUID, record_request: RecordRequest) -> RuledOnce[A]:
            mine = _chosen(command, chosen)
            first = await self._check(subject, mine, expected, sender)
            await record_request()
            return RuledOnce(await self._carry_out(subject, mine, expected, first))

        return await self._idempotency.once(request, uuid4(), find, create)

    @abstractmethod
    async def withdraw(self, subject: UUID, command: WithdrawRuling) -> None:
        """Gives up a pending ruling."""

    @abstractmethod
    async def preview(
        self, subject: UUID, command: Rule | SecondRuling, sender: Sender = NOBODY
    ) -> tuple[int, Preview]:
        """What a command would change if the ruling were carried out now, and the version of the
        subject for which that holds."""

    @abstractmethod
    async def _answered(self, subject: UUID, command: Ruling) -> A | None:
        """The answer that this command has had; None if it is not on record."""

    @abstractmethod
    async def _check(
        self, subject: UUID, command: Ruling, expected: Expected, sender: Sender
    ) -> OverrideLook | None:
        """What has to be recorded before the command, if anything. Raises what can be found out
        before the request is recorded."""

    @abstractmethod
    async def _carry_out(
        self, subject: UUID, command: Ruling, expected: Expected, first: OverrideLook | None
    ) -> A:
        """Executes a command, after what has to be recorded `first`."""


def _chosen(command: Ruling, chosen: UUID) -> Ruling:
    """The command; of a new ruling with the id chosen for it."""
    return replace(command, id=str(chosen)) if isinstance(command, Rule) else command
