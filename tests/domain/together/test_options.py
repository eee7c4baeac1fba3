"""The options of Together We Survive: their defaults, how many tokens they allow, and a
match in which no one does anything."""

from contextlib import suppress
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from domain.game import Refused, Result
from domain.games.together.options import (
    MOST_TOKENS,
    Options,
    StartTokens,
    check,
    complete,
    garnets_of,
    most_tokens,
)
from domain.games.together.rules import GAME
from tests.support.tables.game_table import Table
from tests.support.tables.together_options import options
from tests.support.tables.together_tables import a, b, state

SEATS = (4, 5, 16, 32)


def test_options_have_the_defaults_of_the_rules() -> None:
    assert msgspec.to_builtins(Options()) == {
        "start_tokens": {"A": 5, "B": 1},
        "kick_rule": "most",
        "all_tied": "all_out",
        "b_self": False,
        "b_repeats": True,
        "reveal_vote_counts": "A",
        "b_winner_rank": 2,
        "b_loser_rank": 1,
        "ec_voters": "group",
        "garnet_per_tokens": 7,
        "deadline_utc": "14:00",
        "first_round_hours": 48,
        "round_hours": 24,
        "vote_hours": 24,
    }


@pytest.mark.parametrize(
    ("seats", "groups"),
    [(4, "AABB"), (5, "AABBB"), (16, "A" * 8 + "B" * 8), (32, "A" * 16 + "B" * 16)],
)
def test_the_first_half_is_group_a_and_nobody_brings_garnets(seats: int, groups: str) -> None:
    played = complete(Options(), seats)
    assert played.groups == tuple(groups)
    assert played.garnets == (0,) * seats
    check(Options(), seats)


def test_given_options_are_unchanged() -> None:
    given = Options(groups=("B", "A", "B", "A"), garnets=(1, 2, 3, 4))
    assert complete(given, 4) == given
    assert GAME.stake is not None
    assert GAME.stake(given, 4) == (1, 2, 3, 4)
    assert GAME.stake(Options(), 4) == (0, 0, 0, 0)


@given(data=st.data(), seats=st.sampled_from(SEATS))
def test_complete_options_are_complete_and_allowed(data: st.DataObject, seats: int) -> None:
    chosen = data.draw(options(seats))
    played = complete(chosen, seats)
    check(chosen, seats)
    check(played, seats)
    assert complete(played, seats) == played
    assert msgspec.convert(msgspec.to_builtins(played), Options) == played
    assert played.groups is not UNSET
    assert len(played.groups) == len(garnets_of(played, seats)) == seats


def test_a_table_can_begin_with_incomplete_options() -> None:
    assert GAME.initial(Options(), 16) == GAME.initial(complete(Options(), 16), 16)


def test_the_rules_for_people_name_every_option() -> None:
    assert all(f"`{name}`" in GAME.text for name in Options.__struct_fields__)


ANY_INT = st.integers(-2, 40) | st.integers()


@given(
    seats=st.integers(0, 40),
    chosen=st.builds(
        Options,
        groups=st.just(UNSET) | st.lists(st.sampled_from(("A", "B"))).map(tuple),
        garnets=st.just(UNSET) | st.lists(ANY_INT, max_size=6).map(tuple),
        start_tokens=st.builds(StartTokens, a=ANY_INT, b=ANY_INT),
        b_winner_rank=ANY_INT,
        b_loser_rank=ANY_INT,
        garnet_per_tokens=ANY_INT,
        deadline_utc=st.text(max_size=6),
        first_round_hours=ANY_INT,
        round_hours=ANY_INT,
        vote_hours=ANY_INT,
    ),
)
def test_any_options_are_allowed_or_refused(seats: int, chosen: Options) -> None:
    """Nothing but a refusal is ever raised."""
    with suppress(Refused):
        check(chosen, seats)


def test_only_moderators_may_ever_read_everything() -> None:
    assert GAME.records == ("closed",)
    assert GAME.seats == range(4, 33)


# How many tokens a seat can have.


def given_all(chosen: Options, seats: int) -> int:
    """The most tokens of a seat while everyone gives all to the last seat in every round."""
    table, most = Table(GAME, seats, chosen), 0
    last = seats - 1
    while state(table).phase == "submission":
        most = max(most, *state(table).tokens)
        number = state(table).round
        for seat in state(table).seats:
            table.act(seat, b(last, last, last, at=number))
        on_stage = state(table).stage
        if chosen.all_tied == "all_out" and len(on_stage) > 2:
            table.act(on_stage[-1], a(on_stage[-1], at=number))
        table.expired()
    return max(most, *state(table).tokens)


@pytest.mark.parametrize("all_tied", ["all_out", "none_out"])
@pytest.mark.parametrize("seats", [4, 9, 32])
def test_no_seat_has_more_tokens_than_the_options_allow(seats: int, all_tied: Any) -> None:
    chosen = Options(all_tied=all_tied, b_self=True, start_tokens=StartTokens(a=9, b=2))
    bound = most_tokens(chosen, seats)
    assert 9 < given_all(chosen, seats) <= bound <= MOST_TOKENS


def test_the_largest_number_of_tokens_is_that_of_the_largest_match() -> None:
    groups: Any = ("A",) * 30 + ("B",) * 2
    chosen = Options(groups=groups, all_tied="none_out", start_tokens=StartTokens(b=1000))
    assert most_tokens(chosen, 32) == MOST_TOKENS


def test_who_begins_rich_may_send_as_many_votes() -> None:
    assert most_tokens(Options(start_tokens=StartTokens(a=1000)), 4) == 1000


@pytest.mark.parametrize("seats", [4, 16, 32])
def test_a_match_in_which_nobody_does_anything_ends(seats: int) -> None:
    """All on stage tie: they all win, and group B has only losers, of whom one is drawn."""
    table = Table(GAME, seats).expired()
    assert state(table).round == 1
    table.expired().expired()
    table.drawn(table.draw.parts[0].items)  # type: ignore[union-attr]  # it is a shuffle
    assert table.result == Result(
        tuple(range(seats // 2)), tuple(range(seats // 2, seats)), shared=False, scores=(1,) * seats
    )
    assert state(table).candidates.a is None
    assert state(table).candidates.b == seats // 2
