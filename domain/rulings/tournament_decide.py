"""Rulings on a tournament: by whom they are made, what each kind gives, and what is recorded next
to that (/docs/tournaments#rule-on-a-tournament). Their life is that of all rulings (`life`). Cases
of a tournament, which they close, are decided here, too."""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import UNSET, Struct

from domain.cases.match_events import RecordedCases
from domain.cases.on_record import OF_TOURNAMENT, closed_by, closers, decide_case_command
from domain.events import Event, Instant, Record
from domain.game import Refused
from domain.match.commands import CaseCommand, Conflict, judges
from domain.people import Actor
from domain.rulings.commands import DirectedRuling, Rule
from domain.rulings.effects import fits
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
from domain.rulings.life import Subject
from domain.rulings.life import decide as decide_on
from domain.rulings.state import PastRuling, PendingRuling, match_of
from domain.tournament.accounting import Holdings, by_hand, correct_match
from domain.tournament.competition import PlayerFacts, entrants_of
from domain.tournament.events import (
    MatchReplaced,
    TournamentDirected,
    TournamentRuled,
    TournamentRulingLapsed,
    TournamentRulingOrdered,
    TournamentRulingProposed,
    TournamentRulingWithdrawn,
)
from domain.tournament.open_stages import numbered_stage, open_stage
from domain.tournament.show import named_by_staff
from domain.tournament.stage_events import PenaltyGiven, PlayersSeeded, PlayerStatus
from domain.tournament.state import Added, Tournament, standing_of

UNSETTLED = {
    "result_not_final": "The match does not count in the tournament yet: its result is not final. "
    "Until it is, rule on the match itself."
}
"""A sentence for every code about the state of the match that only these rulings have (409)."""


class MatchFacts(Struct, frozen=True):
    """The facts of a match on which a ruling about it depends: the names of all who have or had a
    seat, whether one person may rule alone, what the seats have left of their stakes (None in a
    game without garnets), the rulings of the match, and that of its cases which the ruling names,
    if it does."""

    names: tuple[str, ...]
    single: bool
    balance: Holdings | None
    rulings: tuple[PastRuling, ...] = ()
    cases: RecordedCases = ()


class Carried(Struct, frozen=True):
    """A ruling that is carried out: the tournament before it, the facts of its match if it is about
    one, its reason, and who carries it out."""

    state: Tournament
    facts: MatchFacts | None
    reason: str
    by: str | None


def effect(
    state: Tournament, facts: MatchFacts | None, ruling: AnyRuling, reason: str, actor: Actor | None
) -> list[Event]:
    """The events that a ruling gives that `actor` carries out, after those that say that it was
    ruled. Raises Refused and Conflict if it does not fit the tournament."""
    by = None if actor is None else actor.by
    return _EFFECTS[type(ruling)](Carried(state, facts, reason, by), ruling)


def people_needed(state: Tournament, facts: MatchFacts | None, ruling: AnyRuling) -> int:
    """How many people it takes to carry out a ruling: one or two."""
    if isinstance(ruling, Penalty):
        return 1
    if isinstance(ruling, SeedPlayers):
        return 2 if any(stage.rounds for stage in state.competition.stages) else 1
    return 1 if facts is not None and facts.single else 2


def settled_match(state: Tournament, match: str) -> Added:
    """A match that counts in the tournament, or is void. Raises Refused for all others."""
    entry = state.matches.get(match)
    if entry is None:
        raise Refused("no_such_tournament_match")
    if not entry.settled:
        raise Refused("result_not_final")
    return entry


def _correct(carried: Carried, ruling: Correction) -> list[Event]:
    assert carried.facts is not None, "it is about a match"
    seats = len(carried.state.matches[ruling.match].players)
    if ruling.result is not None and not fits(ruling.result, seats):
        raise Refused("result_does_not_fit")
    return correct_match(carried.state, ruling.match, ruling.result, carried.facts.balance)


def _replace(carried: Carried, ruling: ReplaceMatch) -> list[Event]:
    """The match is taken out of the standings as by a correction, and the other one counts in its
    place, also before it has a result."""
    matches = carried.state.matches
    entry, by = settled_match(carried.state, ruling.match), matches.get(ruling.by)
    if by is None:
        raise Refused("no_such_tournament_match")
    void = by.settled and by.result is None
    if (
        void
        or ruling.by in _counting_matches(carried.state)
        or sorted(by.players) != sorted(entry.players)
    ):
        raise Conflict("cannot_replace")
    if entry.replaced_by is not None or by.replaced_by is not None or ruling.by == ruling.match:
        raise Conflict("cannot_replace")
    events: list[Event] = [MatchReplaced(ruling.match, ruling.by)]
    if entry.result is None:
        return events
    return [*events, *correct_match(carried.state, ruling.match, None, None)]


def _counting_matches(state: Tournament) -> frozenset[str]:
    """The matches that count at a table of a round, or in the place of another one."""
    rounds = (round_ for stage in state.competition.stages for round_ in stage.rounds)
    at_tables = (match for round_ in rounds for table in round_.tables for match in table.matches)
    others = (
        entry.replaced_by for entry in state.matches.values() if entry.replaced_by is not None
    )
    return frozenset([*at_tables, *others])


def _penalize(carried: Carried, ruling: Penalty) -> list[Event]:
    player, now = ruling.player, standing_of(carried.state)
    _open_player(carried.state, player)
    if ruling.garnets is not None:
        posting = by_hand(carried.state, player, -ruling.garnets, "penalty", carried.by)
        return [PenaltyGiven(player, None, None), posting]
    number = open_stage(now) if ruling.stage is None else ruling.stage
    stage, points = numbered_stage(now, number), ruling.points or 0
    if stage.status == "closed":
        raise Refused("stage_closed")
    if stage.status == "open" and player not in entrants_of(now.competition, stage):
        raise Refused("not_in_stage")
    if points == 0 or stage.penalties.get(str(player), 0) + points < 0:
        raise Refused("penalty_not_allowed")
    return [PenaltyGiven(player, number, points)]


def _disqualify(carried: Carried, ruling: Disqualify) -> list[Event]:
    if _open_player(carried.state, ruling.player).status == "disqualified":
        raise Refused("already_disqualified")
    annulled = True if ruling.annul else UNSET
    return [PlayerStatus(ruling.player, "disqualified", carried.reason, annulled)]


def _reinstate(carried: Carried, ruling: Reinstate) -> list[Event]:
    person = _open_player(carried.state, ruling.player)
    if person.status != "disqualified":
        raise Refused("not_disqualified")
    return [PlayerStatus(ruling.player, person.was, carried.reason)]


def _seed(carried: Carried, ruling: SeedPlayers) -> list[Event]:
    if len(set(ruling.order)) < len(ruling.order):
        raise Refused("paired_twice")
    for player in ruling.order:
        _open_player(carried.state, player)
    return [PlayersSeeded(ruling.order)]


def _candidates(carried: Carried, ruling: NameCandidates) -> list[Event]:
    now = standing_of(carried.state)
    number = open_stage(now) if ruling.stage is None else ruling.stage
    for player in ruling.players:
        _open_player(carried.state, player)
    return [named_by_staff(now, number, ruling.players)]


def _open_player(state: Tournament, number: int) -> PlayerFacts:
    """A player of a tournament that is not closed. Raises Refused."""
    person = state.competition.people.get(number)
    if person is None:
        raise Refused("no_such_player")
    if state.competition.champions is not None:
        raise Refused("tournament_closed")
    return person


_EFFECTS: Mapping[type[AnyRuling], Callable[[Carried, Any], list[Event]]] = {
    Correction: _correct,
    ReplaceMatch: _replace,
    Penalty: _penalize,
    Disqualify: _disqualify,
    Reinstate: _reinstate,
    SeedPlayers: _seed,
    NameCandidates: _candidates,
}


class RuleTournament(Struct, frozen=True):
    """Someone rules at the instant `at`, or seconds or withdraws a ruling; `facts` are those of the
    match that it is about, None for one on the whole tournament. If a ruling has the id of a `Rule`
    already this is a repeat, and gives nothing."""

    command: DirectedRuling
    facts: MatchFacts | None
    at: Instant


class LapseRulings(Struct, frozen=True):
    """Nothing but what has lapsed is to be recorded."""


TournamentRulingCommand = RuleTournament | LapseRulings


def lapsed(state: Tournament, at: Instant) -> list[Record[Event]]:
    """The lapses up to the instant `at`, each at its own, which come before anything else."""
    due = [pending for pending in state.rulings.pending if pending.lapses <= at]
    return [Record(pending.lapses, 0, TournamentRulingLapsed(pending.id)) for pending in due]


def decide(state: Tournament, command: TournamentRulingCommand) -> list[Event]:
    """The events of a command about a ruling: who gave it stands after the first. Raises Refused
    with a code of `UNSETTLED` or of `tournament.CODES`, and Conflict with one of
    `ruling_commands`."""
    if isinstance(command, LapseRulings):
        return []
    inner = command.command
    if isinstance(inner, Rule):
        if state.rulings.knows(inner.id):
            return []
        match = match_of(inner.ruling)
        if match is not None:
            settled_match(state, match)
    first, *rest = decide_on(_subject(state, command), inner)
    return [first, _directed(inner), *rest]


def decide_case(state: Tournament, command: CaseCommand) -> list[Event]:
    """The events of a command about a case of the tournament. Raises Conflict."""
    event = decide_case_command(OF_TOURNAMENT, state.cases, state.players, command)
    return [event] if command.actor is None else [event, _directed(command)]


def _directed(command: DirectedRuling | CaseCommand) -> Event:
    """Who gave it, of a command that someone of the staff gave."""
    assert command.actor is not None, "a player opens a case without it"
    return TournamentDirected(**command.actor.record_fields(judges=judges(command)))


def foresee(state: Tournament, command: RuleTournament) -> list[Event]:
    """What the ruling of a command would give if it were carried out now. Raises Refused and
    Conflict."""
    inner = command.command
    if isinstance(inner, Rule):
        return effect(state, command.facts, inner.ruling, inner.reason, inner.actor)
    pending = state.rulings.waiting(inner.id)
    assert pending is not None, "it could be decided"
    return effect(state, command.facts, pending.ruling, pending.reason, inner.actor)


def _subject(state: Tournament, command: RuleTournament) -> Subject:
    """A tournament, and the match in it that is ruled on, whose own rulings can be appealed, too.
    No one rules on the whole tournament who plays in it."""
    facts = command.facts
    cases = (*state.cases, *(() if facts is None else facts.cases))
    return Subject(
        at=command.at,
        rulings=state.rulings,
        players=state.players if facts is None else facts.names,
        past=(*state.rulings.past, *(() if facts is None else facts.rulings)),
        people_needed=lambda ruling: people_needed(state, facts, ruling),
        effect=lambda pending, actor: effect(state, facts, pending.ruling, pending.reason, actor),
        ruled=lambda pending: _ruling_event(state, pending),
        proposed=_propose,
        ordered=TournamentRulingOrdered,
        withdrawn=TournamentRulingWithdrawn,
        lapsed=TournamentRulingLapsed,
        closers=lambda case: closers(cases, case),
        around=lambda pending, _: closed_by(OF_TOURNAMENT, cases, pending),
    )


def _ruling_event(state: Tournament, pending: PendingRuling) -> Event:
    kind, match = tournament_kind_of(pending.ruling), match_of(pending.ruling)
    texts = (pending.reason, pending.rule, pending.appeals)
    return TournamentRuled(state.rulings.n + 1, kind, match, *texts)


def _propose(pending: PendingRuling) -> list[Event]:
    values = (getattr(pending, name) for name in TournamentRulingProposed.__struct_fields__)
    return [TournamentRulingProposed(*values)]
