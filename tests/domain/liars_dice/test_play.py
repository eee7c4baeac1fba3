"""Random whole games of Liar's Dice: the menu, the end, and what a seat cannot know."""

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.events import Event
from domain.game import Refused
from domain.games.liars_dice import (
    GAME,
    Action,
    Bid,
    BidPlaced,
    Challenge,
    DiceRolled,
    Exact,
    Options,
    RoundEnded,
    State,
)
from domain.menu import Between, OneOf
from projections.disclosure import Viewer, may_see
from tests.support.tables.game_table import Table
from tests.support.tables.liars_dice_tables import move, new, play_out

SEATS = tuple(GAME.seats)
FACES: tuple[Any, ...] = (1, 2, 3, 4, 5, 6)
ALL_ACTIONS: tuple[Action, ...] = (
    Challenge(),
    Exact(),
    *(Bid(count, face) for count in range(-1, 39) for face in FACES),
)

OPTIONS = st.builds(
    Options,
    dice=st.integers(1, 6),
    wild_ones=st.booleans(),
    exact_call=st.booleans(),
    first_player=st.integers(0, 1),
    turn_seconds=st.none() | st.integers(5, 60),
)
CHANCE = st.integers(0, 2**32).map(Random)


def answer(state: State, seat: int, action: Action) -> str | None:
    """None if the action is accepted, else the code of the refusal."""
    try:
        GAME.decide(state, seat, action)
    except Refused as refused:
        return refused.code
    return None


def on_menu(state: State, seat: int) -> set[Action]:
    found: set[Action] = set()
    for offer in GAME.legal(state, seat):
        if offer.type == "bid":
            counts, faces = (values(offer.fields[name]) for name in ("count", "face"))
            found |= {Bid(count, face) for count in counts for face in faces}
        else:
            found.add(Challenge() if offer.type == "challenge" else Exact())
    return found


def values(field: Any) -> tuple[Any, ...]:
    if isinstance(field, OneOf):
        return field.values
    assert isinstance(field, Between)
    return tuple(range(field.low, field.high + 1))


@settings(max_examples=15, deadline=None)
@given(OPTIONS, st.sampled_from(SEATS), CHANCE)
def test_the_menu_is_exactly_what_is_accepted(options: Options, seats: int, rng: Random) -> None:
    table = Table(GAME, seats, options)
    for _ in range(60):
        for seat in range(seats):
            menu = on_menu(table.state, seat)
            assert menu == {act for act in ALL_ACTIONS if answer(table.state, seat, act) is None}
            assert bool(menu) == (seat in table.awaits.seats)
            assert all(offer.exact for offer in table.menu(seat))
        if table.result is not None:
            break
        move(table, rng)


@settings(max_examples=40, deadline=None)
@given(OPTIONS, st.sampled_from(SEATS), CHANCE)
def test_every_game_ends_with_one_seat_that_has_dice(
    options: Options, seats: int, rng: Random
) -> None:
    table = play_out(Table(GAME, seats, options), rng)
    ended = [event for event in table.events if isinstance(event, RoundEnded)]
    lost = sum(event.shown.lost is not None for event in ended)
    gained = sum(event.shown.gained is not None for event in ended)
    result = table.result
    assert result is not None
    assert sum(result.scores) == seats * options.dice - lost + gained
    assert [score > 0 for score in result.scores].count(True) == 1
    assert result.scores[result.winners[0]] > 0
    assert sorted((*result.winners, *result.losers)) == list(range(seats))
    assert [event.starter is None for event in ended] == [False] * (len(ended) - 1) + [True]


@settings(max_examples=40, deadline=None)
@given(OPTIONS, st.sampled_from(SEATS), CHANCE)
def test_every_round_explains_its_end(options: Options, seats: int, rng: Random) -> None:
    """From the dice that were rolled, and the bids that were made."""
    table = play_out(Table(GAME, seats, options), rng)
    hands: dict[int, tuple[int, ...]] = {}
    bids: list[BidPlaced] = []
    for event in table.events:
        match event:
            case DiceRolled(seat, dice):
                hands[seat] = dice
            case BidPlaced():
                bids.append(event)
            case RoundEnded(shown):
                assert shown.dice == tuple(hands.get(seat, ()) for seat in range(seats))
                assert shown.bid == bids[-1].bid
                kinds = {shown.bid.face, *([1] if options.wild_ones else ())}
                assert shown.matching == sum(die in kinds for hand in shown.dice for die in hand)
                right = shown.matching >= shown.bid.count
                if shown.call == "challenge":
                    assert shown.lost == (shown.by if right else shown.bid.seat)
                else:
                    exact = shown.matching == shown.bid.count
                    assert (shown.lost is None) == exact and shown.gained in (None, shown.by)
                hands, bids = {}, []


def test_every_code_occurs() -> None:
    """All codes but that of the options, which has tests of its own."""
    rng, met = Random(12), set()
    for options in (Options(dice=2), Options(dice=2, exact_call=True)):
        for seats in (2, 4):
            table = Table(GAME, seats, options)
            while table.result is None:
                for seat in range(seats):
                    met |= {answer(table.state, seat, act) for act in ALL_ACTIONS}
                move(table, rng)
            met |= {answer(table.state, 0, act) for act in ALL_ACTIONS}
    assert met - {None} == set(GAME.codes) - {"options_not_allowed"}


@pytest.mark.parametrize("seats", SEATS)
def test_draw_ids_and_deadline_ids_are_unique_in_a_game(seats: int) -> None:
    rng, table = Random(seats), new(seats, turn_seconds=30, exact_call=True)
    draws, deadlines = [], []
    while table.result is None:
        if table.awaits.draw is not None:
            draws.append(table.draw.id)
        if table.awaits.deadline is not None:
            deadlines.append(table.awaits.deadline.id)
        move(table, rng)
    assert len(set(draws)) == len(draws) and len(set(deadlines)) == len(deadlines)


# Two worlds: one seat received the same in both, the dice of others differ.


def received(table: Table, viewer: Viewer) -> list[Event]:
    return [event for event in table.events if may_see(viewer, event)]


def other_world(table: Table, seat: int, rng: Random) -> Table:
    """The first round again, with other dice for everybody else."""
    other = Table(GAME, len(table.state.hands), table.options)
    for event in table.events:
        match event:
            case DiceRolled(roller, dice) if roller == seat:
                other.drawn(*dice)
            case DiceRolled(_, dice):
                other.drawn(*(rng.randint(1, 6) for _ in dice))
            case BidPlaced(placed):
                other.act(placed.seat, Bid(placed.count, placed.face))  # type: ignore[arg-type]
    return other


@pytest.mark.parametrize("seats", SEATS)
def test_for_a_seat_indistinguishable_worlds_have_one_menu_and_one_code(seats: int) -> None:
    rng, apart = Random(seats), 0
    for _ in range(30):
        options = Options(dice=rng.randint(1, 5), exact_call=rng.random() < 0.5)
        one, seat = Table(GAME, seats, options), rng.randrange(seats)
        for _ in range(rng.randrange(3 * seats)):
            before = len(one.events)
            move(one, rng)
            if any(isinstance(event, RoundEnded) for event in one.events[before:]):
                one = Table(GAME, seats, options)
        other = other_world(one, seat, rng)
        apart += one.state.hands != other.state.hands
        assert received(one, seat) == received(other, seat)
        assert received(one, "public") == received(other, "public")
        assert (one.menu(seat), one.awaits) == (other.menu(seat), other.awaits)
        for action in ALL_ACTIONS:
            assert answer(one.state, seat, action) == answer(other.state, seat, action)
    assert apart > 10
