"""Options of every kind with which Grouping Black & White ends within a few hundred inputs."""

from hypothesis import strategies as st
from msgspec import UNSET

from domain.games.grouping_bw.options import Item, Items, Options

ITEMS: tuple[Item, ...] = ("bonus", "peek", "order")


def options(_seats: int = 2) -> st.SearchStrategy[Options]:
    """Each option is given or left to the variant, all but the chips, which are mostly few."""
    return st.builds(
        Options,
        variant=st.sampled_from(("death-match", "final-match-2")),
        chips=st.one_of(_pair(1, 8), _pair(1, 40), st.just(UNSET)),
        passes_per_set=given(st.integers(1, 3)),
        ante_every_sets=given(st.integers(1, 2)),
        raise_cap=given(st.integers(1, 20)),
        on_fold=given(st.sampled_from(("pot", "return"))),
        on_call=given(st.sampled_from(("pot", "return"))),
        regroup_limits=given(st.none() | st.tuples(*(st.integers(0, 4) for _ in "abc"))),
        fold_8_penalty=given(st.integers(0, 12)),
        short_ante=given(st.sampled_from(("all_in", "lose"))),
        items=given(items()),
        ante_increase_allowed=given(st.booleans()),
        starter_chooser=given(st.integers(0, 1)),
        own_tile_visible=given(st.booleans()),
        leader_check=given(st.booleans()),
        bet_seconds=given(st.integers(1, 90)),
        group_seconds=given(st.integers(1, 90)),
    )


def given(value: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    """The option may also be left out."""
    return st.just(UNSET) | value


def items() -> st.SearchStrategy[tuple[Items, ...]]:
    of_seat = st.lists(st.sampled_from(ITEMS), unique=True).map(tuple)
    return st.tuples(of_seat, of_seat).filter(lambda both: not all("bonus" in one for one in both))


def _pair(low: int, high: int) -> st.SearchStrategy[tuple[int, ...]]:
    return st.tuples(st.integers(low, high), st.integers(low, high))
