"""The deadline of a round: who pays, who is kicked out, who gets tokens."""

from collections import Counter
from collections.abc import Sequence
from itertools import chain

from domain.games.together.events import HoldingsTold, RoundCounted, RoundEnded
from domain.games.together.groups import Seats
from domain.games.together.state import State


def count(state: State) -> RoundCounted:
    """The result of the last valid submissions: garnets and tokens are paid before type B votes
    bring new tokens."""
    standing = [submission for submission in state.submissions.standing if submission is not None]
    charged = tuple(
        submission.seat
        for submission in standing
        if submission.a and submission.b and submission.pay_garnet
    )
    paid = {submission.seat: len(submission.a) for submission in standing if submission.a}
    a = Counter(chain.from_iterable(submission.a or () for submission in standing))
    b = Counter(chain.from_iterable(submission.b or () for submission in standing))
    return RoundCounted(
        state.round,
        tuple(a[seat] for seat in state.seats),
        tuple(b[seat] for seat in state.seats),
        charged,
        tuple(had - paid.get(seat, 0) + b[seat] for seat, had in enumerate(state.tokens)),
        tuple(had - (seat in charged) for seat, had in enumerate(state.garnets)),
    )


def holdings(counted: RoundCounted) -> list[HoldingsTold]:
    """What each seat sees of its own holdings."""
    pairs = zip(counted.tokens, counted.garnets, strict=True)
    return [HoldingsTold(seat, tokens, garnets) for seat, (tokens, garnets) in enumerate(pairs)]


def kicked_out(state: State, votes: Sequence[int]) -> Seats:
    """Those on stage with the most votes, or the fewest; `votes` are each seat's type A votes.

    If all tie then all leave; with `none_out` no one does, but not twice in a row.
    """
    counts = [votes[seat] for seat in state.stage]
    bound = max(counts) if state.options.kick_rule == "most" else min(counts)
    out = tuple(seat for seat in state.stage if votes[seat] == bound)
    stays = state.options.all_tied == "none_out" and not state.nobody_left
    return () if out == state.stage and stays else out


def end_round(state: State, counted: RoundCounted) -> RoundEnded:
    """What everyone sees of the round."""
    return _round_ended(state, counted.round, kicked_out(state, counted.a), counted.a, counted.b)


def ended_by_the_last(state: State) -> RoundEnded:
    """The round of the only seat left on stage: no one submits, and the seat leaves."""
    nothing = (0,) * len(state.tokens)
    return _round_ended(state, state.round + 1, state.stage, nothing, nothing)


def _round_ended(
    state: State, number: int, leavers: Seats, a: tuple[int, ...], b: tuple[int, ...]
) -> RoundEnded:
    counts_option = state.options.reveal_vote_counts
    shown_a = None if counts_option == "none" else _only(state.stage, a)
    shown_b = _only(state.members.b, b) if counts_option == "both" else None
    return RoundEnded(number, leavers, shown_a, shown_b)


def _only(seats: Seats, votes: tuple[int, ...]) -> tuple[int | None, ...]:
    """The votes of these seats, null for all others."""
    return tuple(n if seat in seats else None for seat, n in enumerate(votes))
