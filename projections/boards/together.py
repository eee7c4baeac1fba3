"""Together We Survive, Together We Prosper as one audience sees it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Self, TypeVar

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from domain.events import Event
from domain.games.together.events import (
    CandidatesNamed,
    GarnetsAwarded,
    HoldingsTold,
    MainMatchEnded,
    PoolsFormed,
    RoundBegan,
    RoundCounted,
    RoundEnded,
    SubmissionMade,
    TokenOfLifeGiven,
    TokensOfLifeLapsed,
    VoteCast,
)
from domain.games.together.groups import Group, PerGroup, Seats
from domain.games.together.options import Options, complete, garnets_of, groups_of
from domain.match_events import (
    ActionReceived,
    AwaitingChanged,
    DeadlinePassed,
    MatchEnded,
    PhaseClosed,
    SubmissionInvalid,
)
from projections.board import Boards
from projections.disclosure import MODERATOR, Viewer
from projections.game_values import ShownAction
from projections.timestamps import Timestamp, rfc3339

OnStage = Literal["on_stage", "kicked_out"]
T = TypeVar("T")

MOST_SHOWN = 20
"""Maximum of a seat's latest submissions in its view; the one that counts is there in any case. All
are among the seat's events."""


class KickedOut(Struct, frozen=True):
    """The seats that left the stage in a round; none if all stayed."""

    round: int
    seats: Seats


class RoundVotes(Struct, frozen=True):
    """Each seat's votes of each type in a round, null for a type that is not revealed; and null for
    a seat that could get none."""

    round: int
    a: tuple[int | None, ...] | None
    b: tuple[int | None, ...] | None


class Submitted(Struct, frozen=True):
    """A submission or vote as it was sent, and its status."""

    at: Timestamp
    body: ShownAction
    status: Literal["valid", "invalid", "late", "superseded"]
    code: str | None


class Board(Struct, frozen=True):
    """What is public; for a seat also what it has and has submitted, for a moderator what every
    seat has and which of its submissions counts now.

    `submissions` are the seat's own: the one that counts in the open phase, which is `standing`
    unless it withdraws, and the last 20. While chance picks a candidate, `phase` is `vote` and
    nobody is voting.
    """

    round: int
    phase: Literal["submission", "token_of_life", "vote", "over"]
    deadline: Timestamp | None
    groups: tuple[Group, ...]
    stage: tuple[OnStage | None, ...]
    kicked_out: tuple[KickedOut, ...]
    votes: tuple[RoundVotes, ...]
    b_tokens: tuple[int | None, ...] | None = None
    winners: PerGroup[Seats] | None = None
    losers: PerGroup[Seats] | None = None
    tokens_of_life: tuple[int, ...] | None = None
    candidates: PerGroup[int | None] | None = None
    garnets_awarded: tuple[int, ...] | None = None
    tokens: int | UnsetType = UNSET
    garnets: int | UnsetType = UNSET
    submissions: tuple[Submitted, ...] | UnsetType = UNSET
    standing: Submitted | UnsetType | None = UNSET
    tokens_by_seat: tuple[int, ...] | UnsetType = UNSET
    garnets_by_seat: tuple[int, ...] | UnsetType = UNSET
    standing_by_seat: tuple[Submitted | None, ...] | UnsetType = UNSET


class SubmissionList(tuple[T, ...]):
    """A list of submissions in the view, with state that is not shown: `pending`, the action whose
    status is not known yet, with its time; and `current`, the index of the latest valid submission
    of the open phase."""

    pending: tuple[str, dict[str, Any]] | None = None
    current: int | None = None

    def with_pending(self, at: int, action: dict[str, Any]) -> Self:
        listed = type(self)(self)
        listed.pending, listed.current = (rfc3339(at), action), self.current
        return listed

    def judged(self, status: Literal["valid", "invalid", "late"], code: str | None) -> Submitted:
        """The pending action, with its status."""
        assert self.pending is not None
        return Submitted(*self.pending, status, code)


def initial(options: Options, seats: int, viewer: Viewer) -> Board:
    played = complete(options, seats)
    groups, garnets = groups_of(played, seats), garnets_of(played, seats)
    start = played.start_tokens
    tokens = tuple(start.a if group == "A" else start.b for group in groups)
    public = Board(
        round=1,
        phase="submission",
        deadline=None,
        groups=groups,
        stage=tuple("on_stage" if group == "A" else None for group in groups),
        kicked_out=(),
        votes=(),
    )
    if viewer == MODERATOR:
        nothing: SubmissionList[Submitted | None] = SubmissionList((None,) * seats)
        return replace(
            public, tokens_by_seat=tokens, garnets_by_seat=garnets, standing_by_seat=nothing
        )
    if isinstance(viewer, int):
        own = replace(public, tokens=tokens[viewer], garnets=garnets[viewer])
        return replace(own, submissions=SubmissionList(), standing=None)
    return public


def evolve(board: Board, event: Event, viewer: Viewer, at: int) -> Board:
    show = _SHOWN.get(type(event))
    return board if show is None else show(board, event, at)


# Submissions, which only their seats and moderators see.


def _received(board: Board, event: ActionReceived, at: int) -> Board:
    """Nothing shows before the status is known, with the next event."""
    if isinstance(board.submissions, SubmissionList):
        pending = board.submissions.with_pending(at, event.action)
        return replace(board, submissions=pending)
    if isinstance(board.standing_by_seat, SubmissionList):
        standing = board.standing_by_seat.with_pending(at, event.action)
        return replace(board, standing_by_seat=standing)
    return board


def _invalid(board: Board, event: SubmissionInvalid, at: int) -> Board:
    """An invalid submission replaces nothing."""
    own = board.submissions
    if not isinstance(own, SubmissionList):
        return board
    judged = own.judged("late" if event.code == "late" else "invalid", event.code)
    return replace(board, submissions=_latest((*own, judged), own.current))


def _submission_made(board: Board, event: SubmissionMade, at: int) -> Board:
    return _valid(board, event.seat, withdrawn=event.a is None and event.b is None)


def _vote_cast(board: Board, event: VoteCast, at: int) -> Board:
    return _valid(board, event.seat, withdrawn=False)


def _valid(board: Board, seat: int, *, withdrawn: bool) -> Board:
    own, others = board.submissions, board.standing_by_seat
    if isinstance(own, SubmissionList):
        said = own.judged("valid", None)
        standing = None if withdrawn else said
        return replace(board, submissions=_displacing(own, said), standing=standing)
    if isinstance(others, SubmissionList):
        now = list(others)
        now[seat] = None if withdrawn else others.judged("valid", None)
        return replace(board, standing_by_seat=SubmissionList(now))
    return board


def _displacing(own: SubmissionList[Submitted], said: Submitted) -> SubmissionList[Submitted]:
    """The list with a valid submission, which supersedes the previous one of the same phase."""
    rows = [*own, said]
    if own.current is not None:
        rows[own.current] = replace(rows[own.current], status="superseded")
    return _latest(rows, len(own))


def _latest(rows: Sequence[Submitted], current: int | None) -> SubmissionList[Submitted]:
    """The last of the rows, and before them the one that counts, if it is none of them."""
    first = max(0, len(rows) - MOST_SHOWN)
    if current is not None and current < first:
        listed, current = SubmissionList((rows[current], *rows[first:])), 0
    else:
        listed = SubmissionList(rows[first:])
        current = None if current is None else current - first
    listed.current = current
    return listed


def _phase_closed(board: Board, event: DeadlinePassed | PhaseClosed, at: int) -> Board:
    """The submissions took effect and stand no longer."""
    if isinstance(board.submissions, SubmissionList):
        return replace(board, submissions=_latest(board.submissions, None), standing=None)
    if isinstance(board.standing_by_seat, SubmissionList):
        nothing: SubmissionList[Submitted | None] = SubmissionList((None,) * len(board.groups))
        return replace(board, standing_by_seat=nothing)
    return board


# What happens in the match.


def _awaiting_changed(board: Board, event: AwaitingChanged, at: int) -> Board:
    due = event.deadline
    return replace(board, deadline=None if due is None else rfc3339(due))


def _round_began(board: Board, event: RoundBegan, at: int) -> Board:
    return replace(board, round=event.round, phase="submission")


def _round_counted(board: Board, event: RoundCounted, at: int) -> Board:
    return replace(board, tokens_by_seat=event.tokens, garnets_by_seat=event.garnets)


def _holdings_updated(board: Board, event: HoldingsTold, at: int) -> Board:
    """A moderator has seen those of all seats before, in RoundCounted."""
    if board.tokens is UNSET:
        return board
    return replace(board, tokens=event.tokens, garnets=event.garnets)


def _round_ended(board: Board, event: RoundEnded, at: int) -> Board:
    gone = KickedOut(event.round, event.kicked_out)
    stage: tuple[OnStage | None, ...] = tuple(
        "kicked_out" if seat in event.kicked_out else status
        for seat, status in enumerate(board.stage)
    )
    return replace(
        board,
        round=event.round,
        stage=stage,
        kicked_out=(*board.kicked_out, gone),
        votes=(*board.votes, RoundVotes(event.round, event.a, event.b)),
    )


def _main_match_ended(board: Board, event: MainMatchEnded, at: int) -> Board:
    return replace(
        board,
        phase="token_of_life" if max(event.tokens_of_life) > 1 else "vote",
        b_tokens=event.b_tokens,
        winners=event.winners,
        losers=event.losers,
        tokens_of_life=event.tokens_of_life,
    )


def _token_of_life_given(board: Board, event: TokenOfLifeGiven, at: int) -> Board:
    lives = list(board.tokens_of_life or ())
    lives[event.seat] -= 1
    lives[event.to] += 1
    return replace(board, tokens_of_life=tuple(lives))


def _tokens_of_life_lapsed(board: Board, event: TokensOfLifeLapsed, at: int) -> Board:
    lives = enumerate(board.tokens_of_life or ())
    return replace(board, tokens_of_life=tuple(had - (seat in event.seats) for seat, had in lives))


def _pools_formed(board: Board, event: PoolsFormed, at: int) -> Board:
    return replace(board, phase="vote")


def _candidates_named(board: Board, event: CandidatesNamed, at: int) -> Board:
    return replace(board, candidates=event.candidates)


def _garnets_awarded(board: Board, event: GarnetsAwarded, at: int) -> Board:
    return replace(board, phase="over", deadline=None, garnets_awarded=event.garnets)


def _match_ended(board: Board, event: MatchEnded, at: int) -> Board:
    return replace(board, phase="over", deadline=None)


_SHOWN: Mapping[type[Event], Callable[[Board, Any, int], Board]] = {
    ActionReceived: _received,
    SubmissionInvalid: _invalid,
    SubmissionMade: _submission_made,
    VoteCast: _vote_cast,
    DeadlinePassed: _phase_closed,
    PhaseClosed: _phase_closed,
    AwaitingChanged: _awaiting_changed,
    RoundBegan: _round_began,
    RoundCounted: _round_counted,
    HoldingsTold: _holdings_updated,
    RoundEnded: _round_ended,
    MainMatchEnded: _main_match_ended,
    TokenOfLifeGiven: _token_of_life_given,
    TokensOfLifeLapsed: _tokens_of_life_lapsed,
    PoolsFormed: _pools_formed,
    CandidatesNamed: _candidates_named,
    GarnetsAwarded: _garnets_awarded,
    MatchEnded: _match_ended,
}

BOARDS = Boards(View=Board, initial=initial, evolve=evolve)
