"""What each kind of ruling gives when it is carried out (/docs/rulings#the-kinds)."""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from domain.events import LATEST, Event
from domain.game import Result
from domain.match.commands import Conflict
from domain.match.deadlines import SECOND
from domain.match.events import DeadlineSet, MatchPaused
from domain.match.play import end_match, pause_match, resume_match
from domain.match.state import AnyGame, Match
from domain.names import fault_in, is_of
from domain.people import Actor, named_person
from domain.rulings.commands import Past
from domain.rulings.events import (
    MatchConfirmed,
    MatchVoided,
    PublicNoted,
    ResultRuled,
    SealedNoted,
    SeatNoted,
    SeatReplaced,
)
from domain.rulings.kinds import (
    AnyRuling,
    Confirm,
    Extend,
    Note,
    PauseMatch,
    ReplaceSeat,
    ResumeMatch,
    Rewind,
    RuleResult,
    VoidMatch,
)
from domain.rulings.rewinding import rewind_match


def effect(
    game: AnyGame,
    match: Match,
    ruling: AnyRuling,
    actor: Actor | None,
    at: int,
    past: Past | None = None,
) -> list[Event]:
    """The events that a ruling gives at `at`, after those that say it was ruled. `actor` carries
    it out, or all seats do. A rewind looks back on its `past`.

    Raises Conflict if it does not fit the match.
    """
    if match.over:
        raise Conflict("result_final")
    if isinstance(ruling, Rewind):
        assert past is not None, "a rewind comes with its past"
        return rewind_match(game, match, ruling, past, at).events
    if isinstance(ruling, ReplaceSeat):
        return _replace_seat(match, ruling, actor)
    return _EFFECTS[type(ruling)](match, ruling, at)


def _extend(match: Match, ruling: Extend, at: int) -> list[Event]:
    if match.status in ("created", "ended"):
        raise Conflict("match_not_running", match.status)
    if match.status == "paused":
        return _more_time(match, ruling, at)
    before, phase = match.awaiting.deadline, match.awaiting.phase
    if before is None or phase is None:
        raise Conflict("no_deadline")
    after = before + ruling.seconds * SECOND if ruling.seconds else ruling.deadline
    if after is None or after <= max(at, before):
        raise Conflict("not_in_future")
    _check_not_too_late(after)
    move = DeadlineSet(phase, after, "ruling", before, after)
    return [move, replace(match.awaiting, deadline=after)]


def _more_time(match: Match, ruling: Extend, at: int) -> list[Event]:
    """While the match is paused no deadline is in force: there is only time left."""
    if match.time_left is None or ruling.seconds is None:
        raise Conflict("no_deadline")
    time_left = match.time_left + ruling.seconds * SECOND
    _check_not_too_late(at + time_left)
    return [MatchPaused(time_left)]


def _check_not_too_late(deadline: int) -> None:
    if deadline > LATEST:
        raise Conflict("too_late")


def _note(match: Match, ruling: Note, at: int) -> list[Event]:
    content = (ruling.text, ruling.severity)
    if ruling.to == "public":
        return [PublicNoted(*content)]
    if ruling.to == "sealed":
        return [SealedNoted(*content)]
    seat = int(ruling.to.split(":")[1])
    _check_seat(match, seat)
    return [SeatNoted(seat, *content)]


def _rule_result(match: Match, ruling: RuleResult, at: int) -> list[Event]:
    if match.status == "created":
        raise Conflict("match_not_running", match.status)
    if not fits(ruling.result, match.created.seats):
        raise Conflict("result_does_not_fit")
    return [ResultRuled(ruling.result, ruling.because), end_match(match, ruling.result, at)]


def fits(result: Result, seats: int) -> bool:
    """Whether a result can be one of a match with this many seats."""
    seats_named = sorted((*result.winners, *result.losers))
    once = seats_named == sorted(set(seats_named)) and set(seats_named) <= set(range(seats))
    return once and len(result.scores) == seats and not (result.shared and result.losers)


def _confirm(match: Match, ruling: Confirm, at: int) -> list[Event]:
    if match.status != "ended":
        raise Conflict("match_not_ended")
    return [MatchConfirmed()]


def _replace_seat(match: Match, ruling: ReplaceSeat, actor: Actor | None) -> list[Event]:
    _check_seat(match, ruling.seat)
    rulings = match.rulings
    others = [name for seat, name in match.names if seat != ruling.seat]
    # A former holder may take the seat again, under their own name.
    own = [name for seat, name in match.names if seat == ruling.seat]
    fault = fault_in(ruling.name, others)
    if fault == "taken" or (fault is not None and ruling.name not in own):
        raise Conflict("name_not_allowed")
    judges = {person for past in rulings.past for person in past.people}
    judges |= {waiting.person for waiting in rulings.pending if waiting.person is not None}
    if actor is not None:
        judges.add(actor.person)
    if named_person(ruling.name) in judges or is_of(ruling.name, match.keys.moderators):
        raise Conflict("moderator_plays")
    return [SeatReplaced(ruling.seat)]


def _check_seat(match: Match, seat: int) -> None:
    if seat >= match.created.seats:
        raise Conflict("no_such_seat")


_EFFECTS: Mapping[type[AnyRuling], Callable[[Match, Any, int], list[Event]]] = {
    PauseMatch: lambda match, _, at: pause_match(match, at),
    ResumeMatch: lambda match, _, at: resume_match(match, at),
    Extend: _extend,
    Note: _note,
    RuleResult: _rule_result,
    VoidMatch: lambda _match, ruling, _at: [MatchVoided(ruling.replaced_by)],
    Confirm: _confirm,
}
