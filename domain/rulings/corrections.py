"""Rulings on a tournament. Corrections: an organiser changes how a settled match counts, seconded
by a moderator of the match (/docs/tournaments#correct-a-result)."""

from msgspec import Struct

from domain.events import Event, Instant, Record
from domain.game import Refused
from domain.rulings.commands import DirectedRuling, Rule, SecondRuling
from domain.rulings.effects import fits
from domain.rulings.kinds import AnyRuling, Correction
from domain.rulings.life import Subject
from domain.rulings.life import decide as decide_on
from domain.rulings.state import PastRuling, PendingRuling, match_of
from domain.tournament.accounting import Holdings, corrected
from domain.tournament.events import (
    TournamentDirected,
    TournamentRuled,
    TournamentRulingLapsed,
    TournamentRulingOrdered,
    TournamentRulingProposed,
    TournamentRulingWithdrawn,
)
from domain.tournament.state import Tournament

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


class RuleTournament(Struct, frozen=True):
    """Someone rules at the instant `at`, or seconds or withdraws a ruling on a match of which
    these are the facts. If a ruling has the id of a `Rule` already this is a repeat, and gives
    nothing."""

    command: DirectedRuling
    facts: MatchFacts
    at: Instant


class LapseCorrections(Struct, frozen=True):
    """Nothing but what has lapsed is to be recorded."""


CorrectionCommand = RuleTournament | LapseCorrections


def lapsed(state: Tournament, at: Instant) -> list[Record[Event]]:
    """The lapses up to the instant `at`, each at its own, which come before anything else."""
    due = [one for one in state.rulings.pending if one.lapses <= at]
    return [Record(one.lapses, 0, TournamentRulingLapsed(one.id)) for one in due]


def decide(state: Tournament, command: CorrectionCommand) -> list[Event]:
    """The events of a command about a correction: who gave it stands after the first. Raises
    Refused with a code of `UNSETTLED` or of `tournament.CODES`, and Conflict with one of
    `ruling_commands`."""
    if isinstance(command, LapseCorrections):
        return []
    given = command.command
    if isinstance(given, Rule):
        if state.rulings.knows(given.id):
            return []
        check_settled(state, match_of(given.ruling))
    first, *rest = decide_on(_subject(state, command), given)
    return [first, TournamentDirected(**given.actor.said(judges=_judges(given))), *rest]


def check_settled(state: Tournament, match: str | None) -> None:
    """Raises Refused unless the match counts in the tournament."""
    added = None if match is None else state.matches.get(match)
    if added is None:
        raise Refused("no_such_tournament_match")
    if not added.settled:
        raise Refused("result_not_final")


def _judges(command: DirectedRuling) -> bool:
    """Whether it may have to come from another person than an earlier one."""
    if isinstance(command, Rule):
        return command.appeals is not None
    return isinstance(command, SecondRuling)


def _subject(state: Tournament, command: RuleTournament) -> Subject:
    """A tournament, and the match in it that is ruled on; rulings of the match can be appealed,
    too."""
    facts = command.facts
    return Subject(
        at=command.at,
        rulings=state.rulings,
        players=facts.names,
        past=(*state.rulings.past, *facts.rulings),
        people_needed=lambda _: 1 if facts.single else 2,
        effect=lambda ruling, _actor: _effect(state, facts, ruling),
        ruled=lambda pending: _ruled(state, pending),
        proposed=_proposed,
        ordered=TournamentRulingOrdered,
        withdrawn=TournamentRulingWithdrawn,
        lapsed=TournamentRulingLapsed,
    )


def _effect(state: Tournament, facts: MatchFacts, ruling: AnyRuling) -> list[Event]:
    assert isinstance(ruling, Correction), "the one kind of ruling on a tournament"
    match, result = ruling.match, ruling.result
    if result is not None and not fits(result, len(state.matches[match].players)):
        raise Refused("result_does_not_fit")
    return corrected(state, match, result, facts.balance)


def _ruled(state: Tournament, pending: PendingRuling) -> Event:
    assert isinstance(pending.ruling, Correction), "the one kind of ruling on a tournament"
    said = (pending.reason, pending.rule, pending.appeals)
    return TournamentRuled(state.rulings.n + 1, "correct", pending.ruling.match, *said)


def _proposed(pending: PendingRuling) -> list[Event]:
    given = (getattr(pending, name) for name in TournamentRulingProposed.__struct_fields__)
    return [TournamentRulingProposed(*given)]
