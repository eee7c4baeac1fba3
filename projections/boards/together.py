"""Together We Survive, Together We Prosper as one audience sees it."""

from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from domain.dispatch import by_kind
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
from domain.match.events import (
    ActionReceived,
    AwaitingChanged,
    DeadlinePassed,
    MatchEnded,
    PhaseClosed,
    SubmissionInvalid,
)
from domain.match.seats import set_seat
from projections.audience.board import Boards
from projections.audience.disclosure import MODERATOR, Viewer
from projections.fields import ShownAction, Timestamp, rfc3339

OnStage = Literal["on_stage", "kicked_out"]

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
    no one is voting.
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


class State(Struct, frozen=True):
    """The board without the seat's submissions, and what becomes of them: `pending` is the action
    whose status is not known yet, with its time, `current` the latest valid submission of the open
    phase, `before` and `after` the others that were judged before and after it."""

    board: Board
    pending: tuple[Timestamp, dict[str, Any]] | None = None
    before: tuple[Submitted, ...] = ()
    current: Submitted | None = None
    after: tuple[Submitted, ...] = ()

    def judged(self, status: Literal["valid", "invalid", "late"], code: str | None) -> Submitted:
        """The pending action, with its status."""
        assert self.pending is not None
        return Submitted(*self.pending, status, code)

    def latest(self, current: Submitted | None) -> tuple[Submitted, ...]:
        """The last of all submissions, with this one for the current."""
        now = () if current is None else (current,)
        return (*self.before, *now, *self.after)[-MOST_SHOWN:]


def initial(options: Options, seats: int, viewer: Viewer) -> State:
    house = complete(options, seats)
    groups, garnets = groups_of(house, seats), garnets_of(house, seats)
    start = house.start_tokens
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
        nothing = (None,) * seats
        moderator_board = replace(public, tokens_by_seat=tokens, garnets_by_seat=garnets)
        return State(replace(moderator_board, standing_by_seat=nothing))
    if isinstance(viewer, int):
        own = replace(public, tokens=tokens[viewer], garnets=garnets[viewer])
        return State(replace(own, submissions=(), standing=None))
    return State(public)


def evolve(state: State, event: Event, viewer: Viewer, at: int) -> State:
    if isinstance(event, ActionReceived):
        return replace(state, pending=(rfc3339(at), event.action))
    state = _after_judgement(state, event)
    board = _happened(state.board, event)
    return state if board is state.board else replace(state, board=board)


def show(state: State) -> Board:
    """The current submission comes first where it is none of the last."""
    if state.board.submissions is UNSET:
        return state.board
    submissions = state.latest(state.current)
    if state.current is not None and len(state.after) >= MOST_SHOWN:
        submissions = (state.current, *submissions)
    return replace(state.board, submissions=submissions)


# Submissions, which only their seats and moderators see.


def _invalid(state: State, event: SubmissionInvalid) -> State:
    """An invalid submission replaces nothing."""
    if state.board.submissions is UNSET:
        return state
    submission = state.judged("late" if event.code == "late" else "invalid", event.code)
    return replace(state, after=(*state.after, submission)[-MOST_SHOWN:])


def _valid(state: State, event: SubmissionMade | VoteCast) -> State:
    """A valid submission supersedes the previous one of the same phase."""
    submission, board = state.judged("valid", None), state.board
    withdrawn = isinstance(event, SubmissionMade) and event.a is None and event.b is None
    standing = None if withdrawn else submission
    if board.standing_by_seat is not UNSET:
        both = set_seat(board.standing_by_seat, event.seat, standing)
        return replace(state, board=replace(board, standing_by_seat=both))
    old = None if state.current is None else replace(state.current, status="superseded")
    new_board = replace(board, standing=standing)
    return State(new_board, state.pending, state.latest(old), submission)


def _phase_closed(state: State, event: DeadlinePassed | PhaseClosed) -> State:
    """The submissions took effect and stand no longer."""
    board = state.board
    if board.standing_by_seat is not UNSET:
        nothing = (None,) * len(board.groups)
        return replace(state, board=replace(board, standing_by_seat=nothing))
    if board.standing is not UNSET:
        board = replace(board, standing=None)
    return State(board, state.pending, state.latest(state.current))


# What happens in the match.


def _awaiting_changed(board: Board, event: AwaitingChanged) -> Board:
    due = event.deadline
    return replace(board, deadline=None if due is None else rfc3339(due))


def _round_began(board: Board, event: RoundBegan) -> Board:
    return replace(board, round=event.round, phase="submission")


def _round_counted(board: Board, event: RoundCounted) -> Board:
    return replace(board, tokens_by_seat=event.tokens, garnets_by_seat=event.garnets)


def _holdings_updated(board: Board, event: HoldingsTold) -> Board:
    """A moderator has seen those of all seats before, in RoundCounted."""
    if board.tokens is UNSET:
        return board
    return replace(board, tokens=event.tokens, garnets=event.garnets)


def _round_ended(board: Board, event: RoundEnded) -> Board:
    leavers = KickedOut(event.round, event.kicked_out)
    stage: tuple[OnStage | None, ...] = tuple(
        "kicked_out" if seat in event.kicked_out else status
        for seat, status in enumerate(board.stage)
    )
    return replace(
        board,
        round=event.round,
        stage=stage,
        kicked_out=(*board.kicked_out, leavers),
        votes=(*board.votes, RoundVotes(event.round, event.a, event.b)),
    )


def _main_match_ended(board: Board, event: MainMatchEnded) -> Board:
    return replace(
        board,
        phase="token_of_life" if max(event.tokens_of_life) > 1 else "vote",
        b_tokens=event.b_tokens,
        winners=event.winners,
        losers=event.losers,
        tokens_of_life=event.tokens_of_life,
    )


def _token_of_life_given(board: Board, event: TokenOfLifeGiven) -> Board:
    lives = list(board.tokens_of_life or ())
    lives[event.seat] -= 1
    lives[event.to] += 1
    return replace(board, tokens_of_life=tuple(lives))


def _tokens_of_life_lapsed(board: Board, event: TokensOfLifeLapsed) -> Board:
    lives = enumerate(board.tokens_of_life or ())
    return replace(board, tokens_of_life=tuple(had - (seat in event.seats) for seat, had in lives))


def _pools_formed(board: Board, event: PoolsFormed) -> Board:
    return replace(board, phase="vote")


def _candidates_named(board: Board, event: CandidatesNamed) -> Board:
    return replace(board, candidates=event.candidates)


def _garnets_awarded(board: Board, event: GarnetsAwarded) -> Board:
    return replace(board, phase="over", deadline=None, garnets_awarded=event.garnets)


def _match_ended(board: Board, event: MatchEnded) -> Board:
    return replace(board, phase="over", deadline=None)


_after_judgement = by_kind(_invalid, _valid, _phase_closed)

_happened = by_kind(
    _awaiting_changed,
    _round_began,
    _round_counted,
    _holdings_updated,
    _round_ended,
    _main_match_ended,
    _token_of_life_given,
    _tokens_of_life_lapsed,
    _pools_formed,
    _candidates_named,
    _garnets_awarded,
    _match_ended,
)

BOARDS = Boards(view=Board, initial=initial, evolve=evolve, show=show)
