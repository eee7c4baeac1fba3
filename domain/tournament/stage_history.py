"""What formats read of a stage: its history, as it counts now and as a round was closed with."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from domain.tournament.competition import (
    AsClosed,
    Competition,
    MatchTable,
    PlayerFacts,
    PublishedRound,
    Results,
    StageState,
    stage_of,
    with_stage,
)
from domain.tournament.formats import FORMATS
from domain.tournament.history import Entrant, History, Pairing, PastRound, PlayedMatch, Presence
from domain.tournament.stage_events import Meeting


def history_of(
    competition: Competition, number: int, results: Results, entrants: Sequence[int] | None = None
) -> History:
    """The history of a stage as it counts now. `entrants` are those with whom a planned stage would
    open."""
    stage = stage_of(competition, number)
    players = entrants_of(competition, stage) if entrants is None else entrants
    return History(
        stage.settings,
        entrants_now(competition, number, players),
        tuple(_round(one, results) for one in stage.standing),
        stage.lots,
        stage.penalties,
        seat_lots=stage.seat_lots,
    )


def as_closed(competition: Competition, number: int, round_: int, results: Results) -> AsClosed:
    """A stage as it stands when one of its rounds is closed; rounds that overlap with it are in
    later ones only."""
    stage = stage_of(competition, number)
    upto = replace(stage, rounds=stage.rounds[:round_])
    players = entrants_of(competition, stage)
    history = history_of(with_stage(competition, number, upto), number, results, players)
    return AsClosed(tuple(one.number for one in upto.standing), history)


def entrants_of(competition: Competition, stage: StageState) -> Sequence[int]:
    """The players of an open stage, in order of entry: those with whom it opened, and those who
    have entered since, where its format pairs them. Those who left before they had a table
    or a bye are not among them."""
    late = stage.settings.entrants == "all" and FORMATS[stage.settings.format].late_entry
    if not late or stage.status != "open":
        return stage.entrants
    named = {player for one in stage.rounds for player in one.players}
    more = (
        player for player, person in competition.people.items() if player in named or not person.out
    )
    return [*stage.entrants, *(player for player in more if player not in stage.entrants)]


def entrants_now(
    competition: Competition, number: int, players: Sequence[int]
) -> tuple[Entrant, ...]:
    """These players as the next round of a stage would find them."""
    byes, seeds = _asked_for_next(competition, number), stage_of(competition, number).seeds
    return tuple(_entrant(competition, player, byes, seeds) for player in players)


def _asked_for_next(competition: Competition, number: int) -> frozenset[int]:
    """The players who have asked for a bye in the next round of a stage, or in one just before it
    that was withdrawn."""
    rounds = stage_of(competition, number).rounds
    wanted = [len(rounds) + 1]
    for one in reversed(rounds):
        if one.status != "withdrawn":
            break
        wanted.append(one.number)
    return frozenset(
        player
        for player, asked in competition.byes_asked.items()
        if any(stage == number and round_ in wanted for stage, round_ in asked)
    )


def _entrant(
    competition: Competition, player: int, byes: frozenset[int], seeds: Mapping[int, int | None]
) -> Entrant:
    person = competition.people.get(player, PlayerFacts())
    presence = _presence(competition, player, byes)
    seed = seeds.get(player, person.seed)
    return Entrant(player, person.rating, seed, presence, person.annulled)


def _presence(competition: Competition, player: int, byes: frozenset[int]) -> Presence:
    person, check_in = competition.people.get(player, PlayerFacts()), competition.check_in
    if person.out:
        return "out"
    if player in byes:
        return "asked"
    absent = check_in is not None and check_in.closed and person.status != "checked_in"
    return "absent" if absent else "here"


def _round(one: PublishedRound, results: Results) -> PastRound:
    pairings = [pairing_of(table, results) for table in one.paired]
    if one.closed is not None:
        then = one.closed.history.rounds[-1].pairings
        pairings = [
            replace(now, closed=closed.matches) for now, closed in zip(pairings, then, strict=True)
        ]
    return PastRound(tuple(pairings), one.byes)


def pairing_of(table: MatchTable, results: Results) -> Pairing:
    """A table as formats read it, while its round is not closed."""
    played = _played(table, results)
    return Pairing(table.table, table.players, table.because, played, table.lots)


def _played(table: MatchTable, results: Results) -> tuple[PlayedMatch, ...]:
    return tuple(
        results[match].at(table.players) if match in results else PlayedMatch()
        for match in table.matches
    )


def meetings(pairings: Sequence[Pairing]) -> tuple[Meeting, ...]:
    """Pairings as they are published."""
    return tuple(Meeting(one.table, one.players, one.because) for one in pairings)
