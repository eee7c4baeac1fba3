"""What an audience sees of a match: a fold of the events it may see, and of nothing else."""

from collections.abc import Callable, Iterable
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from domain.draws import Part
from domain.events import Event, Record
from domain.game import Result
from domain.games import GAMES
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
from projections.boards import BOARDS
from projections.disclosure import Viewer, may_see, named
from projections.timestamps import rfc3339


class AwaitedDraw(Struct, frozen=True):
    """A draw that is awaited; id and parts only for those whom its outcome will be told."""

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


def see(sight: AudienceState, records: Iterable[Record[Event]]) -> AudienceState:
    """What the audience knows after `records`, all of which it may see."""
    seq, board = sight.seq, sight.board
    for record in records:
        event = record.event
        seq += 1
        if board is not None and sight.created is not None:
            board = BOARDS[sight.created.game].evolve(board, event, sight.viewer, record.at)
        handler = _SEERS.get(type(event))
        if handler is not None:
            sight = handler(sight, event)
            board = sight.board if board is None else board
    return sight if seq == sight.seq else replace(sight, seq=seq, board=board)


def see_all(sight: AudienceState, records: Iterable[Record[Event]]) -> AudienceState:
    """What the audience knows after `records`, of which it is shown only what it may see."""
    return see(sight, (r for r in records if may_see(sight.viewer, r.event)))


def view(match: str, game: str, sight: AudienceState) -> View:
    """The sight as it is sent."""
    return View(
        match,
        game,
        named(sight.viewer),
        sight.seq,
        sight.status,
        _awaiting(sight),
        sight.board,
        sight.result,
    )


def _awaiting(sight: AudienceState) -> Awaiting:
    awaiting, draw = sight.awaiting, None
    if awaiting.draw is not None:
        known = sight.asked if sight.asked and awaiting.draw.id is None else awaiting.draw
        draw = AwaitedDraw(known.id, known.parts)
    deadline = None if awaiting.deadline is None else rfc3339(awaiting.deadline)
    return Awaiting(awaiting.seats, draw, deadline)


def _created(sight: AudienceState, event: MatchCreated) -> AudienceState:
    return replace(sight, created=event)


def _started(sight: AudienceState, event: MatchStarted) -> AudienceState:
    created = sight.created
    assert created is not None
    options = msgspec.convert(created.options, GAMES[created.game].Options)
    board = BOARDS[created.game].initial(options, len(created.seats), sight.viewer)
    return replace(sight, status="running", board=board)


def _awaiting_changed(sight: AudienceState, event: AwaitingChanged) -> AudienceState:
    return replace(sight, awaiting=event)


def _draw_asked(sight: AudienceState, event: DrawAsked) -> AudienceState:
    return replace(sight, asked=event)


def _paused(sight: AudienceState, event: MatchPaused) -> AudienceState:
    return replace(sight, status="paused")


def _resumed(sight: AudienceState, event: MatchResumed) -> AudienceState:
    return replace(sight, status="running")


def _ended(sight: AudienceState, event: MatchEnded) -> AudienceState:
    return replace(sight, status="ended", awaiting=AWAITING_NOBODY, result=event.result)


_SEERS: dict[type[Event], Callable[[AudienceState, Any], AudienceState]] = {
    MatchCreated: _created,
    MatchStarted: _started,
    AwaitingChanged: _awaiting_changed,
    DrawAsked: _draw_asked,
    MatchPaused: _paused,
    MatchResumed: _resumed,
    MatchEnded: _ended,
}
