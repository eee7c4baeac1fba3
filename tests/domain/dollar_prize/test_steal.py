"""The end of a round of Dollar Prize: the steal, the choice about a stolen coin, and the prize."""

import pytest

from domain.chance.draws import Draw, Face, Flip
from domain.events import PUBLIC
from domain.game import OVER, Awaits, Result
from domain.games.dollar_prize.actions import Exchange, Keep, Place
from domain.games.dollar_prize.coins import VALUE, Flips
from domain.games.dollar_prize.events import (
    CoinExchanged,
    CoinKept,
    CoinsFlipped,
    CoinStolen,
    PrizeTaken,
    StealBegan,
    TurnBegan,
)
from domain.match.deadlines import After, Deadline
from domain.menu import ListOf, Offer, OneOf
from tests.domain.dollar_prize.dollar_prize_positions import at_steal, at_turn, coins, lines
from tests.support.tables.game_table import Table

FACES: dict[str, Face] = {"h": "heads", "t": "tails"}
ALL_HEADS = {"n": "hh", "d": "hhh", "q": "hhhh"}
"""The flips of a steal in which the highest coin is this one, all heads."""


def flipped(table: Table, faces: str) -> Table:
    return table.drawn(*(FACES[face] for face in faces))


def flips(letters: str, faces: str) -> Flips:
    return tuple(zip(coins(letters), (FACES[face] for face in faces), strict=True))


def exchange_offer(table: Table, seat: int) -> Offer:
    return next(offer for offer in table.menu(seat) if offer.type == "exchange")


# Rules 3.1 to 3.3: the flips.


@pytest.mark.parametrize(("first", "second"), [("ppp", "ppp"), ("", "ppp"), ("pppp", "pp")])
def test_rule_3_1_no_steal_while_neither_total_is_five_cents(first: str, second: str) -> None:
    table = at_turn(first, second, seat=1).act(1, Place("penny"))
    assert table.new[-1] == TurnBegan(4, 0)
    assert table.awaits == Awaits((0,))


@pytest.mark.parametrize(("first", "second"), [("ppppp", ""), ("n", ""), ("nq", "p"), ("p", "n")])
def test_rule_3_1_a_steal_once_a_total_is_five_cents(first: str, second: str) -> None:
    table = at_turn(first, second, seat=1).act(1, Place("penny"))
    assert table.new[-1] == StealBegan(3, 1)


@pytest.mark.parametrize(
    ("first", "second", "labels"),
    [
        ("ppppp", "p", "p"),
        ("p", "n", "np"),
        ("d", "n", "dnp"),
        ("qqq", "p", "qdnp"),
        ("p", "q", "qdnp"),
    ],
)
def test_rule_3_2_the_highest_coin_and_all_below_it_are_flipped(
    first: str, second: str, labels: str
) -> None:
    parts = tuple(Flip(coin) for coin in coins(labels))
    assert at_steal(first, second).awaits == Awaits(draw=Draw("r3/steal/1", parts, PUBLIC))


@pytest.mark.parametrize(
    ("first", "second", "faces", "stolen"),
    [
        ("qq", "q", "hhhh", CoinStolen(0, 1, "quarter")),
        ("qd", "qdd", "thtt", CoinStolen(1, 0, "dime")),
        ("qn", "", "tthh", CoinStolen(0, 1, "nickel")),
        ("p", "qpp", "ttth", CoinStolen(1, 0, "penny")),
    ],
)
def test_rule_3_3_the_first_heads_moves_a_coin_from_the_seat_with_more(
    first: str, second: str, faces: str, stolen: CoinStolen
) -> None:
    assert flipped(at_steal(first, second), faces).new[1] == stolen


@pytest.mark.parametrize(
    ("first", "second", "faces"),
    [
        ("qp", "q", "hhhh"),
        ("qp", "", "thhh"),
        ("qp", "", "tthh"),
        ("qp", "d", "tttt"),
        ("qp", "dp", "ttth"),
    ],
)
def test_rule_3_3_nothing_moves_on_equal_numbers_or_all_tails(
    first: str, second: str, faces: str
) -> None:
    table = at_steal(first, second)
    before = lines(table)
    flipped(table, faces).then(CoinsFlipped(flips("qdnp", faces)), TurnBegan(4, 0))
    assert lines(table) == before


# Rule 3.4: keep or exchange.


def test_rule_3_4_a_stolen_penny_needs_no_choice() -> None:
    table = flipped(at_steal("ppppp", ""), "h")
    table.then(CoinsFlipped(flips("p", "h")), CoinStolen(0, 1, "penny"), TurnBegan(4, 0))
    assert lines(table) == ("pppp", "p")


def test_rule_3_4_the_receiver_keeps_the_coin() -> None:
    table = flipped(at_steal("nn", "p"), "ht")
    assert table.awaits == Awaits((1,))
    assert table.offered(1) == {"keep", "exchange"}
    table.act(1, Keep()).then(CoinKept(1, "nickel"), TurnBegan(4, 0))
    assert lines(table) == ("n", "pn")


def test_rule_3_4_the_receiver_exchanges_that_coin_in_any_order() -> None:
    table = flipped(at_steal("q", "dd"), "httt").act(1, Exchange(coins("dnd")))
    table.then(CoinExchanged(1, "quarter", coins("ndd")), TurnBegan(4, 0))
    assert lines(table) == ("", "ndddd")


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ("q", "not_lower"),
        ("ddq", "not_lower"),
        ("", "wrong_value"),
        ("dd", "wrong_value"),
        ("ddnp", "wrong_value"),
        ("p" * 26, "wrong_value"),
    ],
)
def test_rule_3_4_the_value_is_preserved_by_lower_coins(wrong: str, code: str) -> None:
    flipped(at_steal("q", ""), "httt").refused(1, Exchange(coins(wrong)), code)


@pytest.mark.parametrize(("stolen", "ways"), [("n", 1), ("d", 3), ("q", 12)])
def test_option_down_conversion_any_is_every_way_to_make_the_value(stolen: str, ways: int) -> None:
    (coin,) = coins(stolen)
    table = flipped(at_steal(stolen, ""), ALL_HEADS[stolen])
    offer = exchange_offer(table, 1)
    assert not offer.exact
    assert len({example["coins"] for example in offer.examples}) == ways
    for example in offer.examples:
        assert sum(map(VALUE.__getitem__, example["coins"])) == VALUE[coin]


@pytest.mark.parametrize(("stolen", "listed"), [("n", "ppppp"), ("d", "nn"), ("q", "ndd")])
def test_option_down_conversion_listed_is_one_way(stolen: str, listed: str) -> None:
    table = flipped(at_steal(stolen, "", down_conversion="listed"), ALL_HEADS[stolen])
    assert [example["coins"] for example in exchange_offer(table, 1).examples] == [coins(listed)]
    table.act(1, Exchange(coins(listed[::-1])))
    assert lines(table) == ("", listed)


@pytest.mark.parametrize(("stolen", "other"), [("d", "pppppn"), ("q", "nnnnn"), ("q", "dnnn")])
def test_option_down_conversion_listed_refuses_other_ways(stolen: str, other: str) -> None:
    listed = flipped(at_steal(stolen, "", down_conversion="listed"), ALL_HEADS[stolen])
    listed.refused(1, Exchange(coins(other)), "not_listed")
    flipped(at_steal(stolen, ""), ALL_HEADS[stolen]).act(1, Exchange(coins(other)))


def test_rule_3_4_the_menu_bounds_each_coin_and_their_number() -> None:
    table = flipped(at_steal("d", ""), "htt")
    assert exchange_offer(table, 1).fields == {"coins": ListOf(OneOf(("penny", "nickel")), 2, 10)}


def test_option_turn_seconds_on_expiry_the_coin_is_kept() -> None:
    table = flipped(at_steal("n", "", turn_seconds=9), "ht")
    assert table.awaits.deadline == Deadline("r3/steal/1/exchange", After(9))
    table.expired().then(CoinKept(1, "nickel"), TurnBegan(4, 0))


# Rule 3.5: the prize.


def test_rule_3_5_the_larger_total_wins_whoever_moved_first() -> None:
    table = flipped(at_steal("qqqqn", "qqqqd"), "htht")
    table.then(CoinsFlipped(flips("qdnp", "htht")), PrizeTaken((1,)))
    assert table.result == Result((1,), (0,), shared=False, scores=(105, 110))
    assert table.awaits == OVER


def test_rule_3_5_a_dollar_is_enough_and_99_cents_are_not() -> None:
    assert flipped(at_steal("qqqq", "qq"), "tttt").new[-1] == PrizeTaken((0,))
    short = at_steal("qqqddpppp", "qqq")
    assert flipped(short, "tttt").new[-1] == TurnBegan(4, 0)
    assert short.result is None


def test_rule_3_5_what_counts_is_the_total_after_the_steal() -> None:
    lost = flipped(at_steal("qqqq", "p"), "httt").act(1, Keep())
    assert lost.new[-1] == TurnBegan(4, 0)
    won = flipped(at_steal("qqqd", "qqq" + "d" * 3), "thtt").act(0, Keep())
    assert won.new[-1] == TurnBegan(4, 0)
    gained = flipped(at_steal("qqqdn", "qqddd"), "thtt").act(0, Exchange(coins("nn")))
    assert gained.new[-1] == PrizeTaken((0,))


def test_rule_3_5_the_second_player_has_its_turn_after_a_dollar() -> None:
    table = at_turn("qqq", "qqqq").act(0, Place("quarter"))
    assert table.awaits == Awaits((1,))


def test_rule_3_5_a_tie_is_stolen_for_once_more_then_shared() -> None:
    table = flipped(at_steal("qqqq", "qqqq"), "hhhh")
    table.then(CoinsFlipped(flips("qdnp", "hhhh")), StealBegan(3, 2))
    assert table.draw.id == "r3/steal/2"
    flipped(table, "tttt").then(CoinsFlipped(flips("qdnp", "tttt")), PrizeTaken((0, 1)))
    assert table.result == Result((0, 1), (), shared=True, scores=(100, 100))


def test_rule_3_5_a_tie_ends_as_soon_as_the_totals_differ() -> None:
    table = flipped(at_steal("qqqq", "qqqddn", tie_reflips=5), "tttt")
    flipped(table, "thtt").act(0, Keep()).then(CoinKept(0, "dime"), PrizeTaken((0,)))
    assert table.result == Result((0,), (1,), shared=False, scores=(110, 90))


@pytest.mark.parametrize("reflips", [0, 1, 2, 10])
def test_option_tie_reflips_bounds_the_extra_steals(reflips: int) -> None:
    table = at_steal("qqqq", "qqqq", tie_reflips=reflips)
    for number in range(1, reflips + 2):
        assert table.draw.id == f"r3/steal/{number}"
        flipped(table, "tttt")
    assert table.new[-1] == PrizeTaken((0, 1))


def test_rule_3_5_an_exchange_in_the_deciding_steal_changes_the_counts_of_the_next() -> None:
    kept = flipped(at_steal("ddqqqq", "qqqq"), "thtt").act(1, Keep())
    kept.then(CoinKept(1, "dime"), StealBegan(3, 2))
    assert flipped(kept, "thtt").new[-1] == PrizeTaken((0, 1))
    exchanged = flipped(at_steal("ddqqqq", "qqqq"), "thtt").act(1, Exchange(coins("nn")))
    exchanged.then(CoinExchanged(1, "dime", coins("nn")), StealBegan(3, 2))
    flipped(exchanged, "thtt").act(1, Keep())
    assert exchanged.result == Result((1,), (0,), shared=False, scores=(100, 120))


def test_rule_3_5_a_penny_may_decide_a_tie() -> None:
    table = flipped(at_steal("nqqqq", "pppppqqqq"), "tttt")
    flipped(table, "ttth").then(
        CoinsFlipped(flips("qdnp", "ttth")), CoinStolen(1, 0, "penny"), PrizeTaken((0,))
    )
