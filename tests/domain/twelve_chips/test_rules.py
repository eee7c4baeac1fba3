"""The rules of 12 Chips by their numbers."""

from random import Random

import pytest

from domain.chance.draws import Shuffle
from domain.events import SEALED
from domain.game import OVER, Result
from domain.games.twelve_chips.actions import Play, Take
from domain.games.twelve_chips.events import (
    ChipPlayed,
    ChipsSetAside,
    ChipTaken,
    ChipWon,
    DealCompleted,
    HandDealt,
    RoundBegan,
    RoundScored,
    TrickBegan,
    TrickWon,
)
from domain.games.twelve_chips.rules import GAME
from tests.support.tables.game_table import Table
from tests.support.tables.twelve_chips_tables import (
    chips_on_offer,
    dealt,
    new,
    play_round_keeping_hands,
    trick,
)

REDS, BLUES = (4, 5, 6, 7, 8, 9), (1, 2, 3, 10, 11, 12)


# Rule 1: the deal.


def test_rule_1_a_round_begins_with_a_sealed_draw_of_reds_and_blues() -> None:
    table = Table(GAME, 2)
    assert table.events == [RoundBegan(1, 0)]
    assert table.draw.id == "round1/deal"
    assert table.draw.parts == (Shuffle(REDS), Shuffle(BLUES))
    assert table.draw.audience == SEALED
    assert table.awaits.seats == ()
    assert table.awaits.deadline is None


def test_rule_1_each_seat_is_dealt_two_of_each_shuffle_and_the_rest_is_set_aside() -> None:
    Table(GAME, 2).drawn((9, 4, 5, 8, 7, 6), (12, 1, 3, 2, 11, 10)).then(
        HandDealt(0, (1, 4, 9, 12)),
        HandDealt(1, (2, 3, 5, 8)),
        ChipsSetAside((6, 7, 10, 11)),
        DealCompleted(None),
        TrickBegan(1, 0),
    )


def test_rule_1_three_seats_use_up_the_twelve_chips() -> None:
    Table(GAME, 3).drawn(REDS, BLUES).then(
        HandDealt(0, (1, 2, 4, 5)),
        HandDealt(1, (3, 6, 7, 10)),
        HandDealt(2, (8, 9, 11, 12)),
        DealCompleted(None),
        TrickBegan(1, 0),
    )


def test_rule_1_four_seats_have_four_more_chips_and_use_up_all() -> None:
    table = Table(GAME, 4)
    reds, blues = (4, 4, 5, 6, 7, 8, 9, 9), (1, 2, 3, 3, 10, 10, 11, 12)
    assert table.draw.parts == (Shuffle(reds), Shuffle(blues))
    table.drawn(reds, blues).then(
        HandDealt(0, (1, 2, 4, 4)),
        HandDealt(1, (3, 3, 5, 6)),
        HandDealt(2, (7, 8, 10, 10)),
        HandDealt(3, (9, 9, 11, 12)),
        DealCompleted(None),
        TrickBegan(1, 0),
    )


def test_rule_1_nobody_may_do_anything_while_chips_are_dealt() -> None:
    table = new()
    for seat in (0, 1):
        assert table.menu(seat) == ()
        table.refused(seat, Play(1), "wrong_phase").refused(seat, Take(1), "wrong_phase")


# Rules 2 and 3: playing and winning.


def test_rule_2_seats_play_clockwise_from_the_starter() -> None:
    table = dealt((1, 2, 4, 5), (3, 6, 7, 10), (8, 9, 11, 12), first_starter=1)
    assert table.awaits.seats == (1,)
    table.when(1, Play(3)).then(ChipPlayed(1, 3))
    assert table.awaits.seats == (2,)
    table.when(2, Play(8)).then(ChipPlayed(2, 8))
    assert table.awaits.seats == (0,)
    table.when(0, Play(5)).then(ChipPlayed(0, 5), TrickWon(2))


def test_rule_2_any_chip_of_the_hand_may_be_played_and_no_other() -> None:
    table = dealt((1, 2, 4, 5), (3, 6, 7, 10))
    assert chips_on_offer(table, 0) == (1, 2, 4, 5)
    assert chips_on_offer(table, 1) == ()
    for chip in (3, 9, 0, -1, 13, 2**53 - 1):
        table.refused(0, Play(chip), "not_in_hand")
    table.act(0, Play(5))
    assert chips_on_offer(table, 1) == (3, 6, 7, 10)
    table.refused(1, Play(5), "not_in_hand")


def test_rule_2_a_number_held_twice_is_offered_once_and_played_once() -> None:
    table = dealt((3, 3, 4, 4), (1, 2, 5, 6), (7, 8, 9, 9), (10, 10, 11, 12))
    assert chips_on_offer(table, 0) == (3, 4)
    assert sorted(table.act(0, Play(3)).state.hands[0]) == [3, 4, 4]


def test_rule_2_only_the_seat_whose_turn_it_is_plays() -> None:
    table = dealt((1, 2, 4, 5), (3, 6, 7, 10))
    table.refused(1, Play(3), "not_your_turn").refused(0, Take(1), "wrong_phase")
    table.act(0, Play(1)).refused(0, Play(2), "not_your_turn")


def test_rule_3_the_highest_chip_wins_whatever_its_colour() -> None:
    dealt((1, 2, 4, 5), (3, 6, 7, 10)).act(0, Play(4)).when(1, Play(3)).then(
        ChipPlayed(1, 3), TrickWon(0)
    )
    dealt((1, 2, 4, 5), (3, 6, 7, 10)).act(0, Play(5)).when(1, Play(10)).then(
        ChipPlayed(1, 10), TrickWon(1)
    )


@pytest.mark.parametrize(("starter", "winner"), [(0, 1), (1, 1), (2, 3), (3, 3)])
def test_rule_3_of_equal_chips_the_one_played_first_wins(starter: int, winner: int) -> None:
    hands = ((1, 2, 3, 4), (10, 5, 6, 7), (3, 4, 8, 9), (10, 9, 11, 12))
    table = dealt(*hands, first_starter=starter)
    plays = (1, 10, 3, 10)
    for place in range(4):
        seat = (starter + place) % 4
        table.act(seat, Play(plays[seat]))
    assert table.new[-1] == TrickWon(winner)


# Rules 4 and 5: taking.


def test_rule_4_seats_take_clockwise_from_the_winner_and_the_last_one_too() -> None:
    table = dealt((1, 2, 4, 5), (3, 6, 7, 10), (8, 9, 11, 12))
    table.act(0, Play(1)).act(1, Play(3)).act(2, Play(12))
    assert [chips_on_offer(table, seat) for seat in range(3)] == [(), (), (1, 3, 12)]
    table.refused(0, Take(1), "not_your_turn").refused(2, Play(8), "wrong_phase")
    table.when(2, Take(1)).then(ChipWon(2, 1))
    table.when(0, Take(12)).then(ChipTaken(0, 12))
    assert chips_on_offer(table, 1) == (3,)
    table.when(1, Take(3)).then(ChipTaken(1, 3), TrickBegan(2, 2))


def test_rule_4_everyone_takes_red_chips_first_the_winner_included() -> None:
    table = dealt((1, 2, 4, 5), (3, 6, 7, 10), (8, 9, 11, 12))
    table.act(0, Play(4)).act(1, Play(7)).act(2, Play(12))
    assert chips_on_offer(table, 2) == (4, 7)
    table.refused(2, Take(12), "red_first").act(2, Take(7))
    assert chips_on_offer(table, 0) == (4,)
    table.refused(0, Take(12), "red_first").refused(0, Take(7), "not_in_centre").act(0, Take(4))
    assert chips_on_offer(table, 1) == (12,)


@pytest.mark.parametrize(("chip", "red"), [(3, False), (4, True), (9, True), (10, False)])
def test_rule_4_red_is_4_to_9(chip: int, red: bool) -> None:
    other = 1 if red else 2
    hand = [chip, *(number for number in (5, 6, 7) if number != chip)]
    table = dealt(hand, (other, 8, 11, 12)).act(0, Play(chip)).act(1, Play(other))
    assert chips_on_offer(table, 0) == ((chip,) if red else (other, chip))


def test_rule_4_a_seat_may_take_the_chip_it_played() -> None:
    dealt((1, 2, 4, 5), (3, 6, 7, 10)).act(0, Play(1)).act(1, Play(10)).when(1, Take(10)).then(
        ChipWon(1, 10)
    )


def test_rule_4_a_chip_outside_the_centre_cannot_be_taken() -> None:
    table = dealt((1, 2, 4, 5), (3, 6, 7, 10)).act(0, Play(4)).act(1, Play(10))
    for chip in (5, 1, 12, 0, 99):
        table.refused(1, Take(chip), "not_in_centre")


def test_rule_4_equal_chips_are_offered_once_and_taken_one_by_one() -> None:
    table = dealt((3, 1, 2, 4), (3, 4, 5, 6), (7, 8, 9, 9), (10, 10, 11, 12))
    table.act(0, Play(4)).act(1, Play(4)).act(2, Play(7)).act(3, Play(12))
    assert chips_on_offer(table, 3) == (4, 7)
    table.act(3, Take(4))
    assert chips_on_offer(table, 0) == (4, 7)


def test_rule_5_the_winners_chip_lies_in_front_and_the_others_go_to_hand() -> None:
    table = trick(dealt((1, 2, 4, 5), (3, 6, 7, 10)), 4, 10, takes=(4, 10))
    assert table.state.fronts == ((), (4,))
    assert list(map(sorted, table.state.hands)) == [[1, 2, 5, 10], [3, 6, 7]]


# Rule 6: the end of a round.


def test_rule_6_the_winner_starts_the_next_trick_while_they_have_chips() -> None:
    trick(dealt((1, 2, 4, 5), (3, 6, 7, 10)), 1, 10, takes=(1, 10)).then(
        ChipTaken(0, 10), TrickBegan(2, 1)
    )


def four_wins(**options: object) -> Table:
    """Seat 1 wins four tricks in a row and ends with 3, 10, 11 and 12: bust."""
    return play_round_keeping_hands(dealt((1, 2, 4, 5), (3, 10, 11, 12), **options))


def test_rule_6_the_round_ends_when_the_winner_of_a_trick_has_an_empty_hand() -> None:
    four_wins().then(
        ChipTaken(0, 1),
        RoundScored(((1, 2, 4, 5), (3, 10, 11, 12)), (12, 36), (0,)),
        RoundBegan(2, 1),
    )


def test_rule_6_the_next_round_starts_with_all_chips_and_a_draw_of_its_own() -> None:
    table = four_wins()
    state = table.state
    assert (state.round, state.trick, state.phase, state.to_act) == (2, 1, "deal", None)
    assert (state.centre, state.hands, state.fronts) == ((), ((), ()), ((), ()))
    assert state.tokens == (1, 0)
    assert table.draw.id == "round2/deal"
    assert table.draw.parts == (Shuffle(tuple(range(1, 13))),)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_rule_6_a_round_ends_exactly_at_a_seats_fourth_won_trick(seats: int) -> None:
    table = Table(GAME, seats).play_out(Random(seats))
    won = [0] * seats
    for event in table.events:
        if isinstance(event, RoundBegan):
            won = [0] * seats
        if isinstance(event, TrickBegan):
            assert max(won) < 4
        if isinstance(event, TrickWon):
            won[event.seat] += 1
        if isinstance(event, RoundScored):
            assert max(won) == 4


# Rule 8: the end of the game; rule 7 is in test_scoring.


def test_rule_8_the_game_ends_after_a_round_in_which_a_seat_has_the_tokens() -> None:
    table = four_wins(tokens_to_win=1)
    table.then(ChipTaken(0, 1), RoundScored(((1, 2, 4, 5), (3, 10, 11, 12)), (12, 36), (0,)))
    assert table.result == Result((0,), (1,), False, (1, 0))
    assert table.awaits == OVER


def test_rule_8_one_token_short_the_game_goes_on() -> None:
    table = four_wins(tokens_to_win=2)
    assert table.result is None
    assert table.awaits.draw is not None


def test_rule_8_all_with_the_most_tokens_share_the_victory() -> None:
    table = new(3, tokens_to_win=2)
    fours = ((1, 2, 3, 4), (5, 6, 7, 8), (9, 10, 11, 12))
    table.given(RoundScored(fours, (0, 0, 0), (0, 1)), RoundBegan(2, 0))
    assert table.result is None
    table.given(RoundScored(fours, (0, 0, 0), (0, 1)))
    assert table.result == Result((0, 1), (), True, (2, 2, 0))


def test_rule_8_more_tokens_beat_the_required_number() -> None:
    table = new(3, tokens_to_win=2)
    table.given(RoundScored((), (), (0,)), RoundBegan(2, 0), RoundScored((), (), (0, 2)))
    assert table.result == Result((0,), (1, 2), False, (2, 0, 1))
