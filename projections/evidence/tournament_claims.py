"""The claims about a tournament: its matches, how they count, and all that was decided in it, each
judged again as far as its bundle opens it."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import groupby

from msgspec import UNSET, UnsetType

from domain.events import HOUR, Event, Instant, Numbered
from domain.games import rules_of
from domain.match.events import MatchEnded, MatchStarted, SeatNamed
from domain.match.public_result import public_state
from domain.proof.tournament_differences import Part
from domain.proof.tournament_rejudging import TournamentJudge
from domain.rulings.events import MatchRuled, ResultRuled
from domain.tournament.absences import BY_ITSELF
from domain.tournament.events import (
    GarnetsPosted,
    MatchAdded,
    MatchCorrected,
    MatchSettled,
    PlayerNamed,
    TournamentRuled,
)
from domain.tournament.settling import named_by
from domain.tournament.stage_events import (
    LotsDrawn,
    RoundClosed,
    RoundMatchCreated,
    RoundPublished,
    RoundWithdrawn,
    StageClosed,
)
from domain.tournament.stages import Named
from projections.audience.disclosure import may_see
from projections.evidence.case import InnerMatch, JudgedBundle, Said, Wrong
from projections.evidence.rules import ending
from projections.evidence.subject_records import settled_in

COUNTED: Mapping[Part, tuple[type[Event], str]] = {
    "lots": (LotsDrawn, "draws of lots come out as recorded, each from the seed committed to"),
    "pairings": (RoundPublished, "rounds are paired again as they were published"),
    "standings": (StageClosed, "stages have the places that their results give"),
    "postings": (GarnetsPosted, "postings are those that were due"),
}
"""What there is of each part, and what holds of it."""


def inner_match(case: JudgedBundle, *, sealed: bool) -> InnerMatch:
    """What is known of a match by its own bundle. Raises Wrong if it is not over."""
    end = ending(case.created, case.records)
    if end is None or not end.over:
        raise Wrong(f"match {case.id} counts, and it is not over")
    result = end.event.result if isinstance(end.event, MatchEnded) else None
    first: dict[int, str] = {}
    for _, event in case.events:
        if isinstance(event, SeatNamed):
            first.setdefault(event.seat, event.name)
    names = tuple(first[seat] for seat in sorted(first))
    is_ruled = result is None or isinstance(end.before, ResultRuled)
    has_begun = any(isinstance(event, MatchStarted) for _, event in case.events)
    forfeit = isinstance(end.before, ResultRuled) and end.before.because == "forfeit"
    return InnerMatch(
        created=case.created,
        names=names,
        result=result,
        sealed=sealed,
        named=None if is_ruled else _naming_of(case),
        begun=has_begun,
        forfeit=forfeit,
        by_itself=_by_itself(case) if forfeit else None,
    )


def _by_itself(case: JudgedBundle) -> Instant | None:
    """When the service ruled the result of a match by itself; None if someone else did."""
    rulings = [
        entry.record
        for entry in case.public
        if isinstance(entry.event, MatchRuled) and entry.event.kind == "result"
    ]
    last = rulings[-1]
    return last.at if isinstance(last.event, MatchRuled) and last.event.rule == BY_ITSELF else None


def _naming_of(case: JudgedBundle) -> Named | UnsetType | None:
    """Whom the game of a match names for a show, by its public events."""
    try:
        game = rules_of(case.created)
    except KeyError:
        return UNSET
    if game.immune is None and game.candidates is None:
        return None
    try:
        return named_by(*public_state(case.id, case.public))
    except Exception as error:
        raise Wrong(f"the public events of match {case.id} do not fit together") from error


def check_matches(case: JudgedBundle) -> None:
    """Checks that the matches inside are those that count, each of this tournament, of the game and
    the players with whom it was added."""
    if list(case.matches) != list(settled_in(case.records)):
        raise Wrong("the matches inside are not those that count")
    for index, event, names in _additions(case):
        match = case.inside.get(event.match)
        if match is None:
            continue
        if match.created.tournament != case.id:
            raise Wrong(f"match {event.match} is of another tournament")
        players = tuple(names[player] for player in event.players)
        if (match.created.game, match.names) != (event.game, players):
            raise Wrong(f"event {index} adds match {event.match} for others, or of another game")


def _additions(case: JudgedBundle) -> Iterator[tuple[int, MatchAdded, Mapping[int, str]]]:
    """Each match that was added, and the names of the players then."""
    names: dict[int, str] = {}
    for index, event in case.events:
        if isinstance(event, PlayerNamed):
            names[event.player] = event.name
        if isinstance(event, MatchAdded):
            yield index, event, names


def results(case: JudgedBundle) -> Said:
    """Each result that counts is that of its match, or a ruling's."""
    match_ruled, unseen, corrected = None, 0, 0
    for index, event in case.events:
        if isinstance(event, TournamentRuled):
            match_ruled = event.match
        if isinstance(event, MatchSettled):
            match = case.inside[event.match]
            unseen += match.sealed
            if (match.result, match.forfeit) != (event.result, event.forfeit is True):
                raise Wrong(f"event {index} counts another result than match {event.match} has")
        if isinstance(event, MatchCorrected):
            corrected += 1
            if event.match != match_ruled:
                raise Wrong(f"event {index} corrects match {event.match} without a ruling")
    unjudged = _faultless("results", case)
    if unjudged is not None:
        return "SEALED", unjudged
    _check_forfeits(case)
    text = f"{len(case.inside):,} results are those of their matches, {corrected:,} were corrected"
    if unseen:
        return "SEALED", f"{text}; of {unseen:,} it is sealed how they came about"
    return "PASS", text


def _check_forfeits(case: JudgedBundle) -> None:
    """Raises Wrong unless stages leave to the service the forfeits that it has ruled by itself, and
    none was ruled before the end of its round."""
    rounds = {
        match: (stage.settings, round_.starts)
        for stage in judge_of(case).state.competition.stages
        for round_ in stage.rounds
        for table in round_.tables
        for match in table.matches
    }
    for match, inner in case.inside.items():
        if inner.by_itself is None:
            continue
        stage, starts = rounds.get(match, (None, 0))
        if stage is None or stage.absent != "forfeit":
            raise Wrong(f"match {match} was forfeited by a setting that its stage does not have")
        if inner.by_itself < starts + int((stage.round.ends or 0) * HOUR):
            raise Wrong(f"match {match} was forfeited before the end of its round")


def _part(part: Part, case: JudgedBundle) -> Said:
    """A part of the tournament, judged again."""
    judge, unjudged = judge_of(case), _faultless(part, case)
    if part == "pairings":
        _check_withdrawn(case)
    kind, holds = COUNTED[part]
    text = f"{judge.judged[kind]:,} {holds}"
    if unjudged is not None:
        return "SEALED", unjudged
    if part == "postings" and case.sealed:
        return "SEALED", f"{text}, as far as they are open"
    if part == "standings":
        return "PASS", f"{text}, after {judge.judged[RoundClosed]:,} closed rounds"
    return "PASS", text


def _check_withdrawn(case: JudgedBundle) -> None:
    """Raises Wrong unless the matches of rounds that were withdrawn are void and never began."""
    tables: dict[tuple[int, int], list[str]] = {}
    for index, event in case.events:
        if isinstance(event, RoundMatchCreated):
            tables.setdefault((event.stage, event.round), []).append(event.match)
        if isinstance(event, RoundWithdrawn):
            for match in tables.get((event.stage, event.round), ()):
                if match in case.inside and case.inside[match].begun:
                    raise Wrong(f"event {index} withdraws a round of which match {match} had begun")


def rules(case: JudgedBundle) -> Said:
    """All else that was done in the tournament was allowed, and has the consequences recorded."""
    unjudged = _faultless("rules", case)
    if unjudged is not None:
        return "SEALED", unjudged
    if case.sealed:
        return "SEALED", "all that can be read follows; what is sealed is not judged"
    return "PASS", "decided again, what came in gives what is recorded"


def _faultless(part: Part, case: JudgedBundle) -> str | None:
    """Why something of a part is not judged, if that is so. Raises Wrong if something of it does
    not follow."""
    judge = judge_of(case)
    if part in judge.faults:
        raise Wrong(judge.faults[part])
    why = judge.unjudged.get(part, judge.stuck)
    return None if why is None else f"not judged: {why}"


def judge_of(case: JudgedBundle) -> TournamentJudge:
    """The tournament, judged again once for all claims."""
    if case.tournament is None:
        namings = {
            match: entry.named for match, entry in case.inside.items() if entry.named is not UNSET
        }
        sees = partial(may_see, case.manifest.audience)
        judge = TournamentJudge(case.id, sees, namings=namings)
        numbered = (
            Numbered(index, index - record.back, record)
            for index, record in enumerate(case.records)
            if record is not None
        )
        for _, batch in groupby(numbered, lambda entry: entry.cause):
            judge.take(list(batch))
        case.tournament = judge
    return case.tournament


PARTS: tuple[tuple[str, Callable[[JudgedBundle], Said]], ...] = (
    ("results", results),
    *((part, partial(_part, part)) for part in COUNTED),
    ("rules", rules),
)
"""The claims that come after those about its matches."""
