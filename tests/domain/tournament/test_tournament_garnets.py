"""The movements of a tournament's garnets, and that the ledger is right after every event."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.game import Refused
from domain.tournament import ledger
from domain.tournament.commands import AddMatch, Command, NewPlayer, PostGarnets, SettleMatch
from domain.tournament.decide import check_books, decide
from domain.tournament.events import GarnetsPosted, MatchSettled
from domain.tournament.fold import fold
from domain.tournament.ledger import HOUSE, MOST_GARNETS, Unbalanced, purse, stake
from domain.tournament.staff import GiveMatch, NewModerator
from tests.support.tables.correction_tables import CUP, WON, after, refusal

# Garnets given by hand.


def test_the_organiser_gives_and_takes_garnets() -> None:
    state = after(CUP, PostGarnets(1, 4, "a prize"), PostGarnets(0, -5, "a fine"))
    assert state.balances == {HOUSE: -4, purse(1): 4}


def test_no_balance_goes_below_zero() -> None:
    assert refusal(after(CUP), PostGarnets(0, -6, "a fine")) == "not_enough_garnets"
    state = after(CUP, AddMatch("one", "a-game", ("Ann", "Ben"), (3, 0)))
    assert refusal(state, PostGarnets(0, -3, "a fine")) == "not_enough_garnets"


@pytest.mark.parametrize("amount", [0, MOST_GARNETS + 1, MOST_GARNETS, 2**70, -(2**70)])
def test_amounts_are_limited(amount: int) -> None:
    assert refusal(after(CUP), PostGarnets(0, amount, "?")) == "garnets_not_allowed"


def test_a_purse_holds_only_so_many() -> None:
    full = after(CUP, PostGarnets(0, MOST_GARNETS - 5, "?"))
    assert refusal(full, PostGarnets(0, 1, "?")) == "garnets_not_allowed"


@pytest.mark.parametrize("player", [-1, 3, 2**70])
def test_garnets_are_for_players(player: int) -> None:
    assert refusal(after(CUP), PostGarnets(player, 1, "?")) == "no_such_player"


# The end of a match.


def back(amount: int) -> GarnetsPosted:
    """Ann's remaining garnets return to her balance."""
    return GarnetsPosted(0, "match", "player", amount, "kept", "one")


SPENT = GarnetsPosted(0, "match", "house", 2, "spent", "one")
EARNED = GarnetsPosted(0, "house", "player", 4, "earned", "one")


@pytest.mark.parametrize(
    ("balance", "payout", "moves", "left"),
    [
        (3, 0, [back(3)], 5),
        (1, 0, [back(1), SPENT], 3),
        (0, 0, [GarnetsPosted(0, "match", "house", 3, "spent", "one")], 2),
        (3, 4, [back(3), EARNED], 9),
        (1, 4, [back(1), SPENT, EARNED], 7),
    ],
)
def test_remaining_garnets_return_spent_ones_are_gone_and_earned_ones_are_paid(
    balance: int, payout: int, moves: Sequence[GarnetsPosted], left: int
) -> None:
    state = after(CUP, AddMatch("one", "a-game", ("Ben", "Ann"), (0, 3)))
    events = decide(state, SettleMatch("one", WON, (0, balance), (0, payout)))
    assert events == [MatchSettled("one", WON), *moves]
    assert fold(state, events).balances == {HOUSE: -left, purse(0): left}


def test_a_player_who_brought_nothing_can_earn() -> None:
    state = after(CUP, AddMatch("one", "a-game", ("Ben", "Cy"), (0, 0)))
    state = after(SettleMatch("one", WON, (0, 0), (2, 0)), before=state)
    assert state.balances == {HOUSE: -7, purse(0): 5, purse(1): 2}


def test_a_game_without_garnets_moves_none() -> None:
    state = after(CUP, AddMatch("one", "a-game", ("Ben", "Ann")))
    assert decide(state, SettleMatch("one", WON)) == [MatchSettled("one", WON)]


def test_a_void_match_returns_the_garnets_brought_to_it() -> None:
    state = after(CUP, AddMatch("one", "a-game", ("Ben", "Ann"), (0, 3)))
    assert decide(state, SettleMatch("one", None)) == [MatchSettled("one", None), back(3)]


def test_a_game_that_returns_more_than_was_brought_raises() -> None:
    state = after(CUP, AddMatch("one", "a-game", ("Ben", "Ann"), (0, 3)))
    with pytest.raises(Unbalanced):
        decide(state, SettleMatch("one", WON, (0, 4), (0, 0)))


def test_a_match_is_settled_once() -> None:
    state = after(
        CUP,
        AddMatch("one", "a-game", ("Ann", "Ben"), (3, 0)),
        SettleMatch("one", WON, (3, 0), (6, 0)),
    )
    assert decide(state, SettleMatch("one", WON, (3, 0), (6, 0))) == []


# The ledger.


@pytest.mark.parametrize(
    "posting",
    [
        GarnetsPosted(1, "player", "house", 1, "?"),
        GarnetsPosted(0, "house", "player", 0, "?"),
        GarnetsPosted(0, "house", "player", -1, "?"),
        GarnetsPosted(0, "player", "player", 1, "?"),
        GarnetsPosted(0, "match", "player", 1, "?", "one"),
    ],
)
def test_a_posting_that_breaks_the_ledger_raises(posting: GarnetsPosted) -> None:
    with pytest.raises(Unbalanced):
        check_books(after(CUP), [posting])


def test_a_ledger_that_is_wrong_in_between_is_wrong() -> None:
    before = GarnetsPosted(1, "player", "house", 1, "?")
    with pytest.raises(Unbalanced):
        check_books(after(CUP), [before, GarnetsPosted(1, "house", "player", 1, "?")])


names = st.sampled_from(["Ann", "Ben", "Cy", "Di", "Mo"])
matches = st.sampled_from(["one", "two", "three"])
amounts = st.integers(-2, 9)
anything: "st.SearchStrategy[Command]" = st.one_of(
    st.builds(NewPlayer, names, amounts),
    st.builds(NewModerator, names),
    st.builds(GiveMatch, matches, st.integers(0, 3)),
    st.builds(PostGarnets, st.integers(0, 4), amounts, st.just("?")),
    st.builds(
        AddMatch,
        st.uuids().map(str) | matches,
        st.just("a-game"),
        st.permutations(["Ann", "Ben", "Cy"]).map(lambda all_: tuple(all_[:2])),
        st.tuples(st.integers(0, 4), st.integers(0, 4)),
    ),
    st.builds(
        SettleMatch,
        matches,
        st.just(WON),
        st.sampled_from([None, (0, 0)]),
        st.tuples(st.integers(0, 9), st.integers(0, 9)),
    ),
)


@settings(deadline=None, max_examples=200)
@given(st.lists(anything, max_size=20))
def test_after_any_commands_the_ledger_is_right_and_nobody_moderates_themselves(
    asked: list[Command],
) -> None:
    state = after(CUP)
    for command in asked:
        if isinstance(command, AddMatch) and command.match in state.matches:
            continue
        try:
            events = decide(state, command)
        except Refused:
            continue
        state = fold(state, events)
        ledger.check(state.balances)
        for added in state.matches.values():
            playing = {state.players[player].casefold() for player in added.players}
            assert not any(state.moderators[m].casefold() in playing for m in added.moderators)
    for match, added in state.matches.items():
        state = after(SettleMatch(match, WON), before=state)
        assert not any(stake(player, match) in state.balances for player in added.players)
