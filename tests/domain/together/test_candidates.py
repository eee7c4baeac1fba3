"""The elimination candidates: the players eligible, the votes, and the draws."""

from collections.abc import Callable
from typing import Any

import pytest

from domain.chance.draws import Draw, Shuffle
from domain.events import PUBLIC
from domain.game import Refused
from domain.games.together.actions import GiveTokenOfLife, Vote
from domain.games.together.events import (
    BallotCounted,
    BallotOpened,
    CandidateDrawn,
    CandidatesNamed,
    GarnetsAwarded,
    PoolsFormed,
    VoteCast,
)
from domain.games.together.groups import PerGroup
from domain.match.submissions import Invalid
from tests.support.tables.game_table import Table
from tests.support.tables.together_tables import event, events, new, over, state


def pools(table: Table) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The players from whom the candidates come, after the last token of life has been given."""
    if state(table).phase == "token_of_life":
        table.expired()
    formed = event(table, PoolsFormed).pools
    return formed.a, formed.b


def candidates(table: Table) -> PerGroup[int | None]:
    named = event(table, CandidatesNamed).candidates
    assert isinstance(named, PerGroup)
    return named


def voting() -> Table:
    """Groups 0-4 and 5-9. Up for the vote are 2, 3, 4 in group A and 8, 9 in group B."""
    table = over("AAAAABBBBB", (2, 3, 4), (0, 1), b_tokens=(1, 2, 2, 3, 3))
    opened = BallotOpened(1, PerGroup((2, 3, 4), (8, 9)))
    assert table.new[-1] == opened
    return table


# Eligible players.


def test_a_single_loser_is_the_candidate() -> None:
    table = over("AAABBBB", (2,), (0, 1), b_tokens=(1, 2, 2, 3))
    assert pools(table) == ((2,), (6,))
    assert table.new[-2:] == [
        CandidatesNamed(PerGroup(2, 6)),
        GarnetsAwarded((1, 1, 0, 0, 0, 0, 0)),
    ]
    assert not events(table, BallotOpened)
    assert table.result is not None


ELIGIBLE: dict[str, tuple[Callable[[], Table], tuple[tuple[int, ...], tuple[int, ...]]]] = {
    "not a loser who is protected": (
        lambda: over("AAAABBBB", (1,), (2, 3), b_tokens=(1, 2, 2, 3)).act(0, GiveTokenOfLife(3)),
        ((2,), (7,)),
    ),
    "the others who have not won, if every loser is protected": (
        lambda: over("AAAAABBBB", (3, 4), (2,), (1,), b_tokens=(1, 2, 2, 3)).act(
            0, GiveTokenOfLife(1)
        ),
        ((2, 3, 4), (8,)),
    ),
    "all who have not won, without losers": (
        lambda: over("AABBBB", (0, 1), b_tokens=(1, 2, 2, 3), b_loser_rank=32),
        ((), (2, 5)),
    ),
    "they all the same, if all others are protected": (
        lambda: (
            over("AAABBB", (2,), (1,), b_tokens=(1, 2, 3))
            .act(0, GiveTokenOfLife(5))
            .act(4, GiveTokenOfLife(3))
        ),
        ((1,), (3, 5)),
    ),
    "all losers, if nobody has won": (
        lambda: over("AABBB", (0,), b_tokens=(4, 4, 4)),
        ((0,), (2, 3, 4)),
    ),
}


@pytest.mark.parametrize("who", ELIGIBLE)
def test_candidates_come_from(who: str) -> None:
    made, expected = ELIGIBLE[who]
    assert pools(made()) == expected


def test_if_all_have_won_there_is_no_candidate() -> None:
    table = over("AAABBBB", (0, 1, 2), b_tokens=(1, 2, 2, 3))
    assert pools(table) == ((), (6,))
    assert candidates(table) == PerGroup(None, 6)


@pytest.mark.parametrize(
    ("groups", "left", "tokens", "given", "up", "safe"),
    [
        ("AAABBBB", ((2,), (0, 1)), (1, 2, 2, 3), None, (2, 6), (0, 1, 4, 5)),
        ("AABBB", ((1,),), (1, 2, 3), 1, (1, 4), (0, 2, 3)),
    ],
    ids=["holders of a token of life are immune", "a candidate is not, even with one"],
)
def test_an_elimination_show_is_told_who_is_up_and_who_is_safe(
    groups: str,
    left: Any,
    tokens: Any,
    given: int | None,
    up: tuple[int, ...],
    safe: tuple[int, ...],
) -> None:
    table = over(groups, *left, b_tokens=tokens)
    if given is not None:
        table.act(0, GiveTokenOfLife(given)).act(3, GiveTokenOfLife(2))
    game: Any = table.game
    assert (game.candidates(table.state), game.immune(table.state)) == (up, safe)


# The vote.


def test_both_groups_vote_at_the_same_time_for_one_of_their_own() -> None:
    table = voting()
    assert table.awaits.seats == tuple(range(10))
    table.when(0, Vote(1, 2)).then(VoteCast(0, 2))
    table.when(9, Vote(1, 8)).then(VoteCast(9, 8))
    table.when(4, Vote(1, 4)).then(VoteCast(4, 4))
    table.expired()
    assert state(table).phase == "vote"
    assert table.new == [
        BallotCounted(1, (0, 0, 1, 0, 1, 0, 0, 0, 1, 0), PerGroup((2, 4), (8,))),
        BallotOpened(2, PerGroup((2, 4), ())),
    ]


@pytest.mark.parametrize(("seat", "vote"), [(0, 1), (0, 8), (9, 2), (5, 7), (0, 10), (0, -1)])
def test_a_vote_for_a_player_who_is_not_up_is_invalid(seat: int, vote: int) -> None:
    table = voting()
    with pytest.raises(Invalid) as verdict:
        table.game.decide(table.state, seat, Vote(1, vote))
    assert verdict.value.code == "not_a_candidate"


def test_the_last_valid_vote_counts() -> None:
    table = voting().act(0, Vote(1, 2), Vote(1, 3)).act(5, Vote(1, 9), Vote(1, 9), Vote(1, 8))
    table.refused(0, Vote(1, 0), "not_a_candidate").expired()
    assert candidates(table) == PerGroup(3, 8)


def test_the_most_votes_decide() -> None:
    table = voting()
    for seat, vote in ((0, 2), (1, 4), (2, 4), (3, 3), (4, 2), (2, 2), (7, 9)):
        table.act(seat, Vote(1, vote))
    table.expired()
    assert event(table, BallotCounted).votes == (0, 0, 3, 1, 1, 0, 0, 0, 0, 1)
    assert candidates(table) == PerGroup(2, 9)
    assert table.result is not None


def test_the_vote_waits_for_its_deadline() -> None:
    table = voting()
    awaited = table.awaits
    for seat in range(10):
        table.act(seat, Vote(1, 2 if seat < 5 else 8))
        assert table.awaits == awaited
    assert state(table).phase == "vote"


def test_only_the_group_that_has_several_votes() -> None:
    table = over("AAAABBBB", (2, 3), (0, 1), b_tokens=(1, 2, 2, 3))
    assert table.new[-1] == BallotOpened(1, PerGroup((2, 3), ()))
    assert table.awaits.seats == (0, 1, 2, 3)
    for seat in (4, 5, 6, 7):
        table.refused(seat, Vote(1, 2), "not_a_voter")
        table.refused(seat, Vote(1, 7), "not_a_voter")
        assert table.menu(seat) == ()


def test_with_winners_as_voters_only_they_vote() -> None:
    table = over("AAAABBBBB", (2, 3), (0, 1), b_tokens=(1, 2, 2, 3, 3), ec_voters="winners")
    assert table.awaits.seats == (0, 1, 5, 6)
    for seat in (2, 3, 4, 7, 8):
        table.refused(seat, Vote(1, 7), "not_a_voter")
    table.act(0, Vote(1, 3)).act(6, Vote(1, 8)).expired()
    assert candidates(table) == PerGroup(3, 8)


def test_no_refused_vote_is_stored_as_a_submission() -> None:
    """It is no submission at all if the seat has no vote."""
    table = over("AAAABBBB", (2, 3), (0, 1), b_tokens=(1, 2, 2, 3))
    with pytest.raises(Refused) as refusal:
        table.game.decide(table.state, 4, Vote(1, 2))
    assert not isinstance(refusal.value, Invalid)


# The ballot it is for.


def invalid(table: Table, vote: Vote, code: str) -> None:
    with pytest.raises(Invalid) as verdict:
        table.game.decide(table.state, 0, vote)
    assert verdict.value.code == code
    assert code in table.game.codes


def test_a_vote_for_the_ballot_to_come_is_invalid() -> None:
    invalid(voting(), Vote(2, 2), "no_such_ballot")


def test_a_vote_for_a_ballot_that_is_over_is_late() -> None:
    table = voting().act(0, Vote(1, 2)).act(1, Vote(1, 3)).expired()
    invalid(table, Vote(1, 2), "late")
    invalid(table, Vote(1, 99), "late")
    table.act(0, Vote(2, 2))


def test_before_the_first_ballot_a_vote_is_out_of_place() -> None:
    new().refused(0, Vote(1, 1), "wrong_phase").refused(0, Vote(2, 1), "wrong_phase")


# Ties.


def test_a_tie_is_voted_on_once_more_among_the_tied() -> None:
    table = voting().act(0, Vote(1, 2)).act(1, Vote(1, 3)).act(5, Vote(1, 8)).expired()
    assert table.new[-1] == BallotOpened(2, PerGroup((2, 3), ()))
    assert table.awaits.seats == (0, 1, 2, 3, 4)
    table.refused(0, Vote(2, 4), "not_a_candidate").refused(5, Vote(2, 9), "not_a_voter")
    table.act(0, Vote(2, 3)).expired()
    assert candidates(table) == PerGroup(3, 8)


def test_votes_of_the_first_ballot_do_not_count_in_the_second() -> None:
    table = voting()
    for seat, vote in ((0, 2), (1, 2), (2, 3), (3, 3), (5, 8)):
        table.act(seat, Vote(1, vote))
    table.expired().act(0, Vote(2, 3)).expired()
    assert candidates(table) == PerGroup(3, 8)


def test_a_second_tie_is_drawn_in_public() -> None:
    table = voting().act(5, Vote(1, 8)).expired().act(0, Vote(2, 2)).act(1, Vote(2, 4)).expired()
    assert table.new == [BallotCounted(2, (0, 0, 1, 0, 1, 0, 0, 0, 0, 0), PerGroup((2, 4), (8,)))]
    assert table.draw == Draw("ec/A", (Shuffle((2, 4)),), PUBLIC)
    assert table.awaits.seats == ()
    table.drawn((4, 2))
    assert table.new[0] == CandidateDrawn("A", 4)
    assert candidates(table) == PerGroup(4, 8)


def test_both_groups_may_be_drawn_one_after_the_other() -> None:
    table = voting().expired().expired()
    assert table.draw.id == "ec/A"
    assert table.drawn((3, 2, 4)).new == [CandidateDrawn("A", 3)]
    assert table.draw == Draw("ec/B", (Shuffle((8, 9)),), PUBLIC)
    table.drawn((9, 8))
    assert candidates(table) == PerGroup(3, 9)


def test_while_chance_decides_nobody_votes() -> None:
    table = voting().expired().expired()
    for seat in range(10):
        table.refused(seat, Vote(1, 2), "late").refused(seat, Vote(2, 2), "late")
        table.refused(seat, GiveTokenOfLife(2), "wrong_phase")
        assert table.menu(seat) == ()


def test_a_group_without_a_voter_is_drawn_at_once() -> None:
    """Before the other group votes: a rank that no one has leaves group B without winners."""
    table = over(
        "AAAABBB", (2, 3), (0, 1), b_tokens=(4, 4, 1), b_winner_rank=3, ec_voters="winners"
    )
    assert pools(table) == ((2, 3), (4, 5))
    assert table.new[-1] == PoolsFormed(PerGroup((2, 3), (4, 5)))
    assert table.draw == Draw("ec/B", (Shuffle((4, 5)),), PUBLIC)
    table.drawn((5, 4)).then(CandidateDrawn("B", 5), BallotOpened(1, PerGroup((2, 3), ())))
    assert table.awaits.seats == (0, 1)
    table.act(1, Vote(1, 2)).expired()
    assert candidates(table) == PerGroup(2, 5)


def test_a_group_without_a_voter_and_with_one_loser_needs_no_draw() -> None:
    table = over("AABBB", (0,), b_tokens=(4, 4, 9), b_winner_rank=3, ec_voters="winners")
    assert pools(table) == ((0,), (4,))
    assert candidates(table) == PerGroup(0, 4)
