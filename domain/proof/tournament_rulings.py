"""Judges the rulings of a tournament again."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from domain.cases.match_events import RecordedCase, TournamentCaseClosed, case_of
from domain.events import Event, Numbered
from domain.game import Refused
from domain.match.commands import Conflict
from domain.match.state import AnyGame, Match
from domain.people import Actor
from domain.proof.input_events import garnets_in
from domain.proof.tournament_differences import NotFollowing, part_of
from domain.rulings.commands import DirectedRuling, Rule, SecondRuling, WithdrawRuling
from domain.rulings.kinds import (
    AnyRuling,
    Correction,
    Disqualify,
    NameCandidates,
    Penalty,
    Reinstate,
    ReplaceMatch,
    SeedPlayers,
    tournament_kind_of,
)
from domain.rulings.life import PENDING
from domain.rulings.state import PastRuling, PendingRuling, match_of
from domain.rulings.tournament_decide import MatchFacts, RuleTournament, effect, settled_match
from domain.rulings.tournament_decide import lapsed as lapsed_rulings
from domain.tournament.decide import decide
from domain.tournament.events import (
    MatchCorrected,
    MatchReplaced,
    TournamentDirected,
    TournamentRuled,
    TournamentRulingLapsed,
    TournamentRulingOrdered,
    TournamentRulingProposed,
    TournamentRulingWithdrawn,
)
from domain.tournament.following import follow_up
from domain.tournament.settling import facts_of
from domain.tournament.stage_events import (
    CandidatesNamed,
    PenaltyGiven,
    PlayersSeeded,
    PlayerStatus,
)
from domain.tournament.state import Tournament

Matches = Mapping[str, tuple[AnyGame, Match]]
NO_MATCHES: Matches = {}

LIFE = (
    TournamentRuled,
    TournamentDirected,
    TournamentRulingOrdered,
    TournamentRulingProposed,
    TournamentRulingWithdrawn,
    TournamentRulingLapsed,
    TournamentCaseClosed,
)
"""The events of a ruling that stand before what it gives."""


def ruling_given(state: Tournament, events: Sequence[Event]) -> DirectedRuling | None:
    """The command about a ruling of which these are the events, all that it gave; None if they do
    not say who gave it, or what is ordered."""
    first = events[0]
    actor = next(
        (Actor.of(event) for event in events if isinstance(event, TournamentDirected)), None
    )
    says = TournamentRulingOrdered | TournamentRulingProposed
    order = next((event for event in events if isinstance(event, says)), None)
    if actor is None:
        return None
    if isinstance(first, TournamentRulingWithdrawn):
        return WithdrawRuling(first.id, actor)
    if order is None or not isinstance(first, TournamentRuled | TournamentRulingProposed):
        return None
    if first is not order and state.rulings.waiting(order.id) is not None:
        return SecondRuling(order.id, actor)
    reasons = first.reason, actor, first.rule, first.appeals
    return Rule(order.id, order.ruling, *reasons, order.case)


def ruling_in(event: Event) -> AnyRuling | None:
    """What was ruled, by the first public event that it gave; None if that does not say all."""
    match event:
        case MatchCorrected(match, result):
            return Correction(match, result)
        case MatchReplaced(match, by):
            return ReplaceMatch(match, by)
        case PenaltyGiven(player, stage, points) if points is not None:
            return Penalty(player, stage, points)
        case PlayerStatus(player, "disqualified", _, annulled):
            return Disqualify(player, annulled is True)
        case PlayerStatus(player):
            return Reinstate(player)
        case PlayersSeeded(order):
            return SeedPlayers(order)
        case CandidatesNamed(stage, players=players):
            return NameCandidates(stage, players)
    return None


def ruling_again(state: Tournament, matches: Matches, batch: Sequence[Numbered]) -> Sequence[Event]:
    """What a command about a ruling gives, all of which can be read."""
    events = [entry.event for entry in batch]
    first, at = events[0], batch[0].record.at
    if isinstance(first, TournamentRulingLapsed):
        due = [entry.event for entry in lapsed_rulings(state, at) if entry.at == at]
        return [first] if first in due else []
    command = ruling_given(state, events)
    if command is None:
        raise NotFollowing("rules", batch[0].number, "it does not say who ruled what")
    of = command if isinstance(command, Rule) else state.rulings.waiting(command.id)
    match = None if of is None else match_of(of.ruling)
    single = not isinstance(first, TournamentRulingProposed)
    facts = _facts(matches, state, match or "", events, single=single)
    if facts is not None and of is not None:
        facts = _with_what_it_names(state, facts, of)
    if isinstance(first, TournamentRulingProposed):
        at = first.lapses - PENDING
    try:
        return decide(state, RuleTournament(command, facts, at))
    except (Refused, Conflict) as refused:
        effect_event = next((event for event in events if not isinstance(event, LIFE)), first)
        why = f"it is refused: {refused.code}"
        raise NotFollowing(part_of(effect_event), batch[0].number, why) from None


def effect_again(
    state: Tournament, matches: Matches, order: Sequence[Event], batch: Sequence[Numbered]
) -> Sequence[Event] | None:
    """What a ruling gives whose own events are `order`; None if what it orders cannot be known from
    the first event that it gave."""
    events, index = [entry.event for entry in batch], batch[0].number
    ruling_event = next((event for event in order if isinstance(event, TournamentRuled)), None)
    ruling = ruling_in(events[0])
    if ruling_event is None or ruling is None:
        return None
    if (tournament_kind_of(ruling), match_of(ruling)) != (ruling_event.kind, ruling_event.match):
        raise NotFollowing(part_of(events[0]), index, "it is not what was ruled")
    facts = _facts(matches, state, ruling_event.match or "", events, single=True)
    try:
        if ruling_event.match is not None:
            settled_match(state, ruling_event.match)
        due = effect(state, facts, ruling, ruling_event.reason, None)
    except (Refused, Conflict) as refused:
        why = f"it is refused: {refused.code}"
        raise NotFollowing(part_of(events[0]), index, why) from None
    return [*due, *follow_up(state, due, None)]


def _facts(
    matches: Matches, state: Tournament, match: str, events: Sequence[Event], *, single: bool
) -> MatchFacts | None:
    """What a ruling about a match depends on; of a record that is not known what it gave, and
    whether one person may rule alone as it was done."""
    if match in matches:
        return facts_of(*matches[match])
    entry = state.matches.get(match)
    if entry is None:
        return None
    return MatchFacts((), single, garnets_in(events, entry.players, "kept"))


def _with_what_it_names(
    state: Tournament, facts: MatchFacts, ruling: Rule | PendingRuling
) -> MatchFacts:
    """With the case and the ruling that a ruling names: if they are not the tournament's, they are
    those of its match."""
    case, appeals = ruling.case, ruling.appeals
    if case is not None and case_of(state.cases, case) is None:
        facts = replace(facts, cases=(RecordedCase(case),))
    ids = {ruling_.id for ruling_ in (*state.rulings.past, *facts.rulings)}
    if appeals is not None and appeals not in ids:
        facts = replace(facts, rulings=(*facts.rulings, PastRuling(appeals, "public")))
    return facts
