"""What a rewind gives when it is carried out: the match goes on where it was, with what is changed
there, and perhaps with the later inputs judged again (/docs/rulings#going-back)."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from domain.chance.draws import Draw, Outcome, fits
from domain.events import PUBLIC, Event
from domain.game import Refused
from domain.match import deadlines, play
from domain.match.commands import Conflict
from domain.match.events import (
    ActionReceived,
    AwaitingChanged,
    DeadlinePassed,
    DrawSettled,
    MatchPaused,
    PhaseClosed,
    SealedDrawSettled,
)
from domain.match.fold import fold
from domain.match.state import AnyGame, Match, awaits, convert_action
from domain.rulings.commands import Input, Past
from domain.rulings.events import (
    ActionAdmitted,
    ActionStruck,
    MatchRewound,
    PublicReapplied,
    RewindOrdered,
    SealedReapplied,
    SeatReapplied,
)
from domain.rulings.kinds import Redraw, Rewind


class Misfit(Struct, frozen=True):
    """The first later input that is not legal any more, by its position, and why."""

    position: int
    code: str


class Rewound(Struct, frozen=True):
    """The events of a rewind, and where judging later inputs again ended; None if it took them
    all."""

    events: list[Event]
    misfit: Misfit | None = None


def rewind_match(game: AnyGame, match: Match, ruling: Rewind, past: Past, at: int) -> Rewound:
    """What a rewind gives at `at`. Raises Conflict if it does not fit the match."""
    if past.fault is not None:
        raise Conflict(past.fault)
    if past.base.status == "ended":
        # Behind the end there is nothing to go on with.
        raise Conflict("match_not_running", past.base.status)
    if ruling.before is None:
        return Rewound(_in_open_phase(game, ruling, past, at))
    return _Rewind(game, match, ruling, past, at).carried_out()


def _in_open_phase(game: AnyGame, ruling: Rewind, past: Past, at: int) -> list[Event]:
    """Nothing is undone but what is struck, and nothing is shown to anyone else."""
    match: Match = past.base
    phase = match.awaiting.phase
    if phase is None or not game.sealed_phase(phase):
        raise Conflict("not_live")
    events: list[Event] = [RewindOrdered(ruling.changes, ruling.reapply), *_strikes(past)]
    for of, action in past.admitted:
        admitted = _admitted(game, match, of, action, at)
        if any(event.audience == PUBLIC for event in admitted):
            raise Conflict("not_admissible")
        match = fold(game, match, admitted)
        events += admitted
    return events


def _strikes(past: Past) -> list[Event]:
    return [ActionStruck(action.seat, of) for of, action in past.struck]


def _admitted(game: AnyGame, match: Match, of: int, action: ActionReceived, at: int) -> list[Event]:
    """What follows from an action that counts after all. Raises Conflict if it cannot."""
    try:
        own_events = game.decide(match.game, action.seat, convert_action(game, action.action))
    except Refused:
        raise Conflict("not_admissible") from None
    return play.follow(game, match, [ActionAdmitted(action.seat, of)], own_events, at)


class _Rewind:
    """A rewind as it is carried out: what it has given so far, and the match after that, paused."""

    def __init__(self, game: AnyGame, match: Match, ruling: Rewind, past: Past, at: int) -> None:
        self.game = game
        self.ruling = ruling
        self.past = past
        self.at = at
        self.base: Match = past.base
        self.match = self.base
        self.events: list[Event] = []
        self.moved_on = False
        self.counted_from: int | None = self.base.counted_from
        self.redraws = dict(_redrawn(ruling))
        self._add(
            MatchRewound(match.rulings.branch + 1, past.start),
            RewindOrdered(ruling.changes, ruling.reapply),
            MatchPaused(self._left_at_point()),
        )

    def carried_out(self) -> Rewound:
        """Raises Conflict for a change that does not fit."""
        self._announce()
        self._add(*_strikes(self.past))
        for of, action in self.past.admitted:
            self._add(*_admitted(self.game, self.match, of, action, self.at))
        misfit = self._reapply() if self.ruling.reapply == "while_legal" else None
        self._redraw()
        if self.redraws:
            raise Conflict("no_such_draw")
        self.events[2] = self._pause()
        return Rewound(self.events, misfit)

    def _add(self, *events: Event) -> None:
        phase = self.match.awaiting.phase
        self.match = fold(self.game, self.match, events)
        self.moved_on |= self.match.awaiting.phase != phase
        self.events += events

    def _announce(self) -> None:
        """Says for whom the match waits where it goes on; while it is paused no deadline is in
        force."""
        self.match = replace(self.match, awaiting=replace(self.match.awaiting, deadline=None))
        waits = awaits(self.game, self.match, self.match.game)
        announcement = play.announce_wait(
            self.match, waits, self.at, self.at, self.match.awaiting.phase
        )
        is_announced = any(isinstance(event, AwaitingChanged) for event in announcement)
        self._add(*announcement, *(() if is_announced else (self.match.awaiting,)))

    def _left_at_point(self) -> int | None:
        due = self.base.awaiting.deadline
        if self.base.status == "paused" or due is None:
            return self.base.time_left
        return max(0, due - self.past.at)

    def _pause(self) -> MatchPaused:
        """With what was left of the deadline at the point, or with all of a later one."""
        if not self.moved_on:
            return MatchPaused(self._left_at_point())
        waits = awaits(self.game, self.match, self.match.game)
        since = self.at if self.counted_from is None else self.counted_from
        due = play.due_of(self.match, waits, since, self.at)
        return MatchPaused() if due is None else MatchPaused(due - self.at, due)

    def _unmoved(self) -> int | None:
        """When the deadline of the open phase would have passed if nothing had moved it, this
        rewind included; None after what did not end by a deadline."""
        if not self.moved_on:
            return self.base.unmoved
        waits = awaits(self.game, self.match, self.match.game)
        wait = None if waits.deadline is None else waits.deadline.wait
        if wait is None or self.counted_from is None:
            return None
        return deadlines.due(wait, self.counted_from)

    # Later inputs.

    def _reapply(self) -> Misfit | None:
        strikes = {of for of, _ in self.past.struck}
        for input_ in self.past.inputs:
            self._redraw()
            if self.match.status == "ended" or not input_.counted or input_.head in strikes:
                continue
            if self._is_redrawn(input_.event):
                continue
            try:
                self._take(input_)
            except Refused as refused:
                return Misfit(input_.head, refused.code)
        return None

    def _take(self, input_: Input) -> None:
        """Judges a later input again. Raises Refused if it is not legal any more."""
        phase, unmoved = self.match.awaiting.phase, self._unmoved()
        self._add(*self._again(input_))
        closes_phase = isinstance(input_.event, DeadlinePassed | PhaseClosed)
        if closes_phase or phase not in (None, self.match.awaiting.phase):
            self.moved_on = True
            self.counted_from = unmoved if isinstance(input_.event, DeadlinePassed) else None

    def _again(self, input_: Input) -> list[Event]:
        """What follows from a later input. Raises Refused if it is not legal any more."""
        event = input_.event
        if isinstance(event, DrawSettled | SealedDrawSettled):
            return self._draw_again(input_, event)
        if self.game.awaits(self.match.game).draw is not None:
            raise Refused("draw_awaited")
        if isinstance(event, ActionReceived):
            action = convert_action(self.game, event.action)
            own_events = self.game.decide(self.match.game, event.seat, action)
            cause = SeatReapplied(event.seat, input_.of)
            return play.follow(self.game, self.match, [cause], own_events, self.at)
        assert isinstance(event, DeadlinePassed | PhaseClosed), "it ended a phase"
        if self.match.awaiting.phase != event.phase:
            raise Refused("nothing_to_close")
        return play.expire_phase(self.game, self.match, PublicReapplied(input_.of), self.at)

    def _is_redrawn(self, event: Event) -> bool:
        """Whether it is a draw that the ruling gives another outcome."""
        if not isinstance(event, DrawSettled | SealedDrawSettled):
            return False
        return _plain(event.id) in _redrawn(self.ruling)

    def _draw_again(self, input_: Input, event: DrawSettled | SealedDrawSettled) -> list[Event]:
        draw = awaits(self.game, self.match, self.match.game).draw
        if draw is None or _plain(draw.id) != _plain(event.id) or draw.parts != input_.parts:
            raise Refused("draw_differs")
        cause = PublicReapplied if draw.audience == PUBLIC else SealedReapplied
        return self._settle(draw, event.outcome, cause(input_.of))

    def _redraw(self) -> None:
        """Settles the draws that are awaited and have another outcome now. Raises Conflict for an
        outcome that does not fit."""
        while self.match.status != "ended" and self.match.created.chance == "manual":
            draw = awaits(self.game, self.match, self.match.game).draw
            outcome = None if draw is None else self.redraws.pop(_plain(draw.id), None)
            if draw is None or outcome is None:
                return
            if not fits(draw, outcome):
                raise Conflict("outcome_does_not_fit")
            self._add(*self._settle(draw, outcome))

    def _settle(self, draw: Draw, outcome: Outcome, *causes: Event) -> list[Event]:
        settlement = play.draw_settled(draw, outcome, "ruling")
        return play.settle_draw(self.game, self.match, [*causes, settlement], outcome, self.at)


def _redrawn(ruling: Rewind) -> Mapping[str, Any]:
    """The new outcomes, by the plain ids of their draws."""
    redrawn = (change.redraw for change in ruling.changes if isinstance(change.redraw, Redraw))
    return {_plain(redraw.id): redraw.outcome for redraw in redrawn}


def _plain(draw_id: str) -> str:
    """The id of a draw as the rules know it, without its branch."""
    branch, slash, rest = draw_id.partition("/")
    return rest if slash and branch[:1] == "b" and branch[1:].isdigit() else draw_id
