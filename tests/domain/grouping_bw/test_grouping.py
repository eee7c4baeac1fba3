"""Rule 1 of a set: how tiles are grouped."""

from itertools import combinations
from operator import ge
from typing import Any

import pytest

from domain.game import Refused
from domain.games.grouping_bw.actions import Group
from domain.games.grouping_bw.events import GroupingEnded, GroupsSubmitted, OrderUsed, SetBegan
from domain.games.grouping_bw.grouping import FIRST, NUMBERS, Grouping, in_groups, leavers
from domain.games.grouping_bw.rules import GAME
from domain.match.submissions import Invalid
from domain.menu import Between, ListOf, Nullable, OneOf
from tests.support.tables.game_strategies import instances, received
from tests.support.tables.game_table import Table
from tests.support.tables.grouping_bw_tables import ASCENDING, DESCENDING, group, grouping, said

MINE, YOURS = in_groups(ASCENDING), in_groups(DESCENDING)


def every_grouping() -> list[Grouping]:
    """9! / (2! 3! 4!) of them, by choosing A from nine and B from the seven that are left."""
    return [
        Grouping(a, b, tuple(number for number in NUMBERS if number not in a + b))
        for a in combinations(NUMBERS, 2)
        for b in combinations([number for number in NUMBERS if number not in a], 3)
    ]


ALL = every_grouping()


def invalid(table: Table, seat: int, action: Group, code: str) -> None:
    """It is a submission, and does not count."""
    with pytest.raises(Invalid) as refusal:
        GAME.decide(table.state, seat, action)
    assert refusal.value.code == code
    assert code in GAME.codes


def second_set(variant: Any = "final-match-2", **options: Any) -> Table:
    """A table in its second grouping, where both seats have grouped in ascending order."""
    table = grouping(variant, **options)
    table.act(0, said(MINE)).act(1, said(MINE))
    return table.given(SetBegan(2, 1))


# Rule 1: groups.


def test_rule_1_both_seats_group_at_once_and_the_second_submission_ends_it() -> None:
    table = grouping()
    assert table.awaits.seats == (0, 1)
    table.when(1, said(YOURS)).then(GroupsSubmitted(1, YOURS, False, None))
    assert table.awaits.seats == (0, 1)
    table.when(0, said(MINE)).then(GroupsSubmitted(0, MINE, False, None), GroupingEnded(0, 1))
    assert table.state.groups == (MINE, YOURS)
    assert table.state.phase == "deal"


def test_rule_1_nothing_that_is_awaited_depends_on_submissions() -> None:
    table = grouping("final-match-2")
    before, menus = table.awaits, [table.menu(seat) for seat in (0, 1)]
    for _ in range(5):
        table.act(0, group(DESCENDING, ante_increase=3))
        assert table.awaits == before
        assert [table.menu(seat) for seat in (0, 1)] == menus


def test_rule_1_groups_may_be_replaced_until_both_are_in() -> None:
    table = grouping().act(0, said(YOURS)).act(0, said(MINE)).act(1, said(YOURS))
    assert table.state.groups == (MINE, YOURS)
    table.refused(0, said(YOURS), "wrong_phase")


def test_rule_1_an_invalid_submission_does_not_displace_the_one_before() -> None:
    table = grouping().act(0, said(YOURS))
    invalid(table, 0, Group((0, 1), (2, 3, 4), (5, 6, 7, 7)), "not_a_partition")
    table.act(1, said(MINE))
    assert table.state.groups == (YOURS, MINE)


def test_rule_1_the_order_within_a_group_means_nothing() -> None:
    table = grouping().when(0, Group((1, 0), (4, 3, 2), (8, 5, 7, 6)))
    table.then(GroupsSubmitted(0, MINE, False, None))


@pytest.mark.parametrize(
    "groups",
    [
        ((), (), ()),
        ((0, 1, 2), (3, 4), (5, 6, 7, 8)),
        ((0, 1), (2, 3, 4), (5, 6, 7)),
        ((0, 1), (2, 3, 4), (5, 6, 7, 8, 8)),
        ((0, 1), (2, 3, 4), (4, 5, 6, 7)),
        ((0, 0), (2, 3, 4), (5, 6, 7, 8)),
        ((0, 9), (2, 3, 4), (5, 6, 7, 8)),
        ((-1, 1), (2, 3, 4), (5, 6, 7, 8)),
        ((0, 1, 2), (2, 3, 4), (5, 6, 7, 8)),
        ((5, 6, 7, 8), (2, 3, 4), (0, 1)),
    ],
)
def test_rule_1_other_than_a_partition_is_an_invalid_submission(groups: Any) -> None:
    invalid(grouping(), 0, Group(*groups), "not_a_partition")


def test_rule_1_there_are_1260_groupings_and_all_may_be_made_in_the_first_set() -> None:
    assert len(ALL) == len(set(map(repr, ALL))) == 1260
    table = grouping("final-match-2")
    assert all(len(GAME.decide(table.state, 0, said(groups))) == 1 for groups in ALL)


def legal_from(table: Table) -> set[str]:
    """Every grouping that seat 0 may submit; all others are refused for the one reason."""
    codes = {repr(groups): code(table, groups) for groups in ALL}
    assert set(codes.values()) <= {None, "too_many_moved"}
    return {groups for groups, refused in codes.items() if refused is None}


def code(table: Table, groups: Grouping) -> str | None:
    try:
        GAME.decide(table.state, 0, said(groups))
    except Invalid as refused:
        return refused.code
    return None


def stays(old: Grouping, new: Grouping) -> tuple[int, ...]:
    """How many numbers are in the same group as before, computed independently of the rules."""
    both = zip((old.a, old.b, old.c), (new.a, new.b, new.c), strict=True)
    return tuple(sum(number in now for number in then) for then, now in both)


@pytest.mark.parametrize("old", ALL[::97])
def test_rule_1_exactly_147_groupings_are_legal_from_any_under_1_1_2(old: Grouping) -> None:
    """At least one number stays in A, two in B, two in C."""
    table = grouping("final-match-2").act(0, said(old)).act(1, said(old)).given(SetBegan(2, 1))
    legal = legal_from(table)
    assert len(legal) == 147
    assert legal == {repr(new) for new in ALL if all(map(ge, stays(old, new), (1, 2, 2)))}


@pytest.mark.parametrize(
    ("limits", "count"),
    [(None, 1260), ((9, 9, 9), 1260), ((2, 3, 4), 1260), ((0, 0, 0), 1), ((0, 1, 1), 13)],
)
def test_rule_1_option_regroup_limits(limits: Any, count: int) -> None:
    assert len(legal_from(second_set(regroup_limits=limits))) == count


def test_rule_1_no_change_is_always_legal_and_limits_count_from_the_last_grouping() -> None:
    table = second_set()
    swapped = in_groups((0, 2, 1, 3, 4, 5, 6, 7, 8))
    assert leavers(MINE, swapped) == (1, 1, 0)
    table.act(0, said(swapped)).act(1, said(MINE))
    table.given(SetBegan(3, 2))
    twice = in_groups((3, 2, 1, 0, 4, 5, 6, 7, 8))
    table.act(0, said(twice))
    assert leavers(MINE, twice) == (2, 2, 0)
    invalid(table, 1, said(twice), "too_many_moved")
    table.act(1, said(MINE))
    assert table.state.groups == (twice, MINE)


def test_rule_1_limits_do_not_count_from_a_submission_of_the_same_phase() -> None:
    table = second_set().act(0, said(in_groups((0, 2, 1, 3, 4, 5, 6, 7, 8))))
    table.act(0, said(in_groups((3, 1, 2, 0, 4, 5, 6, 7, 8))))


# The same action: order and ante.


def test_rule_1_an_order_is_used_when_the_phase_resolves() -> None:
    table = grouping("final-match-2")
    invalid(table, 0, said(MINE, use_order=True), "item_not_held")
    table.act(1, said(YOURS, use_order=True))
    assert table.state.items[1] == ("order",)
    table.when(0, said(MINE))
    table.then(GroupsSubmitted(0, MINE, False, None), OrderUsed(1), GroupingEnded(0, 1))
    assert table.state.items[1] == ()
    table.given(SetBegan(2, 1))
    invalid(table, 1, said(YOURS, use_order=True), "item_used")


def test_rule_1_the_ante_grows_for_good_if_both_name_the_same_increase() -> None:
    table = grouping("final-match-2").act(0, said(MINE, ante_increase=4))
    table.when(1, said(YOURS, ante_increase=4))
    table.then(GroupsSubmitted(1, YOURS, False, 4), GroupingEnded(4, 5))
    table.given(SetBegan(3, 6)).act(0, said(MINE)).act(1, said(YOURS))
    assert (table.state.ante, table.state.increases) == (6, 4)


@pytest.mark.parametrize(("one", "other"), [(1, 2), (3, None), (None, None), (None, 10)])
def test_rule_1_the_ante_stays_if_they_do_not(one: int | None, other: int | None) -> None:
    table = grouping("final-match-2").act(0, said(MINE, ante_increase=one))
    table.when(1, said(YOURS, ante_increase=other))
    assert table.new[-1] == GroupingEnded(0, 1)


@pytest.mark.parametrize("increase", [1, 10])
def test_rule_1_an_increase_is_1_to_10(increase: int) -> None:
    grouping("final-match-2").act(0, said(MINE, ante_increase=increase))


@pytest.mark.parametrize("increase", [0, -1, 11, 2**53 - 1])
def test_rule_1_no_other_increase_counts(increase: int) -> None:
    table = grouping("final-match-2")
    invalid(table, 0, said(MINE, ante_increase=increase), "ante_increase_out_of_range")


def test_rule_1_without_that_option_there_is_no_increase() -> None:
    for increase in (1, 0):
        invalid(grouping(), 0, said(MINE, ante_increase=increase), "ante_increase_not_allowed")
    grouping(ante_increase_allowed=True).act(0, said(MINE, ante_increase=1))


def test_rule_1_only_the_first_fault_is_reported() -> None:
    table = second_set(items=((), ()), ante_increase_allowed=False)
    everything = Group((0, 1), (2, 3, 4), (5, 6, 7), use_order=True, ante_increase=0)
    invalid(table, 0, everything, "not_a_partition")
    invalid(table, 0, said(YOURS, use_order=True, ante_increase=0), "too_many_moved")
    invalid(table, 0, said(MINE, use_order=True, ante_increase=0), "item_not_held")
    invalid(table, 0, said(MINE, ante_increase=0), "ante_increase_not_allowed")


def test_rule_1_groups_sent_in_another_phase_are_refused_and_no_submission() -> None:
    table = grouping().act(0, said(MINE)).act(1, said(YOURS))
    with pytest.raises(Refused) as refusal:
        GAME.decide(table.state, 0, said(MINE))
    assert not isinstance(refusal.value, Invalid)
    assert refusal.value.code == "wrong_phase"


# The menu.


@pytest.mark.parametrize("seat", [0, 1])
def test_the_menu_lists_sizes_items_and_increases(seat: int) -> None:
    (offer,) = grouping("final-match-2").menu(seat)
    assert (offer.type, offer.exact, offer.optional) == (
        "group",
        False,
        ("use_order", "ante_increase"),
    )
    assert offer.fields == {
        "a": ListOf(Between(0, 8), 2, 2, unique=True),
        "b": ListOf(Between(0, 8), 3, 3, unique=True),
        "c": ListOf(Between(0, 8), 4, 4, unique=True),
        "use_order": OneOf((False, True) if seat == 1 else (False,)),
        "ante_increase": Nullable(Between(1, 10)),
    }
    (plain,) = grouping().menu(seat)
    assert plain.fields["ante_increase"] == OneOf((None,))


@pytest.mark.parametrize("limits", [None, (1, 1, 2), (0, 0, 0), (0, 1, 1)])
def test_every_example_of_the_menu_is_accepted_and_they_differ(limits: Any) -> None:
    for table in (grouping("final-match-2", regroup_limits=limits), second_set()):
        for seat in (0, 1):
            (offer,) = table.menu(seat)
            examples = instances(offer)
            assert len(set(map(repr, examples))) == len(examples) >= 5
            for sent in examples:
                GAME.decide(table.state, seat, received(GAME, sent))
    assert len(second_set(regroup_limits=(0, 0, 0)).menu(0)[0].examples) == 1


def test_a_seat_without_groups_gets_an_example() -> None:
    first = grouping().menu(0)[0].examples[0]
    assert (tuple(first["a"]), tuple(first["b"]), tuple(first["c"])) == (FIRST.a, FIRST.b, FIRST.c)
