"""Rule 0 of a set: who starts first."""

import pytest

from domain.games.grouping_bw.actions import Call, Fold, NameStarter, Peek, Raise
from domain.games.grouping_bw.events import SetBegan, StarterNamed
from domain.games.grouping_bw.grouping import in_groups
from domain.menu import OneOf
from tests.support.tables.grouping_bw_tables import ASCENDING, new, said


def test_rule_0_the_chooser_names_the_first_starter() -> None:
    table = new()
    assert table.events == []
    assert table.awaits.seats == (1,)
    assert table.offered(0) == set()
    assert table.menu(1)[0].fields == {"seat": OneOf((0, 1))}
    assert table.menu(1)[0].exact
    table.when(1, NameStarter(0)).then(StarterNamed(1, 0), SetBegan(1, 1))
    assert table.state.starter == 0


@pytest.mark.parametrize(("variant", "chooser"), [("death-match", 1), ("final-match-2", 0)])
def test_rule_0_in_the_final_match_the_holder_of_the_bonus_chooses(
    variant: str, chooser: int
) -> None:
    table = new(variant)
    assert table.awaits.seats == (chooser,)
    table.refused(1 - chooser, NameStarter(0), "not_your_turn")
    table.when(chooser, NameStarter(chooser))
    assert table.state.starter == chooser


def test_rule_0_option_starter_chooser() -> None:
    assert new(starter_chooser=0).awaits.seats == (0,)
    assert new("final-match-2", starter_chooser=1).awaits.seats == (1,)


@pytest.mark.parametrize("seat", [-1, 2, 2**53 - 1])
def test_rule_0_the_starter_is_one_of_the_two(seat: int) -> None:
    new().refused(1, NameStarter(seat), "no_such_seat")


def test_rule_0_nothing_else_may_be_done_before_and_no_name_given_after() -> None:
    table = new("final-match-2")
    for action in (said(in_groups(ASCENDING)), Raise(1), Call(), Fold(), Peek()):
        for seat in (0, 1):
            table.refused(seat, action, "wrong_phase")
    table.act(0, NameStarter(1)).refused(0, NameStarter(1), "wrong_phase")
