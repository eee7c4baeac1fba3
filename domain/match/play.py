"""What follows from an input of the game itself: the rules decide, and the match says for whom it
waits."""

from collections.abc import Sequence

from msgspec import UNSET
from msgspec.structs import replace

from domain.cases.match_events import any_open
from domain.chance import seeds
from domain.chance.draws import Draw, DrawnBy, Outcome
from domain.events import PUBLIC, Event, Instant, later
from domain.game import Awaits, Result
from domain.match import deadlines
from domain.match.commands import Conflict
from domain.match.deadlines import HOUR
from domain.match.events import (
    AwaitingChanged,
    DeadlinePassed,
    DrawAsked,
    DrawSettled,
    DrawShown,
    MatchEnded,
    MatchPaused,
    MatchResumed,
    SealedDrawSettled,
)
from domain.match.state import AnyGame, Match, awaits


def check_running(match: Match) -> None:
    """Raises Conflict unless the match is running."""
    if match.status != "running":
        raise Conflict("match_not_running", match.status)


def draw_settled(
    draw: Draw, outcome: Outcome, by: DrawnBy, key_commit: bytes | None = None
) -> DrawSettled | SealedDrawSettled:
    """The event that answers a draw, for the draw's own audience."""
    event_type = DrawSettled if draw.audience == PUBLIC else SealedDrawSettled
    return event_type(draw.id, outcome, by, key_commit)


def settle_draw(
    game: AnyGame, match: Match, causes: Sequence[Event], outcome: Outcome, at: int
) -> list[Event]:
    """What follows from the outcome of the draw that is awaited."""
    draw = game.awaits(match.game).draw
    assert draw is not None, "it is awaited"
    return follow(game, match, causes, game.settle(match.game, draw, outcome), at)


def expire_phase(game: AnyGame, match: Match, cause: Event, at: int) -> list[Event]:
    """What follows from the end of the open phase, by its deadline or by hand."""
    deadline = game.awaits(match.game).deadline
    assert deadline is not None and deadline.id == match.awaiting.phase
    return follow(game, match, [cause], game.expire(match.game, deadline), at, spent=True)


def pause_match(match: Match, at: int) -> list[Event]:
    """What a pause at `at` gives. Raises Conflict if the match is not running."""
    if match.status != "running":
        raise Conflict("match_not_running", match.status)
    due = match.awaiting.deadline
    if due is None:
        return [MatchPaused()]
    return [MatchPaused(max(0, due - at)), replace(match.awaiting, deadline=None)]


def resume_match(match: Match, at: int) -> list[Event]:
    """What the end of a pause at `at` gives. Raises Conflict if the match is not paused."""
    if match.status != "paused":
        raise Conflict("not_paused")
    events = [MatchResumed(), *sealing(match)]
    if match.time_left is None:
        return events
    return [*events, replace(match.awaiting, deadline=later(at, match.time_left))]


def sealing(match: Match) -> list[Event]:
    """Seals the seed of an epoch that begins."""
    if match.epoch is None or match.epoch.transcript is not None:
        return []
    return [seeds.seal_seed(match.id, match.epoch)]


def follow(
    game: AnyGame,
    match: Match,
    causes: Sequence[Event],
    own_events: Sequence[Event],
    at: int,
    *,
    spent: bool = False,
) -> list[Event]:
    """The input, what the game decides on it, and then whom the match waits for. `spent`: the
    deadline in force is over, so a deadline with the same id is a new one."""
    state = match.game
    for event in own_events:
        state = game.evolve(state, event)
    events = [*causes, *own_events]
    result = game.result(state)
    if result is not None:
        return [*events, end_match(match, result, at)]
    phase = None if spent else match.awaiting.phase
    waits = awaits(game, match, state)
    return [*events, *announce_wait(match, waits, _counted_from(match, causes[0], at), at, phase)]


def _counted_from(match: Match, cause: Event, at: int) -> int:
    """The instant from which a wait for a time of day is counted: that of the deadline that has
    passed, before anything moved it, also after the draws that come first; else now."""
    instant = None
    if isinstance(cause, DeadlinePassed):
        instant = match.unmoved
    elif isinstance(cause, DrawSettled | SealedDrawSettled):
        instant = match.counted_from
    return at if instant is None else instant


def end_match(match: Match, result: Result, at: Instant) -> MatchEnded:
    """The end of a match at `at`. A result that replaces a provisional one does not move the end of
    the window: it counts from when the match was played out."""
    hours, until = match.created.protest_hours, match.protests_until
    if hours is UNSET:
        return MatchEnded(result)
    return MatchEnded(result, later(at, hours * HOUR) if until is None else until)


def window_end(match: Match) -> Instant | None:
    """The instant at which the clock makes the result final; None if it never does so by itself, or
    not while a case is open."""
    until = match.protests_until
    return None if until is None or any_open(match.cases) else until


def announce_wait(
    match: Match, waits: Awaits, counted_from: int, at: int, phase: str | None
) -> list[Event]:
    """What announces that the match `waits`: a sealed draw to its audience, and then whom or what
    it waits for, where that is new. `phase` is the one that goes on."""
    events: list[Event] = []
    draw = waits.draw
    if draw is not None and draw.audience != PUBLIC and draw.id != match.asked_draw:
        events.append(DrawAsked(draw.id, draw.parts))
    awaiting = _announced(match, waits, counted_from, at, phase)
    if awaiting != match.awaiting:
        events.append(awaiting)
    return events


def _announced(
    match: Match, waits: Awaits, counted_from: int, at: int, phase: str | None
) -> AwaitingChanged:
    draw, deadline = waits.draw, waits.deadline
    draw_shown = None
    if draw is not None:
        draw_shown = DrawShown(draw.id, draw.parts) if draw.audience == PUBLIC else DrawShown()
    if deadline is None:
        return AwaitingChanged(waits.seats, draw_shown)
    if deadline.id == phase:
        return AwaitingChanged(waits.seats, draw_shown, deadline.id, match.awaiting.deadline)
    due = None if match.status == "paused" else due_of(match, waits, counted_from, at)
    return AwaitingChanged(waits.seats, draw_shown, deadline.id, due)


def due_of(match: Match, waits: Awaits, counted_from: int, at: int) -> int | None:
    """The instant at which a wait that begins is over by the clock; None if no clock runs."""
    wait = None if waits.deadline is None else waits.deadline.wait
    if wait is None or match.created.clock != "rules":
        return None
    return deadlines.due_after(wait, counted_from, at)
