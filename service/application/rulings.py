"""Rulings: carries out those of moderators and organisers, once per request, and previews them."""

from typing import Literal
from uuid import UUID, uuid4

from msgspec import UNSET, Struct
from msgspec.structs import replace

from domain.events import Event
from domain.game import Result
from domain.match_state import Match, fold
from domain.ruling_commands import ConsentToRuling, Rule, SecondRuling, WithdrawRuling
from domain.ruling_effects import effect
from domain.ruling_kinds import KindName
from domain.rulings import decide
from domain.tournament_state import Request
from projections.disclosure import MODERATOR, Viewer
from projections.rulings import RulingShown
from projections.rulings import rulings as seen_by
from projections.standings import Standing, with_result
from service.application.idempotency import IdempotencyStore, RecordRequest
from service.application.match_service import MatchService
from service.application.ruling_reader import RulingReader
from service.clock import Clock


class RulingAnswer(Struct, frozen=True):
    """What has become of a ruling: it is carried out, as public ruling `n` if it is public, or it
    waits for somebody."""

    ruling: str
    n: int | None
    kind: KindName
    status: Literal["carried_out", "pending"]


class RuledOnce(Struct, frozen=True):
    """The answer, and whether it is that to the same request before."""

    answer: RulingAnswer
    repeated: bool = False


class Outcome(Struct, frozen=True):
    """The result of a match, and the standings of its tournament; null where there is none."""

    result: Result | None
    standings: list[Standing] | None


class Preview(Struct, frozen=True):
    """What a ruling would change: the numbers of what it would undo, the first later input that
    would not be legal any more, result and standings before and after, and what each seat has
    learnt since then and keeps. No kind of ruling undoes anything yet."""

    before: Outcome
    after: Outcome
    undone: tuple[int, ...] = ()
    misfit: None = None
    learnt: tuple[int, ...] = ()


class RulingService:
    """Executes rulings through the match service."""

    def __init__(
        self,
        matches: MatchService,
        reader: RulingReader,
        idempotency: IdempotencyStore,
        clock: Clock,
    ) -> None:
        self._matches = matches
        self._reader = reader
        self._idempotency = idempotency
        self._clock = clock

    async def rule(
        self,
        match_id: UUID,
        command: Rule,
        request: Request | None = None,
        expected: frozenset[int] | None = None,
    ) -> RuledOnce:
        """Rules, or proposes the ruling if it needs a second person; once per request. The ruling's
        id is drawn here, in place of that of `command`.

        Raises Conflict, PreconditionFailed, UnknownMatch, Refused (`idempotency_key_reused`),
        RequestInFlight or StoreUnavailable.
        """

        async def find(ruling: UUID) -> RuledOnce | None:
            shown = await self._shown(match_id, str(ruling))
            if shown is None:
                return None
            # The first answer, whatever has become of the ruling since.
            first = shown if shown.proposed is UNSET else replace(shown, n=None, status="pending")
            return RuledOnce(_answer(first), repeated=True)

        async def create(ruling: UUID, record_request: RecordRequest) -> RuledOnce:
            await record_request()
            return await self._execute(match_id, replace(command, id=str(ruling)), expected)

        scope = f"rulings {match_id} {command.actor.person}"
        return await self._idempotency.once(request, uuid4(), find, create, scope)

    async def second(
        self,
        match_id: UUID,
        command: SecondRuling,
        request: Request | None,
        expected: frozenset[int] | None,
    ) -> RuledOnce:
        """Carries out a pending ruling, once per request. Raises as `rule` does."""

        async def find(_: UUID) -> RuledOnce | None:
            shown = await self._shown(match_id, command.id)
            done = shown is not None and shown.status == "carried_out"
            return RuledOnce(_answer(shown), repeated=True) if shown and done else None

        async def create(_: UUID, record_request: RecordRequest) -> RuledOnce:
            await record_request()
            return await self._execute(match_id, command, expected)

        scope = f"seconded {match_id} {command.id} {command.actor.person}"
        return await self._idempotency.once(request, uuid4(), find, create, scope)

    async def consent(self, match_id: UUID, command: ConsentToRuling) -> RuledOnce:
        """A seat consents to a pending ruling. Raises as `rule` does."""
        return await self._execute(match_id, command, None)

    async def withdraw(self, match_id: UUID, command: WithdrawRuling) -> None:
        """Gives up a pending ruling. Raises as `rule` does."""
        await self._matches.execute(match_id, command, MODERATOR)

    async def preview(self, match_id: UUID, command: Rule | SecondRuling) -> tuple[int, Preview]:
        """What a command would change if the ruling were carried out now, and the number of events
        of the match for which that holds. Raises Conflict and UnknownMatch as the command would."""
        loaded, seq = await self._reader.now(match_id)
        match, game, at = loaded.match, loaded.game, max(self._clock.now(), loaded.at)
        decide(match, command, at)
        after = fold(game, match, _effect(match, command, at))
        standings = counted = await self._reader.standings(match)
        if standings is not None and after.result is not None:
            counted = with_result(standings, match.created.seats, after.result)
        return seq, Preview(Outcome(match.result, standings), Outcome(after.result, counted))

    async def listed(self, match_id: UUID, viewer: Viewer) -> list[RulingShown]:
        """The rulings that an audience sees. Raises UnknownMatch."""
        return seen_by(await self._reader.records(match_id, viewer))

    async def _execute(
        self,
        match_id: UUID,
        command: Rule | SecondRuling | ConsentToRuling,
        expected: frozenset[int] | None,
    ) -> RuledOnce:
        await self._matches.execute(match_id, command, MODERATOR, expected)
        shown = await self._shown(match_id, command.id)
        assert shown is not None, "it is on record"
        return RuledOnce(_answer(shown))

    async def _shown(self, match_id: UUID, ruling: str) -> RulingShown | None:
        """The ruling as moderators see it; None if it is not on record."""
        listed = await self.listed(match_id, MODERATOR)
        return next((one for one in listed if one.ruling == ruling), None)


def _answer(shown: RulingShown) -> RulingAnswer:
    status: Literal["carried_out", "pending"] = (
        "carried_out" if shown.status == "carried_out" else "pending"
    )
    assert shown.ruling is not None, "moderators know the ids of all rulings"
    return RulingAnswer(shown.ruling, shown.n, shown.kind, status)


def _effect(match: Match, command: Rule | SecondRuling, at: int) -> list[Event]:
    """What the ruling gives when it is carried out."""
    if isinstance(command, Rule):
        return effect(match, command.ruling, command.actor, at)
    pending = match.rulings.waiting(command.id)
    assert pending is not None, "it could be seconded"
    return effect(match, pending.ruling, command.actor, at)
