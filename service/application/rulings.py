"""Rulings: carries out those of moderators and organisers, once per request, and previews them."""

import asyncio
from functools import partial
from typing import TypeVar
from uuid import UUID, uuid4

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from domain.commands import Conflict
from domain.match_state import Match
from domain.people import Actor
from domain.ruling_commands import ConsentToRuling, LooksBack, Rule, SecondRuling, WithdrawRuling
from domain.ruling_kinds import ReplaceSeat, Rewind, VoidMatch
from domain.rulings import PENDING, decide
from domain.seat_holders import first_holders, people_in
from domain.tournament import OverrideLook
from domain.tournament_state import Request
from projections.disclosure import MODERATOR
from projections.results import result_of
from projections.rulings import RulingShown
from projections.standings import with_result
from service.application.case_service import CaseService
from service.application.command_queue import PreconditionFailed
from service.application.decision import PastChanged
from service.application.idempotency import IdempotencyStore, RecordRequest
from service.application.loaded_match import LoadedMatch
from service.application.match_service import MatchService
from service.application.ruling_answers import (
    MisfitShown,
    Outcome,
    Preview,
    RuledOnce,
    RulingAnswer,
    answer_of,
    foreseen,
    ruling_of,
    was_last,
)
from service.application.ruling_lists import RulingLists
from service.application.ruling_reader import RulingReader
from service.application.succession import Sender, Succession
from service.clock import Clock
from service.event_store.alongside import Alongside
from service.event_store.errors import StoreUnavailable, UnknownMatch

C = TypeVar("C", bound=LooksBack)

TRIES = 20
"""Attempts at a rewind while the record grows: a consent has no preview that would be out of
date."""

NOBODY = Sender()
"""A sender who may allow nothing."""


class RulingService:
    """Executes rulings through the match service."""

    def __init__(
        self,
        matches: MatchService,
        reader: RulingReader,
        lists: RulingLists,
        idempotency: IdempotencyStore,
        cases: CaseService,
        clock: Clock,
        succession: Succession,
    ) -> None:
        self._matches = matches
        self._reader = reader
        self._lists = lists
        self._succession = succession
        self._idempotency = idempotency
        self._cases = cases
        self._clock = clock

    async def rule(
        self,
        match_id: UUID,
        command: Rule,
        request: Request | None = None,
        expected: frozenset[int] | None = None,
        sender: Sender = NOBODY,
    ) -> RuledOnce:
        """Rules, or proposes the ruling if it needs a second person; once per request. The ruling's
        id is drawn here, in place of that of `command`.

        Raises Conflict, PreconditionFailed, UnknownMatch, Refused (`idempotency_key_reused`,
        `moderator_plays`), HasLooked, RequestInFlight or StoreUnavailable.
        """

        async def find(ruling: UUID) -> RuledOnce | None:
            shown = await self._shown(match_id, str(ruling))
            if shown is None:
                return None
            # The first answer, whatever has become of the ruling since.
            if shown.proposed is not UNSET:
                return RuledOnce(answer_of(replace(shown, n=None, status="pending")), repeated=True)
            return RuledOnce(await self._with_key(match_id, shown, command.actor), repeated=True)

        async def create(ruling: UUID, record_request: RecordRequest) -> RuledOnce:
            mine = replace(command, id=str(ruling))
            override = await self._check(match_id, mine, sender, expected)
            await record_request()
            await self._succession.record(match_id, override)
            return await self._execute(match_id, mine, expected)

        return await self._idempotency.once(request, uuid4(), find, create)

    async def second(
        self,
        match_id: UUID,
        command: SecondRuling,
        request: Request | None,
        expected: frozenset[int] | None,
        sender: Sender = NOBODY,
    ) -> RuledOnce:
        """Carries out a pending ruling, once per request. Raises as `rule` does."""

        async def find(_: UUID) -> RuledOnce | None:
            shown = await self._shown(match_id, command.id)
            if shown is None or shown.status != "carried_out":
                return None
            actor = command.actor if (shown.by or ())[-1:] == (command.actor.by,) else None
            return RuledOnce(await self._with_key(match_id, shown, actor), repeated=True)

        async def create(_: UUID, record_request: RecordRequest) -> RuledOnce:
            await self._decidable(match_id, command, expected)
            override = await self._check(match_id, command, sender, expected)
            await record_request()
            await self._succession.record(match_id, override)
            return await self._execute(match_id, command, expected)

        return await self._idempotency.once(request, uuid4(), find, create)

    async def consent(
        self, match_id: UUID, command: ConsentToRuling, request: Request | None = None
    ) -> RuledOnce:
        """A seat consents to a pending ruling, once per request. Raises as `rule` does."""

        async def find(_: UUID) -> RuledOnce | None:
            shown = await self._shown(match_id, command.id)
            given = None if shown is None or shown.consents is UNSET else shown.consents
            if shown is None or not given or command.seat not in given:
                return None
            # What came after the seat's own consent is not told.
            last = shown.status == "carried_out" and was_last(shown, command.seat)
            first = shown if last else replace(shown, n=None, status="pending")
            return RuledOnce(answer_of(first), repeated=True)

        async def create(_: UUID, record_request: RecordRequest) -> RuledOnce:
            await self._decidable(match_id, command)
            await record_request()
            return await self._execute(match_id, command, None)

        return await self._idempotency.once(request, uuid4(), find, create)

    async def _decidable(
        self,
        match_id: UUID,
        command: SecondRuling | ConsentToRuling,
        expected: frozenset[int] | None = None,
    ) -> None:
        """Raises Conflict or PreconditionFailed if the command would be refused now: then nothing
        of the request is recorded."""
        loaded, seq = await self._reader.now(match_id)
        if expected is not None and seq not in expected:
            raise PreconditionFailed
        known = await self._with_past(match_id, loaded, command)
        ruling = ruling_of(loaded.match, command)
        if isinstance(ruling, VoidMatch):
            await self._check_replacement(loaded.match, ruling)
        decide(loaded.game, loaded.match, known, max(self._clock.now(), loaded.at))

    async def withdraw(self, match_id: UUID, command: WithdrawRuling) -> None:
        """Gives up a pending ruling. Raises as `rule` does."""
        await self._matches.execute(match_id, command, MODERATOR)

    async def preview(
        self, match_id: UUID, command: Rule | SecondRuling, sender: Sender = NOBODY
    ) -> tuple[int, Preview]:
        """What a command would change if the ruling were carried out now, and the number of events
        of the match for which that holds. Raises as the command would."""
        for _ in range(TRIES):
            loaded, seq = await self._reader.now(match_id)
            command = await self._with_past(match_id, loaded, command)
            if command.past is None or command.past.length == seq == loaded.length:
                break
        else:
            raise StoreUnavailable
        match, at = loaded.match, max(self._clock.now(), loaded.at)
        # A rewind may judge many inputs again.
        after, misfit = await asyncio.to_thread(foreseen, loaded.game, match, command, at)
        await self._check(match_id, command, sender, None)
        standings = counted = await self._reader.standings(match)
        if standings is not None and after.over and after.result is not None:
            counted = with_result(standings, first_holders(match), after.result)
        before = Outcome(result_of(match), standings)
        preview = Preview(before, Outcome(result_of(after), counted))
        past = command.past
        if past is None:
            return seq, preview
        learnt = await self._reader.learnt(match_id, match.created.seats, past)
        shown = None
        if misfit is not None:
            public = await self._reader.public_number(match_id, misfit.position)
            shown = MisfitShown(misfit.position, public, misfit.code)
        return seq, replace(preview, undone=past.undone, misfit=shown, learnt=learnt)

    async def _execute(
        self,
        match_id: UUID,
        command: Rule | SecondRuling | ConsentToRuling,
        expected: frozenset[int] | None,
    ) -> RuledOnce:
        case, people = await self._closes(match_id, command)
        for _ in range(TRIES):
            loaded, _ = await self._reader.now(match_id)
            known = await self._with_past(match_id, loaded, command)
            if known.past is not None and known.past.fault is None:
                await self._reader.begin_epoch(match_id)
            send = partial(self._sent, match_id, known, expected)
            try:
                if case is None:
                    await send()
                else:
                    await self._cases.closing(match_id, case, command.id, people, send)
            except PastChanged:
                continue
            break
        else:
            raise StoreUnavailable
        shown = await self._shown(match_id, command.id)
        assert shown is not None, "it is on record"
        by = None if isinstance(command, ConsentToRuling) else command.actor
        return RuledOnce(await self._with_key(match_id, shown, by))

    async def _sent(
        self,
        match_id: UUID,
        command: Rule | SecondRuling | ConsentToRuling,
        expected: frozenset[int] | None,
        alongside: Alongside | None = None,
    ) -> None:
        await self._matches.execute(match_id, command, MODERATOR, expected, alongside)

    async def _check(
        self,
        match_id: UUID,
        command: Rule | SecondRuling,
        sender: Sender,
        expected: frozenset[int] | None,
    ) -> OverrideLook | None:
        """What has to be recorded before somebody takes over a seat. Raises as the command would,
        Refused (`moderator_plays`) and HasLooked; Conflict if another match cannot replace this
        one."""
        loaded, seq = await self._reader.now(match_id)
        match, at = loaded.match, max(self._clock.now(), loaded.at)
        pending = match.rulings.waiting(command.id)
        ruling = command.ruling if isinstance(command, Rule) else pending and pending.ruling
        if isinstance(ruling, VoidMatch):
            await self._check_replacement(match, ruling)
        if not isinstance(ruling, ReplaceSeat):
            return None
        decide(loaded.game, match, command, at)
        if expected is not None and seq not in expected:
            raise PreconditionFailed
        proposed = 0 if pending is None else pending.lapses - PENDING
        return await self._succession.check(match_id, ruling, sender, command.actor, proposed)

    async def _check_replacement(self, match: Match, ruling: VoidMatch) -> None:
        """Raises Conflict unless the match that is to replace this one can: an unknown one is no
        different from one of others."""
        if ruling.replaced_by is None:
            return
        try:
            other = (await self._reader.now(UUID(ruling.replaced_by)))[0].match
        except UnknownMatch:
            raise Conflict("cannot_replace") from None
        of_others = people_in(match).isdisjoint(people_in(other))
        if other.id == match.id or other.status == "void" or of_others:
            raise Conflict("cannot_replace")

    async def _with_key(
        self, match_id: UUID, shown: RulingShown, actor: Actor | None
    ) -> RulingAnswer:
        """The answer, with the key to the seat if somebody has taken it over and `actor` carried
        that out."""
        answer = answer_of(shown)
        if shown.kind != "replace_seat" or answer.status == "pending":
            return answer
        ordered = msgspec.convert({"kind": shown.kind, **(shown.ordered or {})}, ReplaceSeat)
        key = await self._succession.key(match_id, UUID(answer.ruling), ordered, actor)
        return answer if actor is None else replace(answer, key=key)

    async def _with_past(self, match_id: UUID, loaded: LoadedMatch, command: C) -> C:
        """The command; of a rewind with what it looks back on now."""
        ruling = ruling_of(loaded.match, command)
        if not isinstance(ruling, Rewind):
            return command
        return replace(command, past=await self._reader.past(match_id, loaded, ruling))

    async def _closes(
        self, match_id: UUID, command: Rule | SecondRuling | ConsentToRuling
    ) -> tuple[str | None, tuple[str, ...]]:
        """The case that a ruling closes when this command carries it out, if any, and those who
        give it."""
        if isinstance(command, Rule):
            return command.case, (command.actor.person,)
        loaded, _ = await self._reader.now(match_id)
        pending = loaded.match.rulings.waiting(command.id)
        if pending is None:
            return None, ()
        seconds = (command.actor.person,) if isinstance(command, SecondRuling) else ()
        made = () if pending.person is None else (pending.person,)
        return pending.case, (*made, *seconds)

    async def _shown(self, match_id: UUID, ruling: str) -> RulingShown | None:
        """The ruling as moderators see it; None if it is not on record."""
        return await self._lists.find(match_id, MODERATOR, ruling)
