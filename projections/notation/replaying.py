"""Plays a notation again by the rules of its game, with its draws as chance."""

from collections.abc import Mapping
from typing import Any, NoReturn

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from domain.events import Event, Record
from domain.game import Refused
from domain.match.batches import batch
from domain.match.commands import (
    CONFLICTS,
    DRAW_CODES,
    Act,
    ClosePhase,
    Command,
    Conflict,
    EnterDraw,
    Start,
)
from domain.match.decide import decide
from domain.match.events import (
    TURNED_DOWN,
    ActionRefused,
    DrawRefused,
    MatchCreated,
    SeatNamed,
)
from domain.match.seats import check_names
from domain.match.state import Match, awaited_draw, create, fold, understood
from domain.people import Actor
from domain.proof.commitments import BLIND_BYTES
from domain.proof.record_differences import RecordDiffers
from domain.proof.rejudging import created_match
from projections.notation.moves import Drawn, Move, PhaseEnded, PlayedMove
from projections.notation.reading import Notated, NotatedMove
from projections.notation.values import NotationError, written

UNBLINDED = bytes(BLIND_BYTES)

MATCH = "00000000-0000-7000-8000-000000000000"
"""The id of a match that is played here alone: without a seed nothing depends on it."""

NOTATION = Actor(None, "notation")
"""Who starts such a match, enters its draws and closes its phases."""


class Replay(Struct, frozen=True):
    """A match that was played from a notation: its record, at the beginning of time, the state
    after it, and the moves that had an effect."""

    match: Match
    records: list[Record[Event]]
    moves: list[NotatedMove]


def replay(notated: Notated) -> Replay:
    """The match of a notation, played move by move. Raises NotationError for the first line that
    the rules do not allow, and for a result that the moves do not give."""
    table = _Table(notated)
    table.play()
    return Replay(table.match, table.records, table.moves)


class _Table:
    """A match while it is played. `closed` is the phase that was open before the last move."""

    def __init__(self, notated: Notated) -> None:
        self.notated = notated
        self.game = notated.game
        created = MatchCreated(
            self.game.id, self.game.rules_version, notated.options, len(notated.seats), "manual",
            record=notated.record,
        )  # fmt: skip
        try:
            check_names(notated.seats, self.game.seats)
            chosen = created_match(self.game, MATCH, created).options
        except Refused as refused:
            _fail(1, f"there is no such match: {refused}")
        except RecordDiffers as differs:
            _fail(1, f"there is no such match: {differs.why}")
        played = _as_json(self.game.complete(chosen, len(notated.seats)))
        options = msgspec.convert(played, self.game.Options)
        created = replace(created, options=played)
        named = [SeatNamed(seat, name, UNBLINDED) for seat, name in enumerate(notated.seats)]
        self.match = fold(self.game, create(self.game, MATCH, created, options), named)
        self.records: list[Record[Event]] = batch([created, *named], 0)
        self.moves: list[NotatedMove] = []
        self.closed: str | None = None

    def play(self) -> None:
        """Plays every move, and compares the result."""
        if self.notated.started:
            self._take(Start(NOTATION), 1)
        for line, move in self.notated.moves:
            phase = self.match.awaiting.phase
            if isinstance(move, PhaseEnded) and move.phase == self.closed != phase:
                continue
            self._check(self._take(self._command(move, line), line), move, line)
            self.closed = phase
            self.moves.append(NotatedMove(line, move))
        if self.notated.result not in (None, self.match.result):
            _fail(self.notated.ends, f"the moves do not give this result but {self._result()}")

    def _result(self) -> str:
        return written(msgspec.to_builtins(self.match.result))

    def _take(self, command: Command, line: int) -> Mapping[type[Event], Event]:
        """Executes a command. Returns its events by their kinds."""
        try:
            events = decide(self.game, self.match, command, 0)
        except Conflict as conflict:
            _fail(line, f"{CONFLICTS[conflict.code]} {self._awaited()}")
        self.match = fold(self.game, self.match, events)
        self.records += batch(events, 0)
        return {type(event): event for event in events}

    def _command(self, move: Move, line: int) -> Command:
        match move:
            case PlayedMove(seat, sent):
                action = understood(self.game, sent)
                seats = len(self.notated.seats)
                misshapen = self.game.misshapen(self.match.options, seats, action)
                if misshapen is not None:
                    _fail(line, misshapen)
                return Act(seat, action, dict(sent))
            case Drawn(draw_id, outcome):
                return EnterDraw(draw_id, outcome, NOTATION)
            case PhaseEnded(phase):
                return ClosePhase(phase, NOTATION)

    def _check(self, events: Mapping[type[Event], Event], move: Move, line: int) -> None:
        """Compares what became of a move with what the notation says."""
        codes: Mapping[str, str] = {**self.game.codes, **DRAW_CODES}
        expected = move.invalid if isinstance(move, PlayedMove) else None
        found: Any = next((events[kind] for kind in TURNED_DOWN if kind in events), None)
        if isinstance(found, ActionRefused | DrawRefused):
            _fail(line, f"the rules refuse this ({found.code}): {codes[found.code]}")
        code = None if found is None else found.code
        if code == expected:
            return
        if code is None:
            _fail(line, f"by the rules this is not invalid ({expected}): it counts")
        _fail(line, f"by the rules this is invalid ({code}): {codes[code]}")

    def _awaited(self) -> str:
        """For what the match waits, for people."""
        draw, phase = awaited_draw(self.game, self.match), self.match.awaiting.phase
        if draw is not None:
            return f"It waits for the draw {written(draw.id)}."
        if self.match.over:
            return "It is over."
        names = ", ".join(self.notated.seats[seat] for seat in self.match.awaiting.seats)
        return f"It waits for {names}{'' if phase is None else f' in phase {written(phase)}'}."


def _fail(line: int, why: str) -> NoReturn:
    raise NotationError(line, 1, why)


def _as_json(options: Any) -> dict[str, Any]:
    return msgspec.json.decode(msgspec.json.encode(options), type=dict[str, Any])
