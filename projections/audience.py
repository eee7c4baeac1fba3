"""What an audience sees of a match: a fold of the events it may see, and of nothing else."""

from collections.abc import Callable, Iterable
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from domain.draws import Part
from domain.events import Event, Record
from domain.game import Result
from domain.games import rules_of
from domain.match_events import (
    AwaitingChanged,
    DrawAsked,
    MatchCreated,
    MatchEnded,
    MatchPaused,
    MatchResumed,
    MatchStarted,
)
from domain.match_state import AWAITING_NOBODY, Status
from domain.ruling_events import MatchVoided
from projections.boards import BOARDS
from projections.disclosure import Viewer, may_see, named
from projections.timestamps import rfc3339


class AwaitedDraw(Struct, frozen=True):
    """A draw that is awaited; id and parts only for those who will see its outcome."""

    id: str | None
    parts: tuple[Part, ...] | None


class Awaiting(Struct, frozen=True):
    """Whom or what the match waits for, and until when (RFC 3339)."""

    seats: tuple[int, ...] = ()
    draw: AwaitedDraw | None = None
    deadline: str | None = None


class View(Struct, frozen=True):
    """A match as one audience sees it after its first `seq` events."""

    match: str
    game: str
    audience: str
    seq: int
    status: Status
    awaiting: Awaiting
    view: Any
    result: Result | None


class AudienceState(Struct, frozen=True):
    """What an audience knows after its first `seq` events; `asked` is the sealed draw, for those
    who may know it."""

    viewer: Viewer
    seq: int = 0
    status: Status = "created"
    created: MatchCreated | None = None
    awaiting: AwaitingChanged = AWAITING_NOBODY
    asked: DrawAsked | None = None
    board: Any = None
    result: Result | None = None


def see(state: AudienceState, records: Iterable[Record[Event]]) -> AudienceState:
    """What the audience knows after `records`, all of which it may see."""
    seq, board = state.seq, state.board
    for record in records:
        event = record.event
        seq += 1
        if board is not None and state.created is not None:
            board = BOARDS[state.created.game].evolve(board, event, state.viewer, record.at)
        handler = _SEERS.get(type(event))
        if handler is not None:
            state = handler(state, event)
            board = state.board if board is None else board
    return state if seq == state.seq else replace(state, seq=seq, board=board)


def see_all(state: AudienceState, records: Iterable[Record[Event]]) -> AudienceState:
    """What the audience knows after those of `records` that it may see."""
    return see(state, (r for r in records if may_see(state.viewer, r.event)))


def view(match: str, game: str, state: AudienceState) -> View:
    """The state as it is sent."""
    return View(
        match,
        game,
        named(state.viewer),
        state.seq,
        state.status,
        _awaiting(state),
        state.board,
        state.result,
    )


def _awaiting(state: AudienceState) -> Awaiting:
    awaiting, draw = state.awaiting, None
    if awaiting.draw is not None:
        known = state.asked if state.asked and awaiting.draw.id is None else awaiting.draw
        draw = AwaitedDraw(known.id, known.parts)
    deadline = None if awaiting.deadline is None else rfc3339(awaiting.deadline)
    return Awaiting(awaiting.seats, draw, deadline)


def _created(state: AudienceState, event: MatchCreated) -> AudienceState:
    return replace(state, created=event)


def _started(state: AudienceState, event: MatchStarted) -> AudienceState:
    created = state.created
    assert created is not None
    options = msgspec.convert(created.options, rules_of(created).Options)
    board = BOARDS[created.game].initial(options, len(created.seats), state.viewer)
    return replace(state, status="running", board=board)


def _awaiting_changed(state: AudienceState, event: AwaitingChanged) -> AudienceState:
    return replace(state, awaiting=event)


def _draw_asked(state: AudienceState, event: DrawAsked) -> AudienceState:
    return replace(state, asked=event)


def _paused(state: AudienceState, event: MatchPaused) -> AudienceState:
    return replace(state, status="paused")


def _resumed(state: AudienceState, event: MatchResumed) -> AudienceState:
    return replace(state, status="running")


def _ended(state: AudienceState, event: MatchEnded) -> AudienceState:
    return replace(state, status="ended", awaiting=AWAITING_NOBODY, result=event.result)


def _voided(state: AudienceState, event: MatchVoided) -> AudienceState:
    return replace(state, status="void", awaiting=AWAITING_NOBODY)


_SEERS: dict[type[Event], Callable[[AudienceState, Any], AudienceState]] = {
    MatchCreated: _created,
    MatchStarted: _started,
    AwaitingChanged: _awaiting_changed,
    DrawAsked: _draw_asked,
    MatchPaused: _paused,
    MatchResumed: _resumed,
    MatchEnded: _ended,
    MatchVoided: _voided,
}
