"""The menu is exactly what is accepted."""

from collections.abc import Iterator
from random import Random
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from domain.games.together.actions import Action, Ballot, GiveTokenOfLife, Submit, Vote
from domain.games.together.rules import GAME
from domain.games.together.state import State
from domain.menu import Between, Field, ListOf, Nullable, Offer, OneOf
from tests.support.tables.game_strategies import as_sent, covers, instances, received
from tests.support.tables.game_table import Table
from tests.support.tables.together_options import options
from tests.support.tables.together_tables import a, kick, new, over, play, state


def fields(table: Table, seat: int) -> dict[str, Field]:
    (offer,) = table.menu(seat)
    return dict(offer.fields)


# Its contents.


def test_a_round_offers_submissions_to_everybody() -> None:
    table = kick(new("AAABBB", garnets=(0,) * 6), 1)
    for seat in range(6):
        assert table.offered(seat) == {"submit"}
    assert fields(table, 1) == {
        "a": Nullable(ListOf(OneOf((0, 2)), 1, 4)),
        "b": Nullable(ListOf(OneOf((3, 4, 5)), 3, 3)),
        "pay_garnet": OneOf((False, True)),
        "round": OneOf((2,)),
    }
    assert table.menu(1)[0].optional == ("a", "b", "pay_garnet")
    assert not table.menu(1)[0].exact


def test_without_tokens_there_are_no_type_a_votes() -> None:
    table = play(new(), {3: a(0)})
    assert fields(table, 3)["a"] == OneOf((None,))


@pytest.mark.parametrize(
    ("groups", "seat", "b_self", "b_repeats", "field"),
    [
        ("AABBB", 2, False, True, Nullable(ListOf(OneOf((3, 4)), 3, 3))),
        ("AABBB", 2, True, True, Nullable(ListOf(OneOf((2, 3, 4)), 3, 3))),
        ("AABBB", 2, False, False, OneOf((None,))),
        ("AABBB", 2, True, False, Nullable(ListOf(OneOf((2, 3, 4)), 3, 3, unique=True))),
        ("AABBB", 0, False, False, Nullable(ListOf(OneOf((2, 3, 4)), 3, 3, unique=True))),
        ("AABB", 0, False, False, OneOf((None,))),
        ("AABB", 2, False, True, Nullable(ListOf(OneOf((3,)), 3, 3))),
    ],
)
def test_type_b_votes_follow_the_options(
    groups: str, seat: int, b_self: bool, b_repeats: bool, field: Field
) -> None:
    assert fields(new(groups, b_self=b_self, b_repeats=b_repeats), seat)["b"] == field


def test_a_giver_is_offered_every_player_without_a_token_of_life() -> None:
    table = over("AAABBB", (2,), (1,), b_tokens=(0, 1, 2))
    assert table.menu(0) == (Offer("give_token_of_life", {"to": OneOf((1, 2, 3, 5))}),)
    assert table.menu(1) == ()


def test_a_voter_is_offered_the_candidates_of_their_group() -> None:
    table = over("AAAAABBBBB", (2, 3, 4), (0, 1), b_tokens=(1, 2, 2, 3, 3))
    assert table.menu(2) == (Offer("vote", {"ballot": OneOf((1,)), "for": OneOf((2, 3, 4))}),)
    assert table.menu(5) == (Offer("vote", {"ballot": OneOf((1,)), "for": OneOf((8, 9))}),)


def test_there_are_examples_of_every_type_that_is_possible() -> None:
    examples = [received(GAME, sent) for sent in instances(new(garnets=(1,) * 6).menu(0)[0])]
    submits = [one for one in examples if isinstance(one, Submit)]
    assert {(one.a is None, one.b is None) for one in submits} == {
        (False, True), (True, False), (False, False), (True, True)
    }  # fmt: skip
    assert len({one.a for one in submits}) > 3
    assert len({one.b for one in submits}) > 3
    assert max(len(one.a) for one in submits if one.a) > 1


# It is exactly what is accepted.


def tried(at: State, seat: int, rng: Random) -> Iterator[Action]:
    """Actions of every kind, right ones and wrong ones, as many near misses as hits."""
    seats = (*at.seats, -1, len(at.tokens))
    for to in seats:
        yield GiveTokenOfLife(to)
        for ballot in get_args(Ballot):
            yield Vote(ballot, to)
    for _ in range(60):
        yield submission(at, seat, rng)


def submission(at: State, seat: int, rng: Random) -> Submit:
    """Mostly for players who can receive votes, and mostly of one type."""
    anybody = (*at.seats, -1, len(at.tokens))
    most = min(at.tokens[seat] + 1, 8)
    a = b = None
    if rng.random() < 0.6:
        among = at.stage if at.stage and rng.random() < 0.8 else anybody
        a = tuple(rng.choice(among) for _ in range(rng.randint(0, most)))
    if rng.random() < 0.6:
        receivers = at.members.b if rng.random() < 0.8 else anybody
        b = tuple(rng.choice(receivers) for _ in range(rng.choice((2, 3, 3, 3, 4))))
    when = rng.choice((*[at.round] * 3, at.round - 1, at.round + 1, 0, -1))
    return Submit(a=a, b=b, pay_garnet=rng.random() < 0.6, round=when)


def is_free(at: State, seat: int, sent: dict[str, Any]) -> bool:
    """Whether the one rule that spans fields is met: both types together need a garnet."""
    if sent.get("a") is None or sent.get("b") is None:
        return True
    return bool(sent["pay_garnet"] and at.garnets[seat])


def check(table: Table, rng: Random) -> None:
    at = state(table)
    for seat in rng.sample(at.seats, min(4, len(at.seats))):
        menu = table.menu(seat)
        assert not menu or seat in table.awaits.seats
        for offer in menu:
            for sent in instances(offer):
                assert table.code(seat, received(GAME, sent)) is None
                assert covers(menu, as_sent(received(GAME, sent))) is offer
        for action in tried(at, seat, rng):
            sent = as_sent(action)
            accepted = covers(menu, sent) is not None and is_free(at, seat, sent)
            found = table.code(seat, action)
            assert (found is None) == accepted, (seat, action, found)
            assert found is None or found in GAME.codes
    for seat in table.awaits.seats:
        assert table.menu(seat), "who is awaited can do something"


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data(), seats=st.sampled_from((4, 5, 7, 12)), seed=st.integers(0, 2**32))
def test_the_menu_is_what_is_accepted_at_every_step(
    data: st.DataObject, seats: int, seed: int
) -> None:
    rng = Random(seed)
    table = Table(GAME, seats, data.draw(options(seats)))
    while table.result is None:
        check(table, rng)
        table.move(rng, 0.1)
        for name, holds in GAME.invariants.items():
            assert holds(table.state), name
    check(table, rng)


def test_no_field_offered_is_a_number_in_a_range() -> None:
    """Seats are named one by one, so that a frontend can offer them by name."""
    for field in fields(new(), 0).values():
        inner = field.field if isinstance(field, Nullable) else field
        assert not isinstance(inner, Between)
