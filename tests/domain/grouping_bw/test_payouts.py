"""Rules 4 to 7 of a round: folds, showdowns, the next starter, and the end."""

from typing import Any

import pytest

from domain.game import Result
from domain.games.grouping_bw.actions import Call, Fold, Raise
from domain.games.grouping_bw.events import (
    AnteMissed,
    Folded,
    GameWon,
    NumberTold,
    RoundBegan,
    RoundEnded,
)
from tests.support.tables.grouping_bw_tables import (
    ASCENDING,
    DESCENDING,
    HIGH,
    LOW,
    Row,
    dealt,
    draw,
    ended,
    equal_rows,
    group,
)

# Rule 4: folds.


def test_rule_4_only_the_folder_sees_the_others_number() -> None:
    table = dealt(HIGH, LOW).act(0, Raise(2)).when(1, Fold())
    assert table.new[:3] == [
        Folded(1),
        NumberTold(1, 6, "fold"),
        RoundEnded("fold", 0, 1, None, (31, 29), 0, False),
    ]


def test_rule_4_pot_the_other_takes_the_pot() -> None:
    table = dealt(HIGH, LOW).act(0, Raise(2)).act(1, Raise(3)).act(0, Fold())
    assert ended(table) == RoundEnded("fold", 1, 0, None, (27, 33), 0, False)


def test_rule_4_return_the_other_gets_its_own_bet_back_and_the_folders_leaves() -> None:
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


def test_rule_5_pot_at_equal_numbers_each_gets_its_own_back() -> None:
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


def test_rule_7_lose_a_seat_without_chips_loses_at_the_next_ante() -> None:
    table = dealt(HIGH, LOW, chips=(30, 6), short_ante="lose").act(0, Raise(5)).act(1, Call())
    assert table.new[-3:] == [RoundBegan(2, ("white", "white"), 0), AnteMissed((1,)), GameWon(0)]


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
