"""The bots of the demo play any game with any action of its menu."""

from random import Random
from typing import Any

import jsonschema_rs
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter_client import MenuEntry
from domain.commands import PassDeadline
from domain.games import GAMES
from domain.menu import Between, Field, ListOf, Nullable, Offer, OneOf
from projections.action_texts import ActionText, Text
from projections.menu import Entry, entries, entry
from service.cli.any_action import any_action
from tests.support.tables.directing import START, enter_draw
from tests.support.tables.game_strategies import menu, outcome
from tests.support.tables.match_table import MatchTable, seated

EVERY_GAME = pytest.mark.parametrize("name", GAMES)
MOST_STEPS = 3_000


def served(entry: Entry) -> MenuEntry:
    """The entry as the client has it."""
    return msgspec.json.decode(msgspec.json.encode(entry), type=MenuEntry)


@EVERY_GAME
def test_any_action_plays_any_game_to_its_end(name: str) -> None:
    rng = Random(name)
    for variant in GAMES[name].variants:
        options = msgspec.convert(variant, GAMES[name].Options)
        table = seated(GAMES[name], GAMES[name].seats[0], options, clock="rules").when(START)
        for _ in range(MOST_STEPS):
            if table.match.status == "ended":
                break
            step(table, rng)
        assert table.match.status == "ended"


def step(table: MatchTable, rng: Random) -> None:
    drawn = table.draw
    if drawn is not None:
        table.when(enter_draw(drawn.id, outcome(drawn, rng)))
        return
    for seat in table.match.awaiting.seats:
        offers = [served(one) for one in entries(table.game, menu(table, seat))]
        if offers:
            action = any_action(offers, rng)
            table.accepted(seat, msgspec.convert(action, table.game.Action))
    if table.match.status == "running" and len(table.match.awaiting.seats) > 1:
        table.when(PassDeadline(), table.due)


SIMPLE: st.SearchStrategy[Any] = st.builds(
    OneOf, st.lists(st.integers(0, 5) | st.text(max_size=2), min_size=3, unique=True).map(tuple)
) | st.tuples(st.integers(-9, 9), st.integers(3, 9)).map(lambda ends: Between(ends[0], sum(ends)))
FIELDS: st.SearchStrategy[Field] = st.one_of(
    SIMPLE,
    st.builds(ListOf, SIMPLE, st.integers(0, 2), st.integers(2, 3), st.booleans()),
    st.builds(Nullable, SIMPLE),
    st.builds(Nullable, st.builds(ListOf, SIMPLE, st.just(1), st.just(3), st.booleans())),
)


@given(
    st.dictionaries(st.sampled_from("abc"), FIELDS),
    st.booleans(),
    st.randoms(use_true_random=False),
)
def test_any_action_is_an_instance_of_its_entry(
    fields: dict[str, Field], optional: bool, rng: Random
) -> None:
    offer = Offer("do", fields, optional=("a",) if optional else ())
    texts = {name: Text(name, name) for name in fields}
    offered = served(entry(offer, ActionText("Do", "Does it.", texts)))
    jsonschema_rs.validate(offered.schema, any_action([offered], rng))


def test_where_an_entry_is_not_exact_an_example_is_sent() -> None:
    examples: list[dict[str, Any]] = [{"type": "do", "a": n} for n in (3, 5)]
    offered = served(Entry("do", "Do", "Does it.", {}, False, examples))
    sent = [any_action([offered], Random(n))["a"] for n in range(20)]
    assert set(sent) == {3, 5}
