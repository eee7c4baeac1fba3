"""Corrections: an organiser changes how a settled match counts in its tournament, seconded by a
moderator of the match (RULINGS §3)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from domain.accounting import Holdings, corrected
from domain.deadlines import DAY
from domain.events import Event, Instant, Record, later
from domain.game import Refused
from domain.match_rulings import PastRuling
from domain.people import Actor
from domain.ruling_effects import fits
from domain.tournament_ruling_events import (
    Correction,
    TournamentDirected,
    TournamentRuled,
    TournamentRulingLapsed,
    TournamentRulingOrdered,
    TournamentRulingProposed,
    TournamentRulingWithdrawn,
)
from domain.tournament_rulings import PendingCorrection
from domain.tournament_state import Added, Tournament

PENDING = DAY
"""Microseconds for which a correction waits for a moderator of the match."""

UNSETTLED = {
    "result_not_final": "The match does not count in the tournament yet: its result is not final. "
    "Until it is, rule on the match itself.",
}
"""A sentence for every code about the state of the match that only corrections have (409)."""


class MatchFacts(Struct, frozen=True):
    """The facts of a match on which a correction depends: the names of all who have or had a seat,
    whether one person may rule alone, what the seats have left of their stakes (None in a game
    without garnets), and the rulings of the match."""

    names: tuple[str, ...]
    single: bool
    balance: Holdings | None
    rulings: tuple[PastRuling, ...] = ()


class CorrectMatch(Struct, frozen=True):
    """An organiser corrects a match at the instant `at`. `id` is random; if a ruling has it already
    this is a repeat, and gives nothing. The other fields are those of
    `domain.ruling_commands.Rule`."""

    id: str
    ruling: Correction
    reason: str
    actor: Actor
    facts: MatchFacts
    at: Instant
    rule: str | None = None
    appeals: str | None = None
    case: str | None = None


class SecondCorrection(Struct, frozen=True):
    """A moderator of the match carries out a pending correction."""

    id: str
    actor: Actor
    facts: MatchFacts


class WithdrawCorrection(Struct, frozen=True):
    """An organiser or a moderator of the match gives up a pending correction."""

    id: str
    actor: Actor
    facts: MatchFacts


class LapseCorrections(Struct, frozen=True):
    """Nothing but what has lapsed is to be recorded."""


CorrectionCommand = CorrectMatch | SecondCorrection | WithdrawCorrection | LapseCorrections


def lapsed(state: Tournament, at: Instant) -> list[Record[Event]]:
    """The lapses up to the instant `at`, each at its own, which come before anything else."""
    due = [one for one in state.rulings.pending if one.lapses <= at]
    return [Record(one.lapses, 0, TournamentRulingLapsed(one.id)) for one in due]


def decide(state: Tournament, command: CorrectionCommand) -> list[Event]:
    """The events of a command about a correction. Raises Refused with a code of `UNSETTLED`, of
    `tournament.CODES` or of `ruling_commands`."""
    return _DECIDERS[type(command)](state, command)


def _correct(state: Tournament, command: CorrectMatch) -> list[Event]:
    if state.rulings.match_of(command.id) is not None:
        return []
    added = _settled(state, command.ruling.match)
    _check_person(state, command.actor, command.facts, command.appeals)
    _check_appealed(state, command)
    result = command.ruling.result
    if result is not None and not fits(result, len(added.players)):
        raise Refused("result_does_not_fit")
    pending = PendingCorrection(
        command.id,
        command.ruling,
        command.reason,
        command.rule,
        command.appeals,
        command.case,
        later(command.at, PENDING),
    )
    if command.facts.single:
        return _carried_out(state, pending, command.actor, command.facts)
    given = (getattr(pending, name) for name in TournamentRulingProposed.__struct_fields__)
    return [TournamentRulingProposed(*given), _directed(command.actor, pending)]


def _second(state: Tournament, command: SecondCorrection) -> list[Event]:
    pending = _pending(state, command.id)
    _check_person(state, command.actor, command.facts, pending.appeals)
    fault = command.actor.fault([pending.person], "same_person")
    if fault is not None:
        raise Refused(fault)
    return _carried_out(state, pending, command.actor, command.facts)


def _withdraw(state: Tournament, command: WithdrawCorrection) -> list[Event]:
    pending = _pending(state, command.id)
    _check_person(state, command.actor, command.facts, None)
    return [TournamentRulingWithdrawn(pending.id), _directed(command.actor)]


def _nothing(state: Tournament, command: LapseCorrections) -> list[Event]:
    return []


_DECIDERS: Mapping[type[CorrectionCommand], Callable[[Tournament, Any], list[Event]]] = {
    CorrectMatch: _correct,
    SecondCorrection: _second,
    WithdrawCorrection: _withdraw,
    LapseCorrections: _nothing,
}


def _carried_out(
    state: Tournament, pending: PendingCorrection, actor: Actor, facts: MatchFacts
) -> list[Event]:
    match, n = pending.ruling.match, state.rulings.n + 1
    said = (pending.reason, pending.rule, pending.appeals)
    return [
        TournamentRuled(n, "correct", match, *said),
        _directed(actor, pending),
        TournamentRulingOrdered(pending.id, pending.ruling, pending.case),
        *corrected(state, match, pending.ruling.result, facts.balance),
    ]


def _directed(actor: Actor, judged: PendingCorrection | None = None) -> TournamentDirected:
    """Who gave an input; perhaps one that seconds a correction or decides an appeal."""
    judges = judged is not None and (judged.person, judged.appeals) != (None, None)
    return TournamentDirected(**actor.said(judges=judges))


def _settled(state: Tournament, match: str) -> Added:
    added = state.matches.get(match)
    if added is None:
        raise Refused("no_such_tournament_match")
    if not added.settled:
        raise Refused("result_not_final")
    return added


def _pending(state: Tournament, ruling: str) -> PendingCorrection:
    pending = state.rulings.waiting(ruling)
    if pending is None:
        raise Refused("no_such_ruling" if state.rulings.was(ruling) is None else "not_pending")
    return pending


def _check_person(state: Tournament, actor: Actor, facts: MatchFacts, appeals: str | None) -> None:
    """Raises Refused if the person plays in the match, or ruled on what is appealed."""
    if actor.is_one_of(facts.names):
        raise Refused("moderator_plays")
    fault = actor.fault(_people(state, facts.rulings, appeals), "own_ruling")
    if fault is not None:
        raise Refused(fault)


def _people(
    state: Tournament, rulings: Sequence[PastRuling], appeals: str | None
) -> tuple[str, ...]:
    """Who made and seconded the ruling that is appealed: one of the match, or a correction."""
    people = {one.id: one.people for one in rulings}
    people |= {one.id: one.people for one in state.rulings.past}
    return () if appeals is None else people.get(appeals, ())


def _check_appealed(state: Tournament, command: CorrectMatch) -> None:
    """Raises Refused unless what is appealed is a public ruling on this match that was carried
    out."""
    if command.appeals is None:
        return
    was = state.rulings.was(command.appeals)
    if was is not None and was.n is not None and was.match == command.ruling.match:
        return
    own = next((one for one in command.facts.rulings if one.id == command.appeals), None)
    if own is None or own.to is None:
        raise Refused("no_such_ruling")
    if own.to != "public":
        raise Refused("not_public")
