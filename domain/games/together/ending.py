"""The end: winners and losers, tokens of life, the pools of candidates, and the garnets."""

from collections import Counter

from domain.games.together.events import BallotCounted, MainMatchEnded
from domain.games.together.groups import Group, PerGroup, Seats, per_group
from domain.games.together.state import State


def main_match_ended(state: State) -> MainMatchEnded:
    """The outcome once no one is on stage any more."""
    last, before = _last_to_leave(state)
    ranks = state.options.b_winner_rank, state.options.b_loser_rank
    best, worst = (_seats_at_rank(state, rank) for rank in ranks)
    winners, losers = PerGroup(last, best), PerGroup(before, worst)
    b_tokens = tuple(
        had if seat in state.members.b else None for seat, had in enumerate(state.tokens)
    )
    return MainMatchEnded(b_tokens, winners, losers, _tokens_of_life(state, winners))


def _last_to_leave(state: State) -> tuple[Seats, Seats]:
    """Group A: the seats that left in the last round, and in the round before it in which anyone
    left."""
    rounds = sorted(
        {last_round for last_round in state.kicked_out if last_round is not None}, reverse=True
    )
    last, before = (*rounds, 0, 0)[:2]
    return _left_in(state, last), _left_in(state, before)


def _left_in(state: State, number: int) -> Seats:
    return tuple(seat for seat, last_round in enumerate(state.kicked_out) if last_round == number)


def _seats_at_rank(state: State, rank: int) -> Seats:
    """Group B: the seats at this rank by distinct numbers of tokens; none if there is no such
    rank."""
    counts = sorted({state.tokens[seat] for seat in state.members.b}, reverse=True)
    tokens = counts[rank - 1] if rank <= len(counts) else None
    return tuple(seat for seat in state.members.b if state.tokens[seat] == tokens)


def _tokens_of_life(state: State, winners: PerGroup[Seats]) -> tuple[int, ...]:
    """One for each of several winners, two for a sole one."""
    sole = [group for group in (winners.a, winners.b) if len(group) == 1]
    return tuple(
        2 if (seat,) in sole else int(seat in winners.a or seat in winners.b)
        for seat in state.seats
    )


def givers(state: State) -> Seats:
    """The seats with a token of life to give away."""
    return tuple(seat for seat, lives in enumerate(state.tokens_of_life) if lives > 1)


def without_a_token(state: State) -> Seats:
    """The seats that may be given a token of life."""
    return tuple(seat for seat, lives in enumerate(state.tokens_of_life) if not lives)


# The elimination candidates.


def pools(state: State) -> PerGroup[Seats]:
    """Each group's possible candidates."""
    return per_group(lambda group: _pool(state, group))


def _pool(state: State, group: Group) -> Seats:
    """The losers without a token of life; if there are none, all others who have not won, first
    those without a token of life."""
    winners = state.winners.of(group)
    others = tuple(seat for seat in state.members.of(group) if seat not in winners)
    unprotected = tuple(seat for seat in others if not state.tokens_of_life[seat])
    losers = tuple(seat for seat in state.losers.of(group) if seat in unprotected)
    return losers or unprotected or others


def undecided(state: State, group: Group) -> bool:
    return len(state.pools.of(group)) > 1


def voters(state: State, group: Group) -> Seats:
    """Who votes for the candidate of a group."""
    everybody = state.options.ec_voters == "group"
    return state.members.of(group) if everybody else state.winners.of(group)


def count(state: State) -> BallotCounted:
    """Those with the most votes stay in each pool; if no one voted, all of them do."""
    votes = Counter(state.votes.standing)

    def ahead(group: Group) -> Seats:
        pool = state.pools.of(group)
        most = max((votes[seat] for seat in pool), default=0)
        return tuple(seat for seat in pool if votes[seat] == most)

    counts = tuple(votes[seat] for seat in state.seats)
    return BallotCounted(state.ballot, counts, per_group(ahead))


# What an elimination show asks once the match is over.


def candidates(state: State) -> Seats:
    """The elimination candidates, group A's first."""
    both = (state.candidates.a, state.candidates.b)
    return tuple(seat for seat in both if seat is not None)


def immune(state: State) -> Seats:
    """The holders of a token of life who are no candidates. Where everyone in a group who has not
    won holds one, the candidate holds one too, and it does not protect them."""
    return tuple(
        seat
        for seat, lives in enumerate(state.tokens_of_life)
        if lives and seat not in candidates(state)
    )


# The award of each seat.


def scores(state: State) -> tuple[int, ...]:
    """Group A: the round in which a player was kicked out. Group B: the tokens."""
    return tuple(
        had if last_round is None else last_round
        for had, last_round in zip(state.tokens, state.kicked_out, strict=True)
    )


def garnets(state: State) -> tuple[int, ...]:
    """One for every round that a player of group A stayed on stage; in group B one for every
    `garnet_per_tokens` tokens."""
    per = state.options.garnet_per_tokens
    return tuple(
        had // per if last_round is None else last_round - 1
        for had, last_round in zip(state.tokens, state.kicked_out, strict=True)
    )
