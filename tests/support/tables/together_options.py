"""Options of every kind with which this many seats can play Together We Survive."""

from collections.abc import Sequence

from hypothesis import strategies as st
from msgspec import UNSET
from msgspec.structs import replace

from domain.games.together.groups import Group
from domain.games.together.options import Options, StartTokens

A: Group = "A"
B: Group = "B"
PLACES = (1, 2, 3, 32)
"""The last of them is no one's."""


def options(seats: int) -> st.SearchStrategy[Options]:
    """Tokens and hours are mostly few; the groups are any, or left to be filled in."""
    rest = st.builds(
        Options,
        groups=st.just(UNSET) | groups(seats),
        start_tokens=st.builds(StartTokens, a=st.integers(0, 6), b=st.integers(0, 3)),
        garnets=st.just(UNSET) | st.tuples(*(st.integers(0, 2) for _ in range(seats))),
        kick_rule=st.sampled_from(("most", "fewest")),
        all_tied=st.sampled_from(("all_out", "none_out")),
        b_self=st.booleans(),
        b_repeats=st.booleans(),
        reveal_vote_counts=st.sampled_from(("A", "both", "none")),
        ec_voters=st.sampled_from(("group", "winners")),
        garnet_per_tokens=st.integers(1, 8),
        deadline_utc=st.sampled_from(("00:00", "14:00", "23:59")),
        first_round_hours=st.integers(0, 72),
        round_hours=st.integers(1, 48),
        vote_hours=st.integers(1, 48),
    )
    return st.builds(ranked, rest, st.permutations(PLACES))


def ranked(rest: Options, places: Sequence[int]) -> Options:
    """A group for the winners of group B and another for its losers."""
    return replace(rest, b_winner_rank=places[0], b_loser_rank=places[1])


def groups(seats: int) -> st.SearchStrategy[tuple[Group, ...]]:
    """Any two groups of two seats or more."""
    sizes = st.integers(2, seats - 2).map(lambda size: [A] * size + [B] * (seats - size))
    return sizes.flatmap(st.permutations).map(tuple)
