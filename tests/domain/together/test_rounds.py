"""The end of a round at its deadline: who pays, who leaves, who receives tokens."""

import pytest

from domain.games.together.events import (
    HoldingsTold,
    MainMatchEnded,
    RoundBegan,
    RoundCounted,
    RoundEnded,
)
from tests.support.tables.together_tables import a, b, both, event, events, kick, new, play, state


def test_at_the_deadline_everything_happens_in_order() -> None:
    """Each seat receives its own; the public receives who left and the counts, and that a round
    begins."""
    table = new(garnets=(2, 0, 0, 0, 0, 1))
    said = {0: both((1, 1), (3, 3, 4)), 1: a(2), 3: b(4, 4, 4), 4: a(1)}
    play(table, said).then(
        RoundCounted(
            1,
            a=(0, 3, 1, 0, 0, 0),
            b=(0, 0, 0, 2, 4, 0),
            charged=(0,),
            tokens=(3, 4, 5, 3, 4, 1),
            garnets=(1, 0, 0, 0, 0, 1),
        ),
        HoldingsTold(0, 3, 1),
        HoldingsTold(1, 4, 0),
        HoldingsTold(2, 5, 0),
        HoldingsTold(3, 3, 0),
        HoldingsTold(4, 4, 0),
        HoldingsTold(5, 1, 1),
        RoundEnded(1, (1,), (0, 3, 1, None, None, None), None),
        RoundBegan(2),
    )


def test_tokens_of_this_round_come_too_late_to_be_spent_in_it() -> None:
    """A player of group B pays type A votes with earlier tokens."""
    table = play(new(), {3: a(0), 4: b(3, 3, 3)})
    assert state(table).tokens == (5, 5, 5, 3, 1, 1)
    play(table, {3: a(1, 1, 1)})
    assert state(table).tokens[3] == 0


def test_the_seats_with_the_most_votes_are_kicked_out_all_of_them() -> None:
    table = play(new("AAAABB"), {0: a(1, 2, 1, 2), 4: a(3)})
    assert event(table, RoundEnded).kicked_out == (1, 2)
    assert state(table).stage == (0, 3)


def test_with_fewest_the_fewest_votes_are_kicked_out() -> None:
    table = play(new("AAAABB", kick_rule="fewest"), {0: a(0, 3, 0), 4: a(3)})
    assert event(table, RoundEnded).kicked_out == (1, 2)
    table = play(new("AAAABB", kick_rule="fewest"), {0: a(0, 1, 2, 0), 4: a(3), 5: a(3)})
    assert event(table, RoundEnded).kicked_out == (1, 2)


# If all tie.


def all_vote_for_themselves(**options: object) -> list[tuple[int, ...]]:
    """The players who leave in each round if everyone on stage has one vote."""
    table, left = new("AAABB", **options), []
    while state(table).phase == "submission":
        play(table, {seat: a(seat) for seat in state(table).stage})
        left += [ended.kicked_out for ended in events(table, RoundEnded)]
    return left


@pytest.mark.parametrize("rule", ["most", "fewest"])
def test_if_all_on_stage_tie_all_leave(rule: str) -> None:
    assert all_vote_for_themselves(kick_rule=rule) == [(0, 1, 2)]
    table = new("AAABB", kick_rule=rule).expired()
    assert event(table, RoundEnded).kicked_out == (0, 1, 2)


@pytest.mark.parametrize("rule", ["most", "fewest"])
def test_with_none_out_they_stay_but_not_twice_running(rule: str) -> None:
    assert all_vote_for_themselves(kick_rule=rule, all_tied="none_out") == [(), (0, 1, 2)]


def test_a_tie_after_a_round_in_which_somebody_left_is_a_first_one_again() -> None:
    table = new("AAAABB", all_tied="none_out").expired()
    assert event(table, RoundEnded).kicked_out == ()
    kick(table, 0).expired()
    assert event(table, RoundEnded).kicked_out == ()
    assert state(table).stage == (1, 2, 3)
    assert state(table).round == 4
    table.expired()
    assert event(table, RoundEnded).kicked_out == (1, 2, 3)


# One left, or none.


def test_the_last_on_stage_leaves_at_once_in_a_round_of_their_own() -> None:
    table = kick(new("AAABB"), 1)
    kick(table, 0)
    ended = events(table, RoundEnded)
    nothing = (None, None, 0, None, None), None
    assert ended[1] == RoundEnded(3, (2,), *nothing)
    assert [type(e) for e in table.new].count(RoundBegan) == 0
    assert event(table, MainMatchEnded).winners.a == (2,)
    assert state(table).kicked_out == (2, 1, 3, None, None)


def test_the_last_on_stage_leaves_also_with_none_out() -> None:
    table = kick(new("AABB", all_tied="none_out"), 1)
    assert [ended.kicked_out for ended in events(table, RoundEnded)] == [(1,), (0,)]


def test_with_nobody_on_stage_the_main_match_is_over_for_both_groups() -> None:
    table = kick(new(), 0, 1, 2)
    assert len(events(table, RoundEnded)) == 1
    assert events(table, MainMatchEnded)
    table.refused(3, b(3, 4, 5, at=2), "wrong_phase")


# Published counts.


def test_counts_are_of_those_who_could_get_votes() -> None:
    """Type A: who was on stage; type B: all of group B."""
    table = kick(new("AABBAA", reveal_vote_counts="both"), 0)
    ended = event(play(table, {1: a(1), 4: b(2, 2, 3)}), RoundEnded)
    assert ended.a == (None, 1, None, None, 0, 0)
    assert ended.b == (None, None, 2, 1, None, None)


def test_counts_may_be_kept_secret() -> None:
    table = play(new(reveal_vote_counts="none"), {0: a(1), 3: b(4, 4, 4)})
    assert event(table, RoundEnded) == RoundEnded(1, (1,), None, None)
    assert event(table, RoundCounted).a == (0, 1, 0, 0, 0, 0)
    assert event(table, RoundCounted).b == (0, 0, 0, 0, 3, 0)
