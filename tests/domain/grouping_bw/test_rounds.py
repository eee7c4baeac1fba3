"""Rules 1 to 3 of a round: colours, antes, sudden death and bets."""

from typing import Any

import pytest

from domain.game import Result
from domain.games.grouping_bw.actions import Call, Fold, Group, NameStarter, Raise
from domain.games.grouping_bw.events import (
    AnteMissed,
    AntesPaid,
    Called,
    GameWon,
    PassBegan,
    Raised,
    RoundBegan,
    RoundEnded,
    SuddenDeathBegan,
)
from domain.menu import Between
from tests.support.tables.game_table import Table
from tests.support.tables.grouping_bw_tables import (
    ASCENDING,
    HIGH,
    LOW,
    dealt,
    draw,
    ended,
    group,
    grouping,
)


def most(table: Table, seat: int) -> int:
    """By how much the menu lets the seat raise; 0 if not at all."""
    for offer in table.menu(seat):
        if offer.type == "raise":
            by = offer.fields["by"]
            assert isinstance(by, Between) and by.low == 1
            return by.high
    return 0


# Rules 1 and 2: colours, then antes.


def test_rule_1_colours_are_shown_to_all_before_the_antes() -> None:
    table = dealt(HIGH, LOW)
    assert table.new[1:] == [RoundBegan(1, ("black", "white"), 0), AntesPaid(1)]
    assert table.state.stacks == (29, 29)
    assert table.state.bets == (1, 1)


def test_rule_2_all_in_below_the_ante_both_put_in_the_smaller_stack_and_show() -> None:
    table = grouping(chips=(2, 9), ante_increase_allowed=True)
    for seat, row in enumerate((HIGH, LOW)):
        table.act(seat, group(row, ante_increase=5))
    draw(table, HIGH, LOW)
    shown = RoundEnded("allin", 0, None, (6, 3), (4, 7), 0, False)
    assert table.new[1:4] == [RoundBegan(1, ("black", "white"), 0), AntesPaid(2), shown]


def test_rule_2_lose_exactly_one_seat_short_loses() -> None:
    table = short((2, 9))
    assert table.new[1:] == [RoundBegan(1, ("black", "white"), 1), AnteMissed((0,)), GameWon(1)]
    assert table.result == Result((1,), (0,), False, (2, 9))
    assert short((6, 5)).result == Result((0,), (1,), False, (6, 5))


def short(chips: tuple[int, int], *rows: tuple[int, ...], **options: Any) -> Table:
    """A table with an ante of 6 where a seat that cannot pay it loses."""
    free = {"items": ((), ()), "ante_increase_allowed": True, "short_ante": "lose"}
    table = grouping(starter=1, chips=chips, **{**free, **options})
    for seat, row in enumerate(rows or (HIGH, LOW)):
        table.act(seat, group(row, ante_increase=5))
    return draw(table, *(rows or (HIGH, LOW)))


def test_rule_2_lose_a_stack_that_is_just_enough_is_not_short() -> None:
    assert short((6, 9)).new[1:3] == [RoundBegan(1, ("black", "white"), 1), AntesPaid(6)]
    assert ended(short((6, 9))).end == "allin"


@pytest.mark.parametrize(("chips", "winner"), [((5, 4), 0), ((1, 2), 1)])
def test_rule_2_lose_with_both_short_more_chips_win(chips: tuple[int, int], winner: int) -> None:
    table = short(chips)
    assert table.new[2:] == [AnteMissed((0, 1)), GameWon(winner)]
    assert table.result == Result((winner,), (1 - winner,), False, chips)


def test_rule_2_lose_with_equal_stacks_it_is_sudden_death_from_the_round_then_due() -> None:
    table = short((5, 5))
    assert table.new[2:] == [
        AnteMissed((0, 1)),
        SuddenDeathBegan(),
        RoundEnded("sudden_death", 0, None, (6, 3), (5, 5), 0, False),
        GameWon(0),
    ]
    assert table.result == Result((0,), (1,), False, (5, 5))


def test_rule_2_sudden_death_goes_on_with_the_following_tiles_until_one_is_higher() -> None:
    table = short((5, 5), (2, 1, 0, 3, 4, 5, 6, 7, 8), (2, 1, 0, 4, 3, 5, 6, 7, 8))
    shown = [event.numbers for event in table.events if isinstance(event, RoundEnded)]
    assert shown == [(2, 2), (1, 1), (0, 0), (3, 4)]
    assert {event.end for event in table.events if isinstance(event, RoundEnded)} == {
        "sudden_death"
    }
    assert not any(isinstance(event, AntesPaid) for event in table.events)
    assert table.result == Result((1,), (0,), False, (5, 5))


def test_rule_2_sudden_death_draws_a_further_pass_of_the_same_set() -> None:
    table = short((5, 5), ASCENDING, ASCENDING, passes_per_set=1)
    for number in (2, 3):
        assert table.new[-1] == PassBegan(number)
        assert table.draw.id == f"set1/pass{number}"
        draw(table, ASCENDING, ASCENDING)
    draw(table, (1, 0, 2, 3, 4, 5, 6, 7, 8), ASCENDING)
    assert (table.state.set, table.state.pass_, table.state.round) == (1, 4, 1)
    assert table.result == Result((0,), (1,), False, (5, 5))


def test_rule_2_sudden_death_may_begin_in_the_middle_of_a_pass() -> None:
    """A draw takes both bets, and the 4 chips that are left to each are less than the ante."""
    table = short((11, 11), LOW, LOW, on_call="return")
    table.act(1, Raise(1)).act(0, Call())
    assert table.new[1] == RoundEnded("call", None, None, (3, 3), (4, 4), 14, False)
    assert table.new[2:5] == [
        RoundBegan(2, ("white", "white"), 1),
        AnteMissed((0, 1)),
        SuddenDeathBegan(),
    ]
    shown = [event.numbers for event in table.new[2:] if isinstance(event, RoundEnded)]
    assert shown == [(number, number) for number in LOW[1:]]
    assert table.new[-1] == PassBegan(2)


# Rule 3: bets.


def test_rule_3_the_starter_bets_first_and_then_the_seats_take_turns() -> None:
    table = dealt(HIGH, LOW, starter=1)
    assert table.awaits.seats == (1,)
    table.when(1, Raise(2)).then(Raised(1, 2))
    assert table.awaits.seats == (0,)
    assert (table.state.stacks, table.state.bets) == ((29, 27), (1, 3))
    table.when(0, Raise(3)).then(Raised(0, 3))
    assert (table.state.stacks, table.state.bets) == ((24, 27), (6, 3))
    assert table.state.to_call == 3
    table.when(1, Call())
    assert table.new[:2] == [Called(1), RoundEnded("call", 0, None, (6, 3), (36, 24), 0, False)]


def test_rule_3_out_of_turn_no_bet_is_accepted() -> None:
    table = dealt(HIGH, LOW)
    assert table.offered(1) == set()
    for action in (Raise(1), Call(), Fold()):
        table.refused(1, action, "not_your_turn")


def test_rule_3_in_a_round_no_other_action_is_accepted() -> None:
    table = dealt(HIGH, LOW)
    for action in (NameStarter(0), Group((0, 1), (2, 3, 4), (5, 6, 7, 8)), Group((), (), ())):
        table.refused(0, action, "wrong_phase")


@pytest.mark.parametrize("by", [0, -1, 11, 2**53 - 1])
def test_rule_3_a_raise_is_1_to_the_cap(by: int) -> None:
    table = dealt(HIGH, LOW)
    assert most(table, 0) == 10
    table.refused(0, Raise(by), "raise_out_of_range")


@pytest.mark.parametrize("cap", [1, 3, 29])
def test_rule_3_option_raise_cap(cap: int) -> None:
    table = dealt(HIGH, LOW, raise_cap=cap)
    assert most(table, 0) == cap
    table.refused(0, Raise(cap + 1), "raise_out_of_range").act(0, Raise(cap))


def test_rule_3_a_raise_is_not_beyond_what_the_other_seat_has() -> None:
    table = dealt(HIGH, LOW, chips=(30, 5))
    assert most(table, 0) == 4
    table.refused(0, Raise(5), "raise_out_of_range").act(0, Raise(4))
    assert table.offered(1) == {"call", "fold"}
    assert table.state.to_call == 4 == table.state.stacks[1]


def test_rule_3_a_raise_is_not_beyond_the_own_stack_after_the_call() -> None:
    table = dealt(HIGH, LOW, chips=(30, 9)).act(0, Raise(5))
    assert most(table, 1) == 3
    table.refused(1, Raise(4), "raise_out_of_range").act(1, Raise(3))
    assert table.state.stacks == (24, 0)


def test_rule_3_a_seat_with_just_enough_to_call_cannot_raise() -> None:
    table = dealt(HIGH, LOW, chips=(30, 6)).act(0, Raise(5))
    assert table.offered(1) == {"call", "fold"}
    table.refused(1, Raise(1), "raise_out_of_range")
    table.act(1, Call())


def test_rule_3_the_starter_cannot_call_at_equal_bets() -> None:
    table = dealt(HIGH, LOW)
    assert table.offered(0) == {"raise", "fold"}
    table.refused(0, Call(), "nothing_to_call")


def test_rule_3_option_leader_check_lets_the_starter_show_for_the_antes() -> None:
    table = dealt(HIGH, LOW, leader_check=True)
    assert table.offered(0) == {"raise", "call", "fold"}
    table.when(0, Call())
    assert table.new[:2] == [Called(0), RoundEnded("call", 0, None, (6, 3), (31, 29), 0, False)]


@pytest.mark.parametrize("chips", [(1, 30), (30, 1), (1, 1)])
def test_rule_3_if_the_ante_takes_a_whole_stack_tiles_are_shown_at_once(
    chips: tuple[int, int],
) -> None:
    table = dealt(HIGH, LOW, chips=chips)
    assert ended(table).end == "allin"
    assert table.new[2:4] == [
        AntesPaid(1),
        RoundEnded("allin", 0, None, (6, 3), (chips[0] + 1, chips[1] - 1), 0, False),
    ]
