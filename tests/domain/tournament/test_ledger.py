"""The ledger: garnets move from account to account, none appears and none is lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.tournament.ledger import (
    HOUSE,
    Account,
    Balances,
    Posting,
    Unbalanced,
    check,
    check_posting,
    post,
    purse,
    stake,
)

ANN, BEN = purse(0), purse(1)


def test_a_posting_moves_garnets_from_the_debited_to_the_credited_account() -> None:
    balances = {HOUSE: -5, ANN: 5}
    post(balances, Posting(ANN, BEN, 2))
    assert balances == {HOUSE: -5, ANN: 3, BEN: 2}


def test_an_account_without_garnets_is_left_out() -> None:
    balances = {HOUSE: -5, ANN: 5}
    post(balances, Posting(ANN, HOUSE, 5))
    assert balances == {}


def test_garnets_in_two_matches_are_on_two_accounts() -> None:
    assert len({stake(0, "one"), stake(0, "two"), stake(1, "one"), ANN}) == 4


def test_the_house_alone_may_be_negative() -> None:
    check({HOUSE: -5, ANN: 5})
    with pytest.raises(Unbalanced):
        check({HOUSE: 5, ANN: -5})
    with pytest.raises(Unbalanced):
        check({stake(0, "one"): -5, ANN: 5})


@pytest.mark.parametrize("balances", [{ANN: 1}, {HOUSE: -1}, {HOUSE: -5, ANN: 4}])
def test_accounts_that_do_not_sum_to_zero_are_found(balances: Balances) -> None:
    with pytest.raises(Unbalanced):
        check(balances)


@pytest.mark.parametrize(
    "posting",
    [Posting(ANN, BEN, 0), Posting(ANN, BEN, -1), Posting(ANN, ANN, 1)],
    ids=["nothing", "backwards", "to itself"],
)
def test_a_posting_that_moves_nothing_is_refused(posting: Posting) -> None:
    with pytest.raises(Unbalanced):
        check_posting(posting)


@given(
    st.lists(
        st.tuples(
            st.sampled_from([HOUSE, ANN, BEN, stake(0, "one")]),
            st.sampled_from([HOUSE, ANN, BEN, stake(0, "one")]),
            st.integers(1, 9),
        )
    )
)
def test_the_sum_stays_zero_whatever_is_posted(moves: list[tuple[object, object, int]]) -> None:
    balances: dict[Account, int] = {}
    for debit, credit, amount in moves:
        post(balances, Posting(debit, credit, amount))  # type: ignore[arg-type]
        assert sum(balances.values()) == 0
        assert 0 not in balances.values()
