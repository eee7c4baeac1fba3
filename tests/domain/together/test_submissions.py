"""When a submission counts, and what happens to the others."""

import msgspec
import pytest
from msgspec import UNSET

from domain.game import Refused
from domain.games.together.actions import Submit
from domain.games.together.events import SubmissionMade
from domain.games.together.rules import GAME
from domain.match.state import convert_action
from domain.match.submissions import Invalid
from tests.support.tables.game_table import Table
from tests.support.tables.together_tables import WITHDRAWAL, a, b, both, event, kick, new, state


def invalid(table: Table, seat: int, submit: object, code: str) -> None:
    """It is a submission, which does not count for this reason and replaces nothing."""
    before = state(table)
    with pytest.raises(Invalid) as verdict:
        table.game.decide(table.state, seat, submit)
    assert verdict.value.code == code
    assert code in table.game.codes
    assert state(table) is before


# Type A.


def test_a_vote_is_for_anybody_on_stage_by_anybody() -> None:
    """Of either group, kicked out or not, oneself included, several times for one player."""
    table = new()
    table.when(0, a(0)).then(SubmissionMade(0, (0,), None, False))
    table.when(1, a(2, 0, 2, 2, 1)).then(SubmissionMade(1, (2, 0, 2, 2, 1), None, False))
    table.when(5, a(1)).then(SubmissionMade(5, (1,), None, False))
    kick(new(), 0).when(0, a(1, at=2)).then(SubmissionMade(0, (1,), None, False))


def test_a_votes_are_for_players_on_stage_only() -> None:
    invalid(new(), 0, a(3), "not_on_stage")
    invalid(new(), 0, a(1, 6), "not_on_stage")
    invalid(new(), 0, a(-1), "not_on_stage")
    invalid(new(), 0, a(2**53 - 1), "not_on_stage")
    invalid(kick(new(), 0), 1, a(1, 0, at=2), "not_on_stage")


def test_a_votes_are_one_or_more() -> None:
    invalid(new(), 0, a(), "no_votes")
    invalid(new(), 0, both((), (3, 4, 5)), "no_votes")


def test_no_more_votes_than_tokens() -> None:
    table = new()
    table.act(0, a(1, 1, 1, 1, 1)).act(3, a(1))
    invalid(table, 0, a(1, 1, 1, 1, 1, 1), "not_enough_tokens")
    invalid(table, 3, a(1, 1), "not_enough_tokens")
    table.expired()
    invalid(table, 0, a(0, at=2), "not_enough_tokens")
    invalid(table, 3, a(0, at=2), "not_enough_tokens")


# Type B.


def test_b_votes_are_for_three_of_group_b_by_anybody() -> None:
    table = new()
    table.when(0, b(3, 4, 5)).then(SubmissionMade(0, None, (3, 4, 5), False))
    table.when(4, b(3, 3, 5)).then(SubmissionMade(4, None, (3, 3, 5), False))


@pytest.mark.parametrize("votes", [(), (3,), (3, 4), (3, 4, 5, 3)])
def test_b_votes_are_exactly_three(votes: tuple[int, ...]) -> None:
    invalid(new(), 0, b(*votes), "not_three_votes")


def test_b_votes_are_for_group_b_only() -> None:
    invalid(new(), 0, b(3, 4, 0), "not_in_group_b")
    invalid(new(), 0, b(3, 4, 6), "not_in_group_b")
    invalid(new(), 4, b(3, -1, 5), "not_in_group_b")


def test_b_votes_for_oneself_are_an_option() -> None:
    invalid(new(), 3, b(4, 3, 5), "self_vote")
    table = new(b_self=True)
    table.when(3, b(3, 3, 3)).then(SubmissionMade(3, None, (3, 3, 3), False))


def test_several_b_votes_for_one_player_are_an_option() -> None:
    invalid(new(b_repeats=False), 0, b(3, 3, 5), "repeated_vote")
    new(b_repeats=False).when(0, b(5, 4, 3)).then(SubmissionMade(0, None, (5, 4, 3), False))
    new(b_repeats=False, b_self=True).act(5, b(5, 4, 3))
    invalid(new(b_repeats=False), 3, b(4, 4, 5), "repeated_vote")


# Both at once.


def test_both_types_need_a_garnet_and_the_offer_to_pay_it() -> None:
    table = new(garnets=(1, 0, 0, 0, 0, 2))
    invalid(table, 0, Submit(a=(1,), b=(3, 4, 5), round=1), "garnet_not_offered")
    invalid(table, 1, Submit(a=(1,), b=(3, 4, 5), round=1), "garnet_not_offered")
    invalid(table, 1, both((1,), (3, 4, 5)), "no_garnet")
    table.when(0, both((1,), (3, 4, 5))).then(SubmissionMade(0, (1,), (3, 4, 5), True))


def test_one_type_alone_costs_nothing_whatever_is_offered() -> None:
    table = new(garnets=(1, 0, 0, 0, 0, 0))
    for seat in (0, 1):
        table.act(seat, Submit(a=(1,), pay_garnet=True, round=1))
    table.act(2, Submit(b=(3, 4, 5), pay_garnet=True, round=1))
    table.act(3, Submit(pay_garnet=True, round=1)).expired()
    assert state(table).garnets == (1, 0, 0, 0, 0, 0)


def test_faults_of_the_votes_are_reported_before_the_garnet() -> None:
    invalid(new(), 0, Submit(a=(9,), b=(3, 4), round=1), "not_on_stage")
    invalid(new(), 0, Submit(a=(1,), b=(3, 4), round=1), "not_three_votes")


# The last valid submission counts.


def test_a_later_valid_submission_displaces_the_one_before() -> None:
    table = new().act(0, a(1, 1), b(3, 3, 3), a(2)).expired()
    assert state(table).tokens == (4, 5, 5, 1, 1, 1)
    assert state(table).stage == (0, 1)


def test_an_invalid_submission_displaces_nothing() -> None:
    table = new().act(0, a(1, 1))
    invalid(table, 0, a(9), "not_on_stage")
    invalid(table, 0, a(1, at=2), "no_such_round")
    table.expired()
    assert state(table).tokens[0] == 3
    assert state(table).stage == (0, 2)


@pytest.mark.parametrize("withdrawal", [WITHDRAWAL, Submit(pay_garnet=True, round=1)])
def test_neither_type_withdraws(withdrawal: Submit) -> None:
    table = new().act(0, a(1, 1))
    table.when(0, withdrawal).then(SubmissionMade(0, None, None, withdrawal.pay_garnet))
    assert state(table).submissions.standing == (None,) * 6
    table.expired()
    assert state(table).tokens == (5, 5, 5, 1, 1, 1)


def test_nothing_carries_over_into_the_next_round() -> None:
    table = new(all_tied="none_out").act(0, a(1)).act(3, b(4, 4, 4)).expired().expired()
    assert state(table).tokens == (4, 5, 5, 1, 4, 1)


# The round it is for.


@pytest.mark.parametrize("number", [0, -1, 2, 3, 2**53 - 1])
def test_a_round_to_come_or_none_at_all_is_invalid(number: int) -> None:
    invalid(new(), 0, a(1, at=number), "no_such_round")


def test_a_submission_for_a_round_that_is_over_is_late() -> None:
    table = kick(new("AAAABB"), 0)
    invalid(table, 1, a(1, at=1), "late")
    invalid(table, 1, a(9, at=1), "late")
    invalid(table, 1, Submit(round=1), "late")
    kick(table, 1)
    for number in (1, 2):
        invalid(table, 1, a(1, at=number), "late")
    invalid(table, 1, a(2, at=4), "no_such_round")


def test_late_submissions_are_recognised_also_when_no_round_is_open() -> None:
    """The tokens of life, the votes and the draws are no phase for a submission."""
    giving = kick(new("AABBB"), 0)
    voting = kick(new("AAAABB"), 0, 1, 2, 3)
    drawing = kick(new("AAAABBB", b_winner_rank=3, ec_voters="winners"), 0, 1, 2, 3)
    phases = [state(table).phase for table in (giving, voting, drawing)]
    assert phases == ["token_of_life", "vote", "draw"]
    for table, rounds in ((giving, 2), (voting, 1), (drawing, 1)):
        for number in range(1, rounds + 1):
            invalid(table, 0, a(1, at=number), "late")
        for later in (0, rounds + 1):
            with pytest.raises(Refused) as refusal:
                table.game.decide(table.state, 0, a(1, at=later))
            assert not isinstance(refusal.value, Invalid)
            assert refusal.value.code == "wrong_phase"


def test_actions_without_their_round_or_ballot_are_not_understood() -> None:
    for sent in ({"type": "submit"}, {"type": "submit", "a": [1]}, {"type": "vote", "for": 1}):
        with pytest.raises(msgspec.ValidationError):
            convert_action(GAME, sent)
    for ballot in (0, 3, None):
        with pytest.raises(msgspec.ValidationError):
            convert_action(GAME, {"type": "vote", "ballot": ballot, "for": 1})


# What it supersedes.


def superseded(*said: Submit) -> list[object]:
    """What each of seat 0's submissions says that it supersedes."""
    table, found = new(garnets=(1, 0, 0, 0, 0, 0)), []
    for submit in said:
        made = event(table.act(0, submit), SubmissionMade)
        found.append(None if made.supersedes is UNSET else made.supersedes)
    return found


BOTH = both((1,), (3, 4, 5))


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ((a(1), b(3, 4, 5), a(2)), [None, "a", "b"]),
        ((a(1), a(2)), [None, None]),
        ((b(3, 4, 5), b(3, 3, 3)), [None, None]),
        ((BOTH, a(1)), [None, "b"]),
        ((BOTH, b(3, 4, 5)), [None, "a"]),
        ((a(1), BOTH, BOTH), [None, None, None]),
        ((a(1), WITHDRAWAL, b(3, 4, 5)), [None, None, None]),
    ],
)
def test_a_type_of_votes_that_is_dropped_is_superseded(
    said: tuple[Submit, ...], expected: list[object]
) -> None:
    """Votes of the same type are merely replaced; a withdrawal supersedes no type, and nothing
    supersedes it."""
    assert superseded(*said) == expected


def test_an_invalid_submission_is_not_superseded() -> None:
    table = new()
    invalid(table, 0, a(9), "not_on_stage")
    assert event(table.act(0, b(3, 4, 5)), SubmissionMade).supersedes is UNSET


def test_a_submission_of_an_earlier_round_is_not_superseded() -> None:
    table = kick(new(), 0)
    assert event(table.act(0, b(3, 4, 5, at=2)), SubmissionMade).supersedes is UNSET
