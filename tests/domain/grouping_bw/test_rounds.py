"""The rules of a round by their numbers: antes, bets, folds, showdowns and who starts the next."""

from typing import Any

import pytest

from domain.game import Result
from domain.games.grouping_bw.actions import Call, Fold, Group, NameStarter, Peek, Raise
from domain.games.grouping_bw.events import (
    AnteMissed,
    AntesPaid,
    Called,
    Folded,
    GameWon,
    NumberTold,
    PassBegan,
    Raised,
    RoundBegan,
    RoundEnded,
    SuddenDeathBegan,
)
from domain.menu import Between
from tests.domain.grouping_bw.tables import (
    ASCENDING,
    DESCENDING,
    Row,
    dealt,
    draw,
    equal_rows,
    group,
    grouping,
)
from tests.table import Table

# Rows whose first round is won by seat 0, and by seat 1.
HIGH, LOW = (6, 1, 0, 2, 3, 4, 5, 7, 8), (3, 1, 0, 2, 4, 5, 6, 7, 8)


def ended(table: Table) -> RoundEnded:
    """How the last round ended."""
    return [event for event in table.events if isinstance(event, RoundEnded)][-1]


def most(table: Table, seat: int) -> int:
    """By how much the menu lets the seat raise; 0 if not at all."""
    for offer in table.menu(seat):
        if offer.type == "raise":
            by = offer.fields["by"]
            assert isinstance(by, Between) and by.low == 1
            return by.high
    return 0


# Rules 1 and 2: colours, then antes.


def test_rule_1_colours_are_told_to_all_before_the_antes() -> None:
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
    assert table.new[1:] == [
        RoundBegan(1, ("black", "white"), 1),
        AnteMissed((0,)),
        GameWon(1),
    ]
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


def test_rule_3_out_of_turn_no_bet_is_taken() -> None:
    table = dealt(HIGH, LOW)
    assert table.offered(1) == set()
    for action in (Raise(1), Call(), Fold()):
        table.refused(1, action, "not_your_turn")


def test_rule_3_in_a_round_nothing_else_is_taken() -> None:
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


def test_rule_3_who_has_just_enough_to_call_cannot_raise() -> None:
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


# Rule 4: folds.


def test_rule_4_the_folder_alone_is_told_the_others_number() -> None:
    table = dealt(HIGH, LOW).act(0, Raise(2)).when(1, Fold())
    assert table.new[:3] == [
        Folded(1),
        NumberTold(1, 6, "fold"),
        RoundEnded("fold", 0, 1, None, (31, 29), 0, False),
    ]


def test_rule_4_pot_the_other_takes_the_pot() -> None:
    table = dealt(HIGH, LOW).act(0, Raise(2)).act(1, Raise(3)).act(0, Fold())
    assert ended(table) == RoundEnded("fold", 1, 0, None, (27, 33), 0, False)


def test_rule_4_return_the_other_gets_his_own_bet_back_and_the_folders_leaves() -> None:
    table = dealt(HIGH, LOW, on_fold="return").act(0, Raise(2)).act(1, Raise(3)).act(0, Fold())
    assert ended(table) == RoundEnded("fold", 1, 0, None, (27, 30), 3, False)
    assert table.state.discarded == 3


def test_rule_4_at_the_first_turn_a_fold_costs_the_ante() -> None:
    assert ended(dealt(HIGH, LOW).act(0, Fold())).stacks == (29, 31)
    assert ended(dealt(HIGH, LOW, on_fold="return").act(0, Fold())).stacks == (29, 30)


EIGHT = (8, 7, 6, 5, 4, 3, 2, 1, 0)


@pytest.mark.parametrize(
    ("options", "stacks", "gone"),
    [
        ({"fold_8_penalty": 8}, (21, 31), 8),
        ({"fold_8_penalty": 8, "on_fold": "return"}, (21, 30), 9),
        ({"fold_8_penalty": 29}, (0, 31), 29),
        ({"fold_8_penalty": 1_000, "short_ante": "lose"}, (0, 31), 29),
        ({"fold_8_penalty": 1}, (28, 31), 1),
    ],
)
def test_rule_4_folding_an_8_costs_more_and_is_announced(
    options: dict[str, Any], stacks: tuple[int, int], gone: int
) -> None:
    table = dealt(EIGHT, LOW, **options).act(0, Fold())
    first = next(event for event in table.new if isinstance(event, RoundEnded))
    assert first == RoundEnded("fold", 1, 0, None, stacks, gone, True)


def test_rule_4_without_a_penalty_an_8_is_folded_like_any_tile() -> None:
    assert not ended(dealt(EIGHT, LOW).act(0, Fold())).folded_8


def test_rule_4_the_others_8_and_other_tiles_cost_nothing_more() -> None:
    table = dealt(LOW, EIGHT, fold_8_penalty=8).act(0, Fold())
    assert ended(table) == RoundEnded("fold", 1, 0, None, (29, 31), 0, False)


def test_rule_4_a_penalty_that_takes_the_last_chip_loses_where_0_chips_do() -> None:
    table = dealt(EIGHT, LOW, fold_8_penalty=29).act(0, Fold())
    assert table.new[-1] == GameWon(1)
    assert table.result == Result((1,), (0,), False, (0, 31))


# Rule 5: showdowns.


def called(first: Row, second: Row, **options: Any) -> RoundEnded:
    """The first round of these rows, called at bets of 4."""
    return ended(dealt(first, second, **options).act(0, Raise(3)).act(1, Call()))


def test_rule_5_pot_the_higher_number_takes_all() -> None:
    assert called(HIGH, LOW) == RoundEnded("call", 0, None, (6, 3), (34, 26), 0, False)
    assert called(LOW, HIGH) == RoundEnded("call", 1, None, (3, 6), (26, 34), 0, False)


def test_rule_5_pot_at_equal_numbers_each_gets_his_own_back() -> None:
    assert called(LOW, LOW) == RoundEnded("call", None, None, (3, 3), (30, 30), 0, False)


def test_rule_5_return_the_losers_bet_leaves_the_game() -> None:
    assert called(HIGH, LOW, on_call="return") == RoundEnded(
        "call", 0, None, (6, 3), (30, 26), 4, False
    )


def test_rule_5_return_at_equal_numbers_both_bets_leave_the_game() -> None:
    assert called(LOW, LOW, on_call="return") == RoundEnded(
        "call", None, None, (3, 3), (26, 26), 8, False
    )


def test_rule_5_return_unless_that_would_leave_both_with_nothing() -> None:
    assert called(LOW, LOW, on_call="return", chips=(4, 4)).stacks == (4, 4)
    assert called(LOW, LOW, on_call="return", chips=(4, 5)).stacks == (0, 1)


def test_rule_5_an_8_that_is_shown_and_lost_or_drawn_costs_no_penalty() -> None:
    assert called(EIGHT, EIGHT, fold_8_penalty=8).stacks == (30, 30)


# Rule 6: who starts.


def test_rule_6_the_winner_starts_the_next_round_a_fold_won_or_a_showdown() -> None:
    table = dealt(HIGH, LOW, starter=0).act(0, Fold())
    assert table.new[-2] == RoundBegan(2, ("white", "white"), 1)
    table = dealt(LOW, HIGH, starter=0).act(0, Raise(1)).act(1, Call())
    assert table.state.starter == 1


@pytest.mark.parametrize("starter", [0, 1])
def test_rule_6_after_a_draw_the_last_winner_starts_or_the_first_starter(starter: int) -> None:
    table = equal_rows(starter=starter)
    table.act(starter, Raise(1)).act(1 - starter, Call())
    assert table.awaits.seats == (starter,)
    table.act(starter, Fold())
    table.act(1 - starter, Raise(1)).act(starter, Call())
    assert table.awaits.seats == (1 - starter,)


def test_rule_6_it_carries_over_passes_and_sets() -> None:
    table = equal_rows(starter=0, chips=(99, 99))
    for _ in range(2):
        for _ in range(9):
            table.act(table.awaits.seats[0], Fold())
        if table.state.phase == "grouping":
            table.act(0, group(ASCENDING)).act(1, group(ASCENDING))
        before = table.state.starter
        draw(table, ASCENDING, ASCENDING)
        assert table.awaits.seats == (before,)
    assert table.state.set == 2


# Rule 7: the end.


def test_rule_7_all_in_a_seat_without_chips_loses_after_the_round() -> None:
    table = dealt(HIGH, LOW, chips=(30, 6)).act(0, Raise(5)).act(1, Call())
    assert table.new[-1] == GameWon(0)
    assert table.result == Result((0,), (1,), False, (36, 0))
    assert table.awaits.seats == ()
    for seat in (0, 1):
        assert table.menu(seat) == ()
        for action in (Raise(1), Call(), Fold(), Peek(), NameStarter(0), group(ASCENDING)):
            table.refused(seat, action, "game_over")


def test_rule_7_lose_a_seat_without_chips_loses_at_the_next_ante() -> None:
    table = dealt(HIGH, LOW, chips=(30, 6), short_ante="lose").act(0, Raise(5)).act(1, Call())
    assert table.new[-3:] == [
        RoundBegan(2, ("white", "white"), 0),
        AnteMissed((1,)),
        GameWon(0),
    ]


def test_rule_7_lose_after_the_last_round_of_a_set_the_next_ante_is_in_the_next_set() -> None:
    table = equal_rows(passes_per_set=1, short_ante="lose", chips=(6, 6), on_fold="return")
    for _ in range(8):
        table.act(table.awaits.seats[0], Fold())
    assert (table.state.stacks, table.state.bets) == ((1, 1), (1, 1))
    seat = table.awaits.seats[0]
    table.act(seat, Fold())
    assert table.state.phase == "grouping"
    table.act(0, group(DESCENDING)).act(1, group(DESCENDING))
    draw(table, DESCENDING, DESCENDING)
    assert AnteMissed((seat,)) in table.new
    assert table.result == Result((1 - seat,), (seat,), False, table.state.stacks)
