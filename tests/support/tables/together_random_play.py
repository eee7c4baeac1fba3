"""Random play at a table of Together We Survive, and everything that a seat could try."""

from collections.abc import Iterator
from random import Random
from typing import Any, get_args

import msgspec

from domain.chance.draws import Shuffle
from domain.games.together.actions import Action, Ballot, GiveTokenOfLife, Submit, Vote
from domain.games.together.rules import GAME
from domain.games.together.state import State
from tests.support.tables.game_strategies import instances
from tests.support.tables.game_table import Table
from tests.support.tables.together_tables import state


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


def move(table: Table, rng: Random, lateness: float = 0.1) -> None:
    """One step: a draw, the end of the phase, or an action on offer."""
    if table.awaits.draw is not None:
        shuffles = [part for part in table.draw.parts if isinstance(part, Shuffle)]
        table.drawn(*(rng.sample(part.items, len(part.items)) for part in shuffles))
        return
    offers = [(seat, offer) for seat in state(table).seats for offer in table.menu(seat)]
    if rng.random() < lateness:
        table.expired()
        return
    seat, offer = rng.choice(offers)
    table.act(seat, received(rng.choice(instances(offer))))


def received(sent: dict[str, Any]) -> Action:
    action: Action = msgspec.convert(sent, GAME.Action)
    return action
