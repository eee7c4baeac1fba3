"""A game without a bot or a drawing of its own: any action of its menu, and a plain table."""

from io import StringIO
from random import Random
from typing import Any

import jsonschema_rs
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from domain.commands import EnterDraw, PassDeadline, Start
from domain.game import Game
from domain.games import GAMES
from domain.menu import Between, Field, ListOf, Nullable, Offer, OneOf
from domain.seat_holders import holders
from projections.action_texts import ActionText, Text
from projections.audience import AudienceState, see_all, view
from projections.menu import Entry, entries, entry
from service.cli.any_action import any_action
from service.cli.boards import DRAWINGS
from service.cli.bots import BOTS, TABLES
from service.cli.plain_board import draw
from tests.support.tables.game_strategies import menu, outcome
from tests.support.tables.match_table import MatchTable, seated

EVERY_GAME = pytest.mark.parametrize("name", GAMES)
MOST_STEPS = 3_000


def wire(value: Any) -> Any:
    """The value as it comes over HTTP."""
    return msgspec.json.decode(msgspec.json.encode(value))


# Any action of the menu.


@EVERY_GAME
def test_any_action_plays_any_game_to_its_end(name: str) -> None:
    rng = Random(name)
    for variant in GAMES[name].variants:
        options = msgspec.convert(variant, GAMES[name].Options)
        table = seated(GAMES[name], GAMES[name].seats[0], options, clock="rules").when(Start())
        for _ in range(MOST_STEPS):
            if table.match.status == "ended":
                break
            step(table, rng)
        assert table.match.status == "ended"


def step(table: MatchTable, rng: Random) -> None:
    drawn = table.draw
    if drawn is not None:
        table.when(EnterDraw(drawn.id, outcome(drawn, rng)))
        return
    for seat in table.match.awaiting.seats:
        offers = wire(entries(table.game, menu(table, seat)))
        if offers:
            action = any_action({}, offers, seat, rng)
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
    offered = wire(entry(offer, ActionText("Do", "Does it.", texts)))
    jsonschema_rs.validate(offered["schema"], any_action({}, [offered], 0, rng))


def test_where_an_entry_is_not_exact_an_example_is_sent() -> None:
    examples: list[dict[str, Any]] = [{"type": "do", "a": n} for n in (3, 5)]
    offered = wire(Entry("do", "Do", "Does it.", {}, False, examples))
    sent = [any_action({}, [offered], 0, Random(n))["a"] for n in range(20)]
    assert set(sent) == {3, 5}


def test_a_game_without_a_bot_has_this_one() -> None:
    assert list(BOTS) == list(TABLES) == list(GAMES)
    assert BOTS["liars-dice"] is any_action
    assert list(TABLES["liars-dice"]) == [2, 3, 4, 5, 6]
    assert TABLES["together"][0] == 16


# A plain table.


def printed(game: Game[Any, Any, Any, Any], shown: Any, names: tuple[str, ...]) -> str:
    console = Console(file=StringIO(), width=100, color_system=None)
    console.print(draw(game.title, wire(shown), names))
    file = console.file
    assert isinstance(file, StringIO)
    return file.getvalue()


@EVERY_GAME
def test_every_view_can_be_drawn_as_a_table(name: str) -> None:
    game, rng = GAMES[name], Random(name)
    table = seated(game, game.seats[0], clock="rules").when(Start())
    names = holders(table.match)
    for _ in range(30):
        for viewer in ("public", "moderator", *table.seats):
            shown = view("m", name, see_all(AudienceState(viewer), table.records)).view
            lines = printed(game, shown, names)
            assert game.title in lines and names[0] in lines
            for field in wire(shown):
                assert field.replace("_", " ") in lines
        if table.match.status == "running":
            step(table, rng)


def test_the_text_of_a_plain_table() -> None:
    shown = {
        "to_act": 1,
        "over": False,
        "bid": {"seat": 0, "count": 3},
        "bids": [{"seat": 0, "faces": [1, 2]}, {"seat": 1, "faces": []}],
        "dice_left": [5, 4],
        "last_round": None,
        "hands": [],
    }
    lines = [
        line.strip(" │").split("  ", 1)
        for line in printed(GAMES["liars-dice"], shown, ("A[b]", "Ben")).splitlines()
    ]
    rows = {row[0]: row[1].strip() for row in lines if len(row) == 2}
    assert rows["seats"] == "0 A[b], 1 Ben"
    assert (rows["to act"], rows["over"], rows["bid"]) == ("1", "no", "seat 0, count 3")
    assert rows["bids"] == "seat 0, faces (1, 2)"
    assert rows["dice left"] == "5, 4"
    assert (rows["last round"], rows["hands"]) == ("-", "-")


def test_a_game_without_a_drawing_has_this_one() -> None:
    assert list(DRAWINGS) == list(GAMES)
    console = Console(file=StringIO(), width=100)
    console.print(DRAWINGS["liars-dice"]({"round": 7}, ("Ann", "Ben")))
    file = console.file
    assert isinstance(file, StringIO)
    assert "Liar's Dice" in file.getvalue() and "round  7" in file.getvalue()
