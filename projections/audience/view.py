"""What an audience sees of a match: a fold of the events it may see, and of nothing else."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import replace

from domain.chance.draws import Part
from domain.events import PUBLIC, Event, Numbered, Record
from domain.games import rules_of
from domain.match.events import AwaitingChanged, DrawAsked, MatchCreated, MatchEnded, MatchStarted
from domain.match.live import undoes, undone
from domain.match.state import AWAITING_NOBODY, Status
from domain.rulings.events import ActionAdmitted, MatchVoided, SeatReapplied
from projections.audience.disclosure import Viewer, conceals, may_see, name_audience
from projections.audience.matches import CHANGES, Course, course_after
from projections.audience.results import ShownResult
from projections.boards import BOARDS
from projections.fields import Timestamp, rfc3339


class AwaitedDraw(Struct, frozen=True):
    """A draw that is awaited; id and parts only for those who will see its outcome."""

    id: str | None
    parts: tuple[Part, ...] | None


class Awaiting(Struct, frozen=True):
    """Whom or what the match waits for, and until when (RFC 3339)."""

    seats: Annotated[tuple[int, ...], Meta(description="The seats, while it waits for any")] = ()
    draw: Annotated[
        AwaitedDraw | None, Meta(description="The draw that is awaited; null without one")
    ] = None
    deadline: Timestamp | None = None


class View(Struct, frozen=True):
    """A match as one audience sees it after its first `seq` events, of which the first `public_seq`
    public ones are the public's. `seats` are the names of those
    who have the seats then, in order; there are none before the first event. `title` is what its
    organiser calls it, `prize` what is played for, where they say so."""

    match: str
    game: str
    seats: tuple[str, ...]
    audience: str
    seq: int
    public_seq: int
    status: Status
    awaiting: Awaiting
    view: Any
    result: ShownResult | None
    title: str | UnsetType = UNSET
    prize: str | UnsetType = UNSET


class AudienceState(Struct, frozen=True):
    """What an audience knows after its first `seq` events, `public_seq` of them public; `asked` is
    the sealed draw, for those who may know it. It `masks` what the match conceals from it."""

    viewer: Viewer
    seq: int = 0
    public_seq: int = 0
    created: MatchCreated | None = None
    course: Course | None = None
    awaiting: AwaitingChanged = AWAITING_NOBODY
    asked: DrawAsked | None = None
    board: Any = None
    masks: bool = False


def see(state: AudienceState, records: Iterable[Record[Event]]) -> AudienceState:
    """What the audience knows after `records`, all of which it may see, and none of which undoes
    an earlier one."""
    seq, public, board, viewer = state.seq, state.public_seq, state.board, state.viewer
    evolve = None if state.created is None else BOARDS[state.created.game].evolve
    for record in records:
        event = record.event.masked() if state.masks else record.event
        seq += 1
        public += event.audience == PUBLIC
        if board is not None and evolve is not None:
            board = evolve(board, event, viewer, record.at)
        kind = type(event)
        if kind in CHANGES:
            state = replace(state, course=course_after(state.course, record))
        handler = _SEERS.get(kind)
        if handler is not None:
            state = handler(state, event)
            if board is None and state.created is not None:
                board, evolve = state.board, BOARDS[state.created.game].evolve
    return state if seq == state.seq else replace(state, seq=seq, public_seq=public, board=board)


def see_live(
    viewer: Viewer, positions: Sequence[int], records: Sequence[Record[Event]]
) -> AudienceState:
    """What the audience knows after all its events, which are at these positions. What was undone
    is not in it (`domain.match.live`), and an action that counts again is as it was received."""
    state = AudienceState(viewer)
    if not undoes(record.event for record in records):
        return see(state, records)
    created = records[0].event
    assert isinstance(created, MatchCreated), "every audience sees the creation"
    by_position = dict(zip(positions, records, strict=True))
    own = [Numbered(n, n - record.back, record) for n, record in by_position.items()]
    undone_by = undone(own, rules_of(created).sealed_phase)
    live_records = (entry.record for entry in own if entry.number not in undone_by)
    public = sum(record.event.audience == PUBLIC for record in records)
    state_then = see(state, (_first(record, by_position) for record in live_records))
    return replace(state_then, seq=len(records), public_seq=public)


def _first(record: Record[Event], by_position: Mapping[int, Record[Event]]) -> Record[Event]:
    """The record, or the action that it repeats."""
    while isinstance(record.event, SeatReapplied | ActionAdmitted):
        record = by_position[record.event.of]
    return record


def see_all(before: AudienceState, records: Iterable[Record[Event]]) -> AudienceState:
    """What the audience knows after those of these events that it may see; `before` is what it
    knows before the first. Only with a whole record may they undo something."""
    viewer = before.viewer
    if before.seq:
        return see(before, (r for r in records if may_see(viewer, r.event)))
    own = [(n, r) for n, r in enumerate(records, 1) if may_see(viewer, r.event)]
    return see_live(viewer, [n for n, _ in own], [r for _, r in own])


def state_of(
    viewer: Viewer, numbered: Iterable[tuple[int, Record[Event]]], seq: int | None
) -> AudienceState | None:
    """What the audience knew after its first `seq` events, by default after all of them; None if it
    has not come so far. The records, with their positions, are all that it may see, at least."""
    own = [(n, r) for n, r in numbered if may_see(viewer, r.event)][:seq]
    state = see_live(viewer, [n for n, _ in own], [r for _, r in own])
    return state if seq in (None, state.seq) else None


def view(match: str, game: str, state: AudienceState) -> View:
    """The state as it is sent."""
    row = None if state.course is None else state.course.row
    return View(
        match=match,
        game=game,
        seats=() if row is None else row.seats,
        audience=name_audience(state.viewer),
        seq=state.seq,
        public_seq=state.public_seq,
        status="created" if row is None else row.status,
        awaiting=awaiting_of(state.awaiting, state.asked),
        view=None if state.board is None else BOARDS[game].show(state.board),
        result=None if row is None else row.result,
        title=UNSET if state.created is None else state.created.title,
        prize=UNSET if state.created is None else state.created.prize,
    )


def awaiting_of(awaiting: AwaitingChanged, sealed_draw: DrawAsked | None = None) -> Awaiting:
    """What is awaited as it is sent; `sealed_draw` is the one, for those who may know it."""
    draw = None
    if awaiting.draw is not None:
        draw_shown = sealed_draw if sealed_draw and awaiting.draw.id is None else awaiting.draw
        draw = AwaitedDraw(draw_shown.id, draw_shown.parts)
    deadline = None if awaiting.deadline is None else rfc3339(awaiting.deadline)
    return Awaiting(awaiting.seats, draw, deadline)


def _created(state: AudienceState, event: MatchCreated) -> AudienceState:
    return replace(state, created=event)


def _started(state: AudienceState, event: MatchStarted) -> AudienceState:
    created = state.created
    assert created is not None
    options = msgspec.convert(created.options, rules_of(created).Options)
    board = BOARDS[created.game].initial(options, created.seats, state.viewer)
    return replace(state, board=board, masks=conceals(state.viewer, created))


def _awaiting_changed(state: AudienceState, event: AwaitingChanged) -> AudienceState:
    return replace(state, awaiting=event)


def _draw_asked(state: AudienceState, event: DrawAsked) -> AudienceState:
    return replace(state, asked=event)


def _over(state: AudienceState, event: MatchEnded | MatchVoided) -> AudienceState:
    return replace(state, awaiting=AWAITING_NOBODY)


_SEERS: dict[type[Event], Callable[[AudienceState, Any], AudienceState]] = {
    MatchCreated: _created,
    MatchStarted: _started,
    AwaitingChanged: _awaiting_changed,
    DrawAsked: _draw_asked,
    MatchEnded: _over,
    MatchVoided: _over,
}
