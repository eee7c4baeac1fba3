"""Whole games of Dollar Prize, played at random: the invariants of every game."""

import random
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from domain.games.dollar_prize.actions import (
    Action,
    ChooseSide,
    Convert,
    EndTurn,
    Exchange,
    Keep,
    Place,
)
from domain.games.dollar_prize.coins import COINS, EXCHANGES, RECIPES, total
from domain.games.dollar_prize.events import (
    TurnBegan,
)
from domain.games.dollar_prize.options import Options
from domain.games.dollar_prize.rules import CODES, GAME
from domain.menu import Menu, Offer, OneOf
from tests.support.tables.game_table import Table

MOST_ROUNDS = 97
"""The setup hands out 5 cents and each round adds at least 2, so after the steal of round r at
least 5 + 2r cents lie on the table. While no one has a dollar they are 198 at most, so r <= 96 for
a round that is not the last: round 97 ends every game. Ties add steals and no round."""

OPTIONS = [
    Options(),
    Options(first_player=1, down_conversion="listed", tie_reflips=0),
    Options(turn_seconds=5, tie_reflips=10),
]

UNIVERSE: list[Action] = [
    ChooseSide("heads"),
    ChooseSide("tails"),
    *(Place(coin) for coin in COINS),
    *(Convert(recipe) for recipe in RECIPES),
    EndTurn(),
    Keep(),
    *(Exchange(way) for ways in EXCHANGES["any"].values() for way in ways),
    *(Exchange((coin,)) for coin in COINS),
    Exchange(()),
    Exchange(("penny",) * 26),
    Exchange(("dime", "nickel", "dime")),
]
"""Every possible action; of exchanges every right one and some wrong ones."""


def values_of(offer: Offer, name: str) -> tuple[Any, ...]:
    field = offer.fields[name]
    assert isinstance(field, OneOf)
    return field.values


def pick(menu: Menu, chance: random.Random) -> Action:
    offer = chance.choice(menu)
    if offer.examples:
        return sent(chance.choice(offer.examples))
    return sent(
        {"type": offer.type} | {f: chance.choice(values_of(offer, f)) for f in offer.fields}
    )


def sent(action: Mapping[str, Any]) -> Action:
    """The action as parsed from the wire."""
    received: Action = msgspec.json.decode(msgspec.json.encode(action), type=Action)
    return received


def step(table: Table, chance: random.Random) -> None:
    awaits = table.awaits
    if awaits.draw is not None:
        assert awaits.seats == ()
        table.drawn(*(chance.choice(("heads", "tails")) for _ in awaits.draw.parts))
    elif awaits.deadline is not None and chance.random() < 0.1:
        table.expired()
    else:
        (seat,) = awaits.seats
        table.act(seat, pick(table.menu(seat), chance))


def walk(options: Options, chance: random.Random) -> Iterator[Table]:
    """A game in which everything is random, shown at each position up to its end."""
    table = Table(GAME, 2, options)
    yield table
    while table.result is None:
        step(table, chance)
        yield table


def test_must_hold_the_longest_game_has_97_rounds() -> None:
    """Only pennies, never converted, and flips that take one whenever the leader nears a dollar."""
    table = Table(GAME, 2, Options()).act(0, ChooseSide("heads"))
    table.drawn("heads", "heads", "heads", "tails", "tails")
    while table.result is None:
        if table.awaits.draw is not None:
            first, second = map(total, table.state.lines)
            table.drawn("heads" if first > second + 1 else "tails")
        else:
            (seat,) = table.awaits.seats
            ends = table.offered(seat) & {"end_turn"}
            table.act(seat, EndTurn() if ends else Place("penny"))
    assert table.state.round == MOST_ROUNDS
    assert sum(isinstance(event, TurnBegan) for event in table.events) == 2 * MOST_ROUNDS


def test_must_hold_every_refusal_code_occurs() -> None:
    """The options have a code of their own; all others come from an action in some position."""
    met: set[str | None] = {"options_not_allowed", None}
    for options in OPTIONS:
        for seed in range(4):
            for table in walk(options, random.Random(seed)):
                met |= {table.code(seat, action) for seat in (0, 1) for action in UNIVERSE}
    assert met == {*CODES, None}
