"""A byte that depends on what an audience may not know never reaches it.

A match is played to some position and then once more in another world, where all is the same but
what the audience may not know: other seats' hands and the chips set aside, their refused actions
and keys, what they submitted to a sealed phase. Both worlds must look the same to it.
"""

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from domain.chance.draws import Outcome, orders
from domain.games import GAMES
from domain.match.commands import Act, Command
from domain.match.events import SealedDrawSettled
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from projections.boards import BOARDS
from tests.support.effort import times
from tests.support.games import SUPPORT
from tests.support.tables import toy_game
from tests.support.tables.game_strategies import options
from tests.support.tables.match_table import MatchTable
from tests.support.worlds import differences, once_more, received_by, received_lines, world

SHORT = settings(
    max_examples=times("worlds"), deadline=None, suppress_health_check=list(HealthCheck)
)
CHANCE = st.integers(0, 2**32).map(Random)


def look_the_same(one: MatchTable, other: MatchTable, viewer: Viewer) -> bool:
    found = differences(received_by(one, viewer), received_by(other, viewer))
    assert found == [], f"{viewer} can tell the worlds apart by {found}"
    return received_lines(one, MODERATOR) != received_lines(other, MODERATOR)


@pytest.mark.parametrize("name", GAMES)
@SHORT
@given(data=st.data(), rng=CHANCE)
def test_two_worlds_with_different_secrets_look_the_same(
    name: str, data: st.DataObject, rng: Random
) -> None:
    game = GAMES[name]
    seats = data.draw(st.sampled_from(game.seats))
    chosen = data.draw(options(game, seats))
    one = world(game, chosen, seats, rng, rng.randrange(1, 60))
    for viewer in (PUBLIC_VIEWER, *one.seats):
        other = once_more(one, viewer, rng, SUPPORT[name].other_outcomes(one, viewer, rng))
        look_the_same(one, other, viewer)


@pytest.mark.parametrize("name", GAMES)
@SHORT
@given(data=st.data(), rng=CHANCE)
def test_refused_actions_of_others_are_hidden_also_when_time_runs_out(
    name: str, data: st.DataObject, rng: Random
) -> None:
    game = GAMES[name]
    chosen = data.draw(options(game, game.seats[-1]))
    one = world(game, chosen, game.seats[-1], rng, rng.randrange(1, 60), lateness=0.2)
    viewer = rng.choice((PUBLIC_VIEWER, *one.seats))
    look_the_same(one, once_more(one, viewer, rng, {}), viewer)


@pytest.mark.parametrize("name", GAMES)
def test_the_other_world_is_mostly_another_one(name: str) -> None:
    """The comparison is worth nothing if the worlds are the same."""
    game, rng, apart = GAMES[name], Random(name), 0
    for _ in range(20):
        one = world(game, game.Options(), game.seats[-1], rng, rng.randrange(5, 40))
        viewer = rng.choice((PUBLIC_VIEWER, *one.seats))
        apart += look_the_same(
            one, once_more(one, viewer, rng, SUPPORT[name].other_outcomes(one, viewer, rng)), viewer
        )
    assert apart >= 15


# The sealed phase and the private draw of the toy game.


@pytest.fixture
def blind_bid(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, toy_game.GAME.id, toy_game.GAME)
    monkeypatch.setitem(BOARDS, toy_game.GAME.id, toy_game.BOARDS)


def other_lots(table: MatchTable, viewer: Viewer, rng: Random) -> dict[str, Outcome]:
    """The viewer's lot is the same; all others may have any."""
    settled = [e for e in table.events if isinstance(e, SealedDrawSettled)]
    if not settled:
        return {}
    lots = list(orders(settled[0].outcome)[0])
    others = [place for place in range(len(lots)) if place != viewer]
    shuffled = rng.sample([lots[place] for place in others], len(others))
    for place, lot in zip(others, shuffled, strict=True):
        lots[place] = lot
    return {"lots": (tuple(lots),)}


def test_submitted_or_not_once_or_five_times_early_or_late(blind_bid: None) -> None:
    """While bids are sealed no one can tell which of the others has bid, how much, or when."""
    rng, apart = Random(7), 0
    for _ in range(80):
        seats = rng.choice((2, 3, 5))
        one = world(
            toy_game.GAME, toy_game.Options(bid_seconds=60), seats, rng, rng.randrange(1, seats)
        )
        for viewer in (PUBLIC_VIEWER, *one.seats):
            other = once_more(one, viewer, rng, other_lots(one, viewer, rng), keep=_own(viewer))
            missing = [s for s in other.seats if s != viewer and other.match.game.bids[s] is None]
            for seat in missing[1:]:
                if rng.random() < 0.5:
                    other.accepted(seat, toy_game.Bid(rng.randint(1, 10)))
            apart += look_the_same(one, other, viewer)
    assert apart > 100


def _own(viewer: Viewer) -> Callable[[Command], bool]:
    """Of the seats' actions, only the viewer's own."""
    return lambda command: not isinstance(command, Act) or command.seat == viewer
