"""The cost of every game without a server or a store: judging, the menu, the view, whole
matches."""

from collections.abc import Iterator
from pathlib import Path
from statistics import median
from time import perf_counter

import msgspec

from domain.events import Event, Record
from domain.games import GAMES
from domain.match.commands import Act
from domain.match.state import AnyGame
from projections.audience.menu import answer
from projections.audience.view import AudienceState, see_all, view
from service.cli.simulating.simulation import BEGIN, SimulatedMatch, simulate
from tests.benchmarks.rows import Row, at_most, seconds
from tests.support.tables.directing import START

MATCHES = 3
SIMULATED = 12
MOST_SEATS = 16
_encode = msgspec.json.Encoder().encode


def measure(folder: Path) -> list[Row]:
    """Over every position of some matches: the menu, and the view after the last events; then a
    row a game."""
    made = []
    for game in GAMES.values():
        seats = min(game.seats[-1], MOST_SEATS)
        menus, views = _shown(game, seats)
        made.append(at_most(f"menu of {game.id}", median(menus) * 1e6, 100, "µs"))
        made.append(at_most(f"view of {game.id}", median(views) * 1e6, 100, "µs"))
        made.append(_engine(game, seats, len(views) / sum(views)))
    return made


def _shown(game: AnyGame, seats: int) -> tuple[list[float], list[float]]:
    menus, views = [], []
    state, read = AudienceState(0), 0
    for match in positions(game, seats, MATCHES):
        seat = match.match.awaiting.seats[0]
        began = perf_counter()
        _encode(answer(game, match.match, seat))
        menus.append(perf_counter() - began)
        if len(match.records) < read:
            state, read = AudienceState(0), 0
        began = perf_counter()
        state = see_all(state, match.records[read:])
        _encode(view("match", game.id, state))
        views.append(perf_counter() - began)
        read = len(match.records)
    return menus, views


def _again(match: SimulatedMatch) -> None:
    """Judges the commands of a match again, without comparing."""
    records: list[Record[Event]] = []
    state = match._create(records)
    for at, command in match.commands:
        state = match._decide(state, [command], at, records, start=len(records))


def _engine(game: AnyGame, seats: int, views_a_second: float) -> Row:
    """Actions judged and folded, views made and matches simulated, each a second, on one core.

    Of the actions the median over some matches, each judged several times.
    """
    rates = []
    for number in range(SIMULATED):
        match = SimulatedMatch(game, seats, {}, f"bench/{number}")
        match.play()
        actions = sum(isinstance(command, Act) for _, command in match.commands)
        rates.append(actions / seconds(lambda match=match: _again(match), 5))  # type: ignore[misc]
    began = perf_counter()
    for number in range(SIMULATED):
        assert not simulate(game, seats, {}, "bench", number).broken
    simulated = SIMULATED / (perf_counter() - began)
    return Row(
        f"{game.id}, {seats} seats, one core",
        f"{median(rates):,.0f} actions/s, {views_a_second:,.0f} views/s, "
        f"{simulated:,.1f} simulated matches/s",
    )


def positions(game: AnyGame, seats: int, matches: int) -> Iterator[SimulatedMatch]:
    """Every position of some random matches."""
    for number in range(matches):
        match = SimulatedMatch(game, seats, {}, f"bench/{number}")
        match.take(START, BEGIN)
        while match.match.status == "running":
            yield match
            match.step()
