"""Rulings on matches: how they are decided, recorded, answered and previewed."""

import asyncio
from functools import partial
from typing import TypeVar
from uuid import UUID

import msgspec
from msgspec.structs import replace

from domain.commands import Conflict
from domain.match_state import Match
from domain.people import Actor
from domain.ruling_commands import ConsentToRuling, LooksBack, Rule, SecondRuling, WithdrawRuling
from domain.ruling_kinds import ReplaceSeat, Rewind, VoidMatch
from domain.ruling_life import PENDING
from domain.rulings import decide
from domain.seat_holders import first_holders, people_in
from domain.tournament import OverrideLook
from projections.disclosure import MODERATOR
from projections.results import result_of
from projections.rulings import RulingShown
from projections.standings import with_result
from service.application.case_service import CaseService
from service.application.command_queue import PreconditionFailed
from service.application.decision import PastChanged
from service.application.idempotency import IdempotencyStore
from service.application.loaded_match import LoadedMatch
from service.application.match_service import MatchService
from service.application.ruling_answers import (
    MisfitShown,
    Outcome,
    Preview,
    RulingAnswer,
    answer_of,
    as_answered,
    foreseen,
    ruling_of,
)
from service.application.ruling_lists import RulingLists
from service.application.ruling_reader import RulingReader
from service.application.rulings import NOBODY, Expected, Ruling, RulingService
from service.application.succession import Sender, Succession
from service.event_store.alongside import Alongside
from service.event_store.errors import StoreUnavailable, UnknownMatch

C = TypeVar("C", bound=LooksBack)

TRIES = 20
"""Attempts at a rewind while the record grows: a consent has no preview that would be out of
date."""


class MatchRulingService(RulingService[RulingAnswer]):
    """Executes rulings on matches."""

    def __init__(
        self,
        matches: MatchService,
        reader: RulingReader,
        lists: RulingLists,
        cases: CaseService,
        succession: Succession,
        idempotency: IdempotencyStore,
    ) -> None:
        super().__init__(idempotency)
        self._matches = matches
        self._reader = reader
        self._lists = lists
        self._cases = cases
        self._succession = succession

    async def _answered(self, match_id: UUID, command: Ruling) -> RulingAnswer | None:
        shown = await self._lists.find(match_id, MODERATOR, command.id)
        first = None if shown is None else as_answered(shown, command)
        return None if first is None else await self._with_key(match_id, first, command)

    async def _check(
        self, match_id: UUID, command: Ruling, expected: Expected, sender: Sender
    ) -> OverrideLook | None:
        """What has to be recorded before somebody takes over a seat. Raises as the command would,
        Refused (`moderator_plays`) and HasLooked; Conflict if another match cannot replace this
        one. Of new rulings only those that give a seat are decided here."""
        loaded, seq = await self._reader.now(match_id)
        ruling = ruling_of(loaded.match, command)
        stale = expected is not None and seq not in expected
        if stale and not isinstance(command, Rule):
            raise PreconditionFailed
        if isinstance(ruling, ReplaceSeat) or not isinstance(command, Rule):
            known = await self._with_past(match_id, loaded, command)
            decide(loaded.game, loaded.match, known, self._reader.at(loaded))
            if stale:
                raise PreconditionFailed
        return await self._override(loaded.match, command, sender)

    async def _carry_out(
        self, match_id: UUID, command: Ruling, expected: Expected, first: OverrideLook | None
    ) -> RulingAnswer:
        await self._succession.record(match_id, first)
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
        shown = await self._lists.find(match_id, MODERATOR, command.id)
        assert shown is not None, "it is on record"
        return await self._with_key(match_id, shown, command)

    async def withdraw(self, match_id: UUID, command: WithdrawRuling) -> None:
        await self._matches.execute(match_id, command, MODERATOR)

    async def preview(
        self, match_id: UUID, command: Rule | SecondRuling, sender: Sender = NOBODY
    ) -> tuple[int, Preview]:
        """Its version is the number of its events. Raises as the command would."""
        for _ in range(TRIES):
            loaded, seq = await self._reader.now(match_id)
            command = await self._with_past(match_id, loaded, command)
            if command.past is None or command.past.length == seq == loaded.length:
                break
        else:
            raise StoreUnavailable
        match = loaded.match
        # A rewind may judge many inputs again.
        after, misfit = await asyncio.to_thread(
            foreseen, loaded.game, match, command, self._reader.at(loaded)
        )
        await self._override(match, command, sender)
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

    async def _sent(
        self,
        match_id: UUID,
        command: Ruling,
        expected: Expected,
        alongside: Alongside | None = None,
    ) -> None:
        await self._matches.execute(match_id, command, MODERATOR, expected, alongside)

    async def _override(self, match: Match, command: Ruling, sender: Sender) -> OverrideLook | None:
        """What has to be recorded before somebody takes over a seat, which can be decided. Raises
        as `check` does."""
        ruling = ruling_of(match, command)
        if isinstance(ruling, VoidMatch):
            await self._check_replacement(match, ruling)
        if not isinstance(ruling, ReplaceSeat) or isinstance(command, ConsentToRuling):
            return None
        pending = match.rulings.waiting(command.id)
        proposed = 0 if pending is None else pending.lapses - PENDING
        return await self._succession.check(UUID(match.id), ruling, sender, command.actor, proposed)

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

    async def _with_key(self, match_id: UUID, shown: RulingShown, command: Ruling) -> RulingAnswer:
        """The answer, with the key to the seat if somebody has taken it over and the command has
        carried that out."""
        answer = answer_of(shown)
        if shown.kind != "replace_seat" or answer.status == "pending":
            return answer
        ordered = msgspec.convert({"kind": shown.kind, **(shown.ordered or {})}, ReplaceSeat)
        actor = _carrier(shown, command)
        key = await self._succession.key(match_id, UUID(answer.ruling), ordered, actor)
        return answer if actor is None else replace(answer, key=key)

    async def _with_past(self, match_id: UUID, loaded: LoadedMatch, command: C) -> C:
        """The command; of a rewind with what it looks back on now."""
        ruling = ruling_of(loaded.match, command)
        if not isinstance(ruling, Rewind):
            return command
        return replace(command, past=await self._reader.past(match_id, loaded, ruling))

    async def _closes(self, match_id: UUID, command: Ruling) -> tuple[str | None, tuple[str, ...]]:
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


def _carrier(shown: RulingShown, command: Ruling) -> Actor | None:
    """Who has carried a ruling out by this command; None if others did."""
    if isinstance(command, ConsentToRuling):
        return None
    last = isinstance(command, Rule) or (shown.by or ())[-1:] == (command.actor.by,)
    return command.actor if last else None
