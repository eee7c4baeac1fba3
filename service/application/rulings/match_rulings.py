"""Rulings on matches: how they are decided, recorded, answered and previewed."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import NamedTuple, TypeVar
from uuid import UUID

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from domain.events import Event, Record
from domain.match.commands import Conflict
from domain.match.replay import created_match
from domain.match.seat_holders import holders, people_in
from domain.match.state import Match
from domain.people import Actor
from domain.rulings.commands import ConsentToRuling, LooksBack, Rule, SecondRuling, WithdrawRuling
from domain.rulings.decide import decide, people_needed
from domain.rulings.kinds import ReplaceSeat, Rewind, VoidMatch
from domain.rulings.life import PENDING
from domain.rulings.looking_back import past_of
from domain.tournament.commands import OverrideLook
from domain.tournament.state import KeyedRequest
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from projections.audience.results import result_of
from projections.rulings.match_rulings import RulingShown
from projections.tournaments.standings import standings
from service.application.cases.case_service import CaseService
from service.application.evidence.reads import Allowed, HasLooked, Looks, override_of
from service.application.idempotency import IdempotencyStore, RecordRequest
from service.application.keys.match_keys import MatchKeys
from service.application.matches.command_queue import AlreadyExists, PreconditionFailed
from service.application.matches.decision import PastChanged
from service.application.matches.loaded_match import LoadedMatch
from service.application.matches.match_service import MatchService
from service.application.rulings.ruling_lists import RulingLists
from service.application.rulings.rulings import (
    NOBODY,
    Expected,
    MisfitShown,
    Outcome,
    Preview,
    RuledOnce,
    Ruling,
    RulingAnswer,
    RulingSender,
    answer_of,
    as_answered,
    closed_case,
    foresee,
    learnt_by_seats,
    position_after,
    rule_once,
    ruling_of,
    seconded_by_another,
)
from service.application.tournaments.tournament_service import TournamentService
from service.event_store.errors import StoreUnavailable, UnknownMatch

T = TypeVar("T")
C = TypeVar("C", bound=LooksBack)

Override = tuple[UUID, OverrideLook]
"""What is recorded on a tournament before a person who has read hidden things is seated."""

TRIES = 20
"""Attempts at a rewind while the record grows: a consent has no preview that would be out of
date."""


class Succession(NamedTuple):
    """Who may take over a seat (/docs/rulings#a-new-player)."""

    keys: MatchKeys
    tournaments: TournamentService
    looks: Looks

    async def check(
        self, match: Match, ruling: ReplaceSeat, sender: RulingSender, actor: Actor, since: int
    ) -> Override | None:
        """What has to be recorded before the seat is given, if anything. Looks up to `since`, in
        microseconds, were allowed or not there when the ruling was proposed.

        Raises Refused (`moderator_plays`) and HasLooked.
        """
        await self.keys.check_person(UUID(match.id), f"s{ruling.seat}", ruling.name)
        if match.created.tournament is None:
            return None
        tournament = UUID(match.created.tournament)
        others = [name for seat, name in enumerate(holders(match)) if seat != ruling.seat]
        state = (await self.tournaments.current(tournament)).state
        all_looks = await self.looks.of_players(state, [*others, ruling.name])
        looks = [look for look in all_looks if look.name == ruling.name and look.first > since]
        reason = sender.has_looked_reason if sender.organiser else None
        try:
            override = override_of(looks, None if reason is None else Allowed(reason, actor))
        except HasLooked as looked:
            raise HasLooked(looked.name, looked.match if sender.organiser else None) from None
        return None if override is None else (tournament, OverrideLook(match.id, override))

    async def record(self, override: Override) -> None:
        """Records what is overridden on the tournament of the match."""
        await self.tournaments.execute(*override, by=override[1].override.actor)


class MatchRulingService:
    """Executes rulings on matches.

    All of it raises Conflict, Refused, PreconditionFailed, UnknownMatch, RecordAltered and
    StoreUnavailable; HasLooked for a seat that someone is to take over.
    """

    def __init__(
        self,
        matches: MatchService,
        ruling_lists: RulingLists,
        cases: CaseService,
        succession: Succession,
        idempotency: IdempotencyStore,
    ) -> None:
        self._matches = matches
        self._sessions = matches.sessions
        self._ruling_lists = ruling_lists
        self._cases = cases
        self._succession = succession
        self._idempotency = idempotency

    async def execute(
        self,
        match_id: UUID,
        command: Ruling,
        request: KeyedRequest | None = None,
        expected: Expected = None,
        sender: RulingSender = NOBODY,
    ) -> RuledOnce[RulingAnswer]:
        """Executes a command once per request. `expected` are the numbers of the sender's events of
        the match at which it was previewed. Raises RequestInFlight, too."""

        async def carry_out(mine: Ruling, record_request: RecordRequest) -> RulingAnswer:
            override = await self._check(match_id, mine, expected, sender)
            await record_request()
            if override is not None:
                await self._succession.record(override)
            return await self._carry_out(match_id, mine, expected, sender.viewer)

        find_answer = partial(self._find_answer, match_id, sender.viewer)
        return await rule_once(self._idempotency, command, request, find_answer, carry_out)

    async def _find_answer(
        self, match_id: UUID, viewer: Viewer, command: Ruling
    ) -> RulingAnswer | None:
        """The answer that this command has had; None if it is not on record."""
        if seconded_by_another((await self._now(match_id))[0].match.rulings, command):
            return None
        ruling = await self._ruling_lists.find(match_id, viewer, command.id)
        first = None if ruling is None else as_answered(ruling, command)
        return None if first is None else await self._with_key(match_id, first, command)

    async def _check(
        self, match_id: UUID, command: Ruling, expected: Expected, sender: RulingSender
    ) -> Override | None:
        """What has to be recorded before someone takes over a seat. Raises as the command would;
        Conflict if another match cannot replace this one. Of new rulings only those that give a
        seat are decided here."""
        loaded, seq = await self._now(match_id, sender.viewer)
        if isinstance(command, Rule) and loaded.match.rulings.knows(command.id):
            raise AlreadyExists  # By the same request, at an instance that was a moment ahead.
        ruling = ruling_of(loaded.match, command)
        stale = expected is not None and seq not in expected
        if stale and not isinstance(command, Rule):
            raise PreconditionFailed
        if isinstance(ruling, ReplaceSeat) or not isinstance(command, Rule):
            complete_command = await self._with_past(match_id, loaded, command)
            decide(loaded.game, loaded.match, complete_command, self._matches.instant(loaded))
            if stale:
                raise PreconditionFailed
        return await self._override(loaded.match, command, sender)

    async def _carry_out(
        self, match_id: UUID, command: Ruling, expected: Expected, viewer: Viewer
    ) -> RulingAnswer:
        case, people = closed_case((await self._now(match_id))[0].match.rulings, command)
        for _ in range(TRIES):
            loaded, _ = await self._now(match_id)
            complete_command = await self._with_past(match_id, loaded, command)
            if complete_command.past is not None and complete_command.past.fault is None:
                await self._sessions.begin_epoch(match_id)
            send = partial(self._matches.execute, match_id, complete_command, viewer, expected)
            try:
                if case is None:
                    await send()
                else:
                    cases = self._cases.of_match(match_id)
                    await cases.closing(case, command.id, people, send)
            except PastChanged:
                continue
            break
        else:
            raise StoreUnavailable
        ruling = await self._ruling_lists.find(match_id, viewer, command.id)
        assert ruling is not None, "it is on record"
        return await self._with_key(match_id, ruling, command)

    async def withdraw(self, match_id: UUID, command: WithdrawRuling) -> None:
        """Gives up a pending ruling."""
        await self._matches.execute(match_id, command, MODERATOR)

    async def preview(
        self, match_id: UUID, command: Rule | SecondRuling, sender: RulingSender = NOBODY
    ) -> tuple[int, Preview]:
        """What a command would change if the ruling were carried out now, and the number of the
        sender's events of the match for which that holds. Raises as the command would."""
        for _ in range(TRIES):
            loaded, seq = await self._now(match_id, sender.viewer)
            command = await self._with_past(match_id, loaded, command)
            if command.past is None or command.past.length == seq == loaded.length:
                break
        else:
            raise StoreUnavailable
        match = loaded.match
        # A rewind may judge many inputs again.
        at = self._matches.instant(loaded)
        after, events, misfit = await asyncio.to_thread(foresee, loaded.game, match, command, at)
        await self._override(match, command, sender)
        tournament = match.created.tournament
        ranks = ranks_then = None
        if tournament is not None:
            cup = (await self._succession.tournaments.current(UUID(tournament))).state
            ranks = ranks_then = standings(cup)
            if after.over and after.result is not None:
                ranks_then = standings(cup, {match.id: after.result})
        before = Outcome(result_of(match), ranks)
        past, ruling = command.past, ruling_of(match, command)
        assert ruling is not None, "it could be decided"
        asks = isinstance(command, Rule) and command.actor.seat is not UNSET
        people = UNSET if asks else people_needed(match, ruling, past, command.actor)
        preview = Preview(before, Outcome(result_of(after), ranks_then), people=people)
        if past is None:
            return seq, preview
        misfit_shown = None
        if misfit is not None:
            _, public = await self._sessions.projection(match_id, PUBLIC_VIEWER)
            misfit_shown = MisfitShown(
                misfit.position, public.number_of(misfit.position), misfit.code
            )
        learnt, position = await self._from_record(
            match_id,
            lambda records: (
                learnt_by_seats(loaded.game, match, records, past),
                position_after(match, records, events, at),
            ),
        )
        return seq, replace(
            preview, undone=past.undone, misfit=misfit_shown, learnt=learnt, position=position
        )

    async def _override(
        self, match: Match, command: Ruling, sender: RulingSender
    ) -> Override | None:
        """What has to be recorded before someone takes over a seat, which can be decided. Raises
        Conflict, Refused (`moderator_plays`) and HasLooked."""
        ruling = ruling_of(match, command)
        if isinstance(ruling, VoidMatch):
            await self._check_replacement(match, ruling)
        if not isinstance(ruling, ReplaceSeat) or isinstance(command, ConsentToRuling):
            return None
        pending = match.rulings.waiting(command.id)
        since = 0 if pending is None else pending.lapses - PENDING
        return await self._succession.check(match, ruling, sender, command.actor, since)

    async def _check_replacement(self, match: Match, ruling: VoidMatch) -> None:
        """Raises Conflict unless the match that is to replace this one can: an unknown one is no
        different from one of others."""
        if ruling.replaced_by is None:
            return
        try:
            other = (await self._now(UUID(ruling.replaced_by)))[0].match
        except UnknownMatch:
            raise Conflict("cannot_replace") from None
        of_others = people_in(match).isdisjoint(people_in(other))
        if other.id == match.id or other.status == "void" or of_others:
            raise Conflict("cannot_replace")

    async def _with_key(self, match_id: UUID, ruling: RulingShown, command: Ruling) -> RulingAnswer:
        """The answer, with the key to the seat if someone has taken it over and the command has
        carried that out."""
        answer = answer_of(ruling)
        if ruling.kind != "replace_seat" or answer.status == "pending":
            return answer
        actor = _carrier(ruling, command)
        keys = self._succession.keys
        await keys.end_of_predecessors(match_id)
        if actor is None:
            return answer
        replacement = msgspec.convert({"kind": ruling.kind, **(ruling.ordered or {})}, ReplaceSeat)
        key = await keys.give_to_successor(match_id, UUID(answer.ruling), replacement, actor)
        return replace(answer, key=key)

    async def _with_past(self, match_id: UUID, loaded: LoadedMatch, command: C) -> C:
        """The command; of a rewind with what it looks back on now."""
        ruling = ruling_of(loaded.match, command)
        if not isinstance(ruling, Rewind):
            return command
        _, created = created_match(loaded.name, loaded.match.created)
        past = await self._from_record(
            match_id, lambda records: past_of(loaded.game, created, records, ruling)
        )
        return replace(command, past=past)

    async def _now(self, match_id: UUID, viewer: Viewer = MODERATOR) -> tuple[LoadedMatch, int]:
        """The match with everything on record, and the number of its events that an audience
        sees."""
        loaded, projection = await self._sessions.projection(match_id, viewer)
        return loaded, projection.seq

    async def _from_record(self, match_id: UUID, read: Callable[[list[Record[Event]]], T]) -> T:
        """What is read from the whole record, in a thread."""
        _, projection = await self._sessions.projection(match_id, MODERATOR)
        return await self._sessions.read_own(match_id, projection.own_rows(), read)


def _carrier(ruling: RulingShown, command: Ruling) -> Actor | None:
    """Who has carried a ruling out by this command; None if others did."""
    if isinstance(command, ConsentToRuling):
        return None
    last = isinstance(command, Rule) or (ruling.by or ())[-1:] == (command.actor.by,)
    return command.actor if last else None
