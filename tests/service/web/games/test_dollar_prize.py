"""Dollar Prize in JavaScript judges every match as the Python rules do."""

from collections.abc import Iterator
from itertools import count, islice
from random import Random
from typing import Any, get_args

import msgspec
import pytest

from domain.commands import EnterDraw, Start
from domain.draws import Draw, Outcome
from domain.events import stored_name
from domain.games.dollar_prize.coins import VALUE, total, up_to_highest
from domain.games.dollar_prize.events import StealBegan
from domain.games.dollar_prize.options import Options
from domain.games.dollar_prize.rules import DOLLAR, GAME
from tests.support.tables.game_strategies import choices
from tests.support.tables.match_table import MatchTable, seated
from tests.support.web.javascript_rules import MATCHES, agreed, codes, kinds, lucky
from tests.support.web.match_descriptions import Described, described


@pytest.fixture(scope="module")
def ties() -> list[Described]:
    """Random play hardly ever ends a round with a dollar and equal totals."""
    found = (
        described(GAME, str(seed), table.records, malformed=0.2) for seed, table in tied_matches()
    )
    return list(islice(found, max(8, MATCHES // 5)))


def tied_matches() -> Iterator[tuple[int, MatchTable]]:
    """Matches in which a steal had to break a tie."""
    for seed in count():
        table = level_match(Random(seed))
        if any(isinstance(e, StealBegan) and e.number > 1 for e in table.events):
            yield seed, table


def level_match(luck: Random) -> MatchTable:
    """A match in which the second seat to move stays as close to the first as it can."""
    options = Options(
        first_player=luck.randrange(2),
        tie_reflips=luck.randrange(4),
        down_conversion=luck.choice(("any", "listed")),
    )
    table = seated(GAME, 2, options).when(Start())
    while table.match.status == "running":
        if table.draw is None:
            table.when(level_choice(table, luck))
        else:
            table.when(EnterDraw(table.draw.id, level_flips(table, table.draw, luck)))
    return table


def level_choice(table: MatchTable, luck: Random) -> Any:
    """A random action, but of the second seat the coin that brings it nearest."""
    state, acts = table.match.game, choices(table)
    mine = total(state.lines[state.seat])
    apart = total(state.lines[1 - state.seat]) - mine
    if state.phase == "turn" and not state.placed and state.seat != state.options.first_player:
        coins = up_to_highest(state.lines[state.seat])
        nearest = min(coins, key=lambda coin: abs(apart - VALUE[coin]))
        return next(act for act in acts if act.sent.get("coin") == nearest)
    return luck.choice(acts)


def level_flips(table: MatchTable, draw: Draw, luck: Random) -> Outcome:
    """No coin moves before there is a dollar; then any may."""
    rich = max(map(total, table.match.game.lines)) >= DOLLAR
    free = draw.id == "setup" or (rich and luck.random() < 0.3)
    return tuple(luck.choice(("heads", "tails")) if free else "tails" for _ in draw.parts)


def test_ties_at_a_dollar_come_out_the_same(ties: list[Described]) -> None:
    """Broken by a later steal or shared in the end, with an exchange on the way or without."""
    agreed(GAME, ties)
    ends = [msgspec.json.decode(match.steps[-1].result)["shared"] for match in ties]
    assert set(ends) == {True, False}
    assert {match.options["tie_reflips"] for match in ties} >= {1, 2, 3}


def test_random_matches_contain_everything_that_can_happen() -> None:
    """Otherwise a difference could hide where no match has been."""
    matches = lucky(GAME.id)
    assert kinds(matches) == {stored_name(kind) for kind in get_args(GAME.Event)}
    assert codes(matches) == set(GAME.codes) - {"options_not_allowed"}
    played = [match.options for match in matches]
    assert {options["first_player"] for options in played} == {0, 1}
    assert {options["tie_reflips"] for options in played} >= {0, 1, 2}
    assert {options["down_conversion"] for options in played} == {"any", "listed"}
    assert {options["turn_seconds"] is None for options in played} == {True, False}
