"""The stages of a tournament, and the rounds of an elimination show, folded from public events."""

from collections.abc import Sequence

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from domain.events import Event
from domain.tournament.away import after_absence
from domain.tournament.competition import (
    CheckIn,
    Competition,
    MatchTable,
    PlayerFacts,
    PublishedRound,
    Results,
    StageState,
    as_closed,
    entrants_of,
    matches_of,
    stage_of,
    with_stage,
)
from domain.tournament.events import PlayerEntered
from domain.tournament.stage_events import (
    ByeAsked,
    CandidatesNamed,
    CheckInClosed,
    CheckInOpened,
    ChoiceOpened,
    EndsMoved,
    ImmuneNamed,
    LotsCommitted,
    LotsDrawn,
    LotsSeedGiven,
    OpponentChosen,
    PenaltyGiven,
    PlayerEliminated,
    PlayerReady,
    PlayersSeeded,
    PlayerState,
    PlayerStatus,
    RoundClosed,
    RoundExtended,
    RoundMatchCreated,
    RoundPublished,
    RoundWithdrawn,
    ShowEvent,
    StageAdded,
    StageChanged,
    StageClosed,
    StageEvent,
    StageOpened,
    TournamentClosed,
)
from domain.tournament.stages import DEATH, TWO, Episode, Stage


def round_after(before: PublishedRound, event: ShowEvent, results: Results) -> PublishedRound:
    """A round of a show after an event of it; the death match has a table once two are to meet. One
    that was closed without candidates is open again when some are named."""
    assert before.show is not None, "it is a round of a show"
    show = _episode_after(before.show, event, before, results)
    meet = _who_meets(show)
    death = (MatchTable(DEATH, meet, ()),) if meet and len(before.tables) < DEATH else ()
    tables = (*before.tables, *death)
    return replace(before, show=show, tables=tables, status="published", closed=None)


def _episode_after(
    show: Episode, event: ShowEvent, before: PublishedRound, results: Results
) -> Episode:
    match event:
        case ImmuneNamed(players=players):
            result = results[before.tables[0].matches[-1]].result
            return replace(show, immune=players, counted=result)
        case CandidatesNamed(players=players):
            return replace(show, candidates=players)
        case ChoiceOpened(until=until):
            return replace(show, choice_until=until)
        case OpponentChosen(player=player, by=by):
            return replace(show, opponent=player, chosen_by=by)
        case PlayerEliminated(player=player):
            return replace(show, eliminated=player)


def _who_meets(show: Episode) -> tuple[int, ...]:
    """The two players of the death match; none while they are not known."""
    candidates = show.candidates or ()
    if len(candidates) == TWO:
        return candidates
    return () if show.opponent is None else (*candidates, show.opponent)


OfStage = (
    ShowEvent
    | StageChanged
    | StageOpened
    | RoundPublished
    | RoundMatchCreated
    | RoundWithdrawn
    | RoundExtended
    | RoundClosed
    | StageClosed
)


def competition_after(
    before: Competition, event: StageEvent | PlayerEntered, results: Results
) -> Competition:
    """The stages after an event; `results` are those that count at that moment."""
    match event:
        case (
            PlayerEntered()
            | PlayerStatus()
            | PlayersSeeded()
            | ByeAsked()
            | CheckInOpened()
            | CheckInClosed()
        ):
            return _people_after(before, event)
        case PlayerReady(match, player):
            here = before.ready.get(match, frozenset()) | {player}
            return replace(before, ready={**before.ready, match: here})
        case PenaltyGiven():
            return _penalized(before, event)
        case LotsCommitted() | LotsSeedGiven() | LotsDrawn():
            return _lots_after(before, event)
        case EndsMoved():
            return after_absence(before, event)
        case TournamentClosed(champions):
            return replace(before, champions=champions)
        case StageAdded():
            return replace(before, stages=(*before.stages, StageState(settings_of(event))))
        case PlayerEliminated(player=player):
            before = _with_status(before, player, "eliminated", None)
    return with_stage(before, event.stage, _stage_then(before, event, results))


def _people_after(before: Competition, event: Event) -> Competition:
    """What players are after an event."""
    match event:
        case PlayerEntered(player, rating, seed, team):
            people = {**before.people, player: PlayerFacts("entered", rating, seed, team)}
            return replace(before, people=people)
        case PlayerStatus(player, status, because, annulled=annulled):
            return _with_status(before, player, status, because, annulled=annulled is True)
        case PlayersSeeded(order):
            seeds = {player: seed for seed, player in enumerate(order, 1)}
            people = {
                player: replace(person, seed=seeds.get(player))
                for player, person in before.people.items()
            }
            return replace(before, people=people)
        case ByeAsked(player, stage, number):
            requests = (*before.byes_asked.get(player, ()), (stage, number))
            return replace(before, byes_asked={**before.byes_asked, player: requests})
        case CheckInOpened(closes):
            people = {player: person.asked_in() for player, person in before.people.items()}
            return replace(before, people=people, check_in=CheckIn(closes))
        case CheckInClosed() if before.check_in is not None:
            return replace(before, check_in=replace(before.check_in, closed=True))
    return before


def _with_status(
    before: Competition,
    player: int,
    status: PlayerState,
    because: str | None,
    *,
    annulled: bool = False,
) -> Competition:
    person = before.people[player].after(status, because, annulled=annulled)
    return replace(before, people={**before.people, player: person})


def _stage_then(before: Competition, event: OfStage, results: Results) -> StageState:
    """A stage after an event of it. A player who enters after its close is in later stages only."""
    stage = stage_of(before, event.stage)
    match event:
        case RoundClosed(round=number):
            as_it_stood = as_closed(before, event.stage, number, results)
            return _with_round(stage, number, status="closed", closed=as_it_stood)
        case StageOpened(entrants=entrants):
            seeds = {player: before.people[player].seed for player in entrants}
            return replace(stage, status="open", entrants=entrants, seeds=seeds)
        case StageClosed(places=places):
            players = tuple(entrants_of(before, stage))
            stage = _with_basis(stage, results)
            return replace(stage, status="closed", entrants=players, places=places)
        case RoundPublished():
            rounds = (*_with_basis(stage, results).rounds, _published(event))
            return replace(stage, rounds=rounds, seat_lots=UNSET)
        case _ if isinstance(event, ShowEvent):
            round_ = round_after(stage.rounds[event.round - 1], event, results)
            rounds = (*stage.rounds[: round_.number - 1], round_, *stage.rounds[round_.number :])
            return replace(stage, rounds=rounds)
    return _stage_after(stage, event)


def settings_of(event: StageAdded | StageChanged) -> Stage:
    """The settings of a stage, as an event has them."""
    return Stage(**{field: getattr(event, field) for field in Stage.__struct_fields__})


def _lots_after(
    before: Competition, event: LotsCommitted | LotsSeedGiven | LotsDrawn
) -> Competition:
    match event:
        case LotsCommitted():
            return replace(before, lots=event, seeds={})
        case LotsSeedGiven(player, seed):
            return replace(before, seeds={**before.seeds, player: seed})
        case LotsDrawn(purpose=purpose, outcome=outcome):
            return _after_draw(before, purpose, outcome)


def _after_draw(before: Competition, purpose: str, outcome: Sequence[object]) -> Competition:
    """After a draw of lots: `stage 2` orders the players of a stage, `groups 2 3` those of a round
    of a show, `replay 2 3 1` says who goes on at a table of a round. What follows from others is an
    event of its own."""
    kind, *numbers = purpose.split()
    of_stage, *rest = map(int, numbers)
    stage = stage_of(before, of_stage)
    order = tuple(item for item in outcome if isinstance(item, int))
    if kind == "stage":
        return with_stage(before, of_stage, replace(stage, lots=order))
    if kind == "groups":
        return with_stage(before, of_stage, replace(stage, seat_lots=order))
    if kind != "replay":
        return before
    number, table = rest
    return with_stage(before, of_stage, _with_table(stage, number, table, lots=order[0]))


def _penalized(before: Competition, event: PenaltyGiven) -> Competition:
    """After a penalty; one in garnets changes no stage."""
    if event.stage is None or event.points is None:
        return before
    stage, player = stage_of(before, event.stage), str(event.player)
    penalties = {**stage.penalties, player: stage.penalties.get(player, 0) + event.points}
    return with_stage(before, event.stage, replace(stage, penalties=penalties))


def _stage_after(stage: StageState, event: object) -> StageState:
    match event:
        case StageChanged():
            return replace(stage, settings=settings_of(event))
        case RoundMatchCreated(round=number, table=table, match=match):
            past = stage.rounds[number - 1].tables[table - 1].matches
            return _with_table(stage, number, table, matches=(*past, match))
        case RoundWithdrawn(round=number):
            stage = _with_round(stage, number, status="withdrawn")
            last = stage.standing[-1:]
            return _with_round(stage, last[0].number, basis=None) if last else stage
        case RoundExtended(round=number, ends=ends, tables=tables):
            if isinstance(tables, UnsetType):
                return _with_round(stage, number, ends=ends)
            for table in tables:
                stage = _with_table(stage, number, table, ends=ends)
    return stage


def _with_basis(stage: StageState, results: Results) -> StageState:
    """The stage, in which these results of the closed rounds have decided who goes on."""
    for past in stage.standing:
        if past.status == "closed" and past.basis is None:
            basis = tuple(matches_of(table, results) for table in past.paired)
            stage = _with_round(stage, past.number, basis=basis)
    return stage


def _published(event: RoundPublished) -> PublishedRound:
    return PublishedRound(
        number=event.round,
        method=event.method,
        version=event.version,
        inputs=event.inputs,
        by_hand=event.by_hand,
        tables=tuple(
            MatchTable(pairing.table, pairing.players, pairing.because)
            for pairing in event.pairings
        ),
        byes=event.byes,
        starts=event.starts,
        ends=event.ends,
        show=None if event.show is UNSET else Episode(event.show),
    )


def _with_round(stage: StageState, number: int, **parts: object) -> StageState:
    round_ = replace(stage.rounds[number - 1], **parts)
    return replace(stage, rounds=(*stage.rounds[: number - 1], round_, *stage.rounds[number:]))


def _with_table(stage: StageState, number: int, table: int, **parts: object) -> StageState:
    tables = stage.rounds[number - 1].tables
    new_table = replace(tables[table - 1], **parts)
    return _with_round(stage, number, tables=(*tables[: table - 1], new_table, *tables[table:]))
