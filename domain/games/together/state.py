"""The state of a match of Together We Survive, Together We Prosper, and how events change it."""

from collections.abc import Callable, Mapping
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from domain.dispatch import by_kind
from domain.games.together.events import (
    BallotCounted,
    BallotOpened,
    CandidateDrawn,
    CandidatesNamed,
    GarnetsAwarded,
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
from domain.games.together.groups import Group, PerGroup, Seats, members, per_group
from domain.games.together.options import Options, complete, garnets_of, groups_of
from domain.match.submissions import Sealed, open_phase, submit

Phase = Literal["submission", "token_of_life", "draw", "vote", "over"]

NOBODY: PerGroup[Seats] = PerGroup((), ())


class State(Struct, frozen=True, gc=False):
    """The state of a match; `options` are complete.

    `kicked_out` is the round in which each seat left the stage. `received`, `spent` and `charged`
    count the tokens that came from the bank, the tokens paid for votes and the garnets paid.
    `nobody_left` says that all on stage tied in the last round and stayed. `pools` are the possible
    elimination candidates; each step narrows them down. `ballot` is the number of the latest vote,
    0 before the first. In the phase `draw` chance picks a candidate.
    """

    options: Options
    members: PerGroup[Seats]
    phase: Phase
    round: int
    stage: Seats
    kicked_out: tuple[int | None, ...]
    tokens: tuple[int, ...]
    garnets: tuple[int, ...]
    submissions: Sealed[SubmissionMade]
    received: int = 0
    spent: int = 0
    charged: int = 0
    nobody_left: bool = False
    winners: PerGroup[Seats] = NOBODY
    losers: PerGroup[Seats] = NOBODY
    tokens_of_life: tuple[int, ...] = ()
    pools: PerGroup[Seats] = NOBODY
    ballot: int = 0
    votes: Sealed[int] = Sealed(())
    candidates: PerGroup[int | None] = PerGroup(None, None)
    awarded: tuple[int, ...] = ()

    @property
    def seats(self) -> range:
        return range(len(self.tokens))


def initial(options: Options, seats: int) -> State:
    """Group A stands on stage; no one has submitted anything."""
    house = complete(options, seats)
    groups = groups_of(house, seats)
    by_group = per_group(lambda group: members(groups, group))
    start = house.start_tokens
    return State(
        options=house,
        members=by_group,
        phase="submission",
        round=1,
        stage=by_group.a,
        kicked_out=(None,) * seats,
        tokens=tuple(start.a if group == "A" else start.b for group in groups),
        garnets=garnets_of(house, seats),
        submissions=open_phase(seats),
        awarded=(0,) * seats,
    )


def _round_began(state: State, event: RoundBegan) -> State:
    empty: Sealed[SubmissionMade] = open_phase(len(state.tokens))
    return replace(state, phase="submission", round=event.round, submissions=empty)


def _submission_made(state: State, event: SubmissionMade) -> State:
    """A submission without votes of either type withdraws the standing one."""
    standing = None if event.a is None and event.b is None else event
    return replace(state, submissions=submit(state.submissions, event.seat, standing))


def _round_counted(state: State, event: RoundCounted) -> State:
    return replace(
        state,
        tokens=event.tokens,
        garnets=event.garnets,
        spent=state.spent + sum(event.a),
        received=state.received + sum(event.b),
        charged=state.charged + len(event.charged),
    )


def _round_ended(state: State, event: RoundEnded) -> State:
    leavers = event.kicked_out
    return replace(
        state,
        round=event.round,
        stage=tuple(seat for seat in state.stage if seat not in leavers),
        kicked_out=tuple(
            event.round if seat in leavers else last_round
            for seat, last_round in enumerate(state.kicked_out)
        ),
        nobody_left=not leavers,
    )


def _main_match_ended(state: State, event: MainMatchEnded) -> State:
    return replace(
        state,
        phase="token_of_life",
        submissions=open_phase(len(state.tokens)),
        winners=event.winners,
        losers=event.losers,
        tokens_of_life=event.tokens_of_life,
    )


def _token_of_life_given(state: State, event: TokenOfLifeGiven) -> State:
    lives = list(state.tokens_of_life)
    lives[event.seat] -= 1
    lives[event.to] += 1
    return replace(state, tokens_of_life=tuple(lives))


def _tokens_of_life_lapsed(state: State, event: TokensOfLifeLapsed) -> State:
    lives = state.tokens_of_life
    remaining = tuple(had - (seat in event.seats) for seat, had in enumerate(lives))
    return replace(state, tokens_of_life=remaining)


def _pools_formed(state: State, event: PoolsFormed) -> State:
    return replace(state, phase="draw", pools=event.pools)


def _ballot_opened(state: State, event: BallotOpened) -> State:
    votes: Sealed[int] = open_phase(len(state.tokens))
    return replace(state, phase="vote", ballot=event.ballot, votes=votes)


def _vote_cast(state: State, event: VoteCast) -> State:
    return replace(state, votes=submit(state.votes, event.seat, event.candidate))


def _ballot_counted(state: State, event: BallotCounted) -> State:
    return replace(state, phase="draw", pools=event.pools)


def _candidate_drawn(state: State, event: CandidateDrawn) -> State:
    candidates = (event.seat,)

    def pool(group: Group) -> Seats:
        return candidates if group == event.group else state.pools.of(group)

    return replace(state, pools=per_group(pool))


def _candidates_named(state: State, event: CandidatesNamed) -> State:
    return replace(state, candidates=event.candidates)


def _garnets_awarded(state: State, event: GarnetsAwarded) -> State:
    return replace(state, phase="over", awarded=event.garnets)


evolve = by_kind(
    _round_began,
    _submission_made,
    _round_counted,
    _round_ended,
    _main_match_ended,
    _token_of_life_given,
    _tokens_of_life_lapsed,
    _pools_formed,
    _ballot_opened,
    _vote_cast,
    _ballot_counted,
    _candidate_drawn,
    _candidates_named,
    _garnets_awarded,
)


# Invariants.


def tokens_add_up(state: State) -> bool:
    """Tokens come from the start and the bank, and are spent only on votes."""
    start = state.options.start_tokens
    start_total = start.a * len(state.members.a) + start.b * len(state.members.b)
    return sum(state.tokens) == start_total + state.received - state.spent


def garnets_add_up(state: State) -> bool:
    """Every garnet from the start is still there or was paid."""
    return sum(state.garnets) + state.charged == sum(garnets_of(state.options, len(state.tokens)))


def nobody_owes(state: State) -> bool:
    return min(state.tokens) >= 0 and min(state.garnets) >= 0


def stage_and_kicked_out_are_group_a(state: State) -> bool:
    """A seat that left the stage never comes back, and no other seat joins it."""
    leavers = tuple(
        seat for seat, last_round in enumerate(state.kicked_out) if last_round is not None
    )
    return tuple(sorted((*state.stage, *leavers))) == state.members.a


INVARIANTS: Mapping[str, Callable[[State], bool]] = {
    "tokens_add_up": tokens_add_up,
    "garnets_add_up": garnets_add_up,
    "nobody_owes": nobody_owes,
    "stage_and_kicked_out_are_group_a": stage_and_kicked_out_are_group_a,
}
