"""A large tournament: its standings, a publication, a result, and the drafts of rounds."""

from functools import partial
from pathlib import Path
from random import Random
from statistics import median, quantiles
from typing import get_args

from domain.game import Result
from domain.tournament.history import Bye, Draft, Pairing, inputs_of
from domain.tournament.stage_commands import PublishRound
from domain.tournament.stage_events import ByHand
from domain.tournament.stages import Stage, StageMatch, Tiebreak
from projections.tournaments.stage_standings import show_standings
from service.cli.simulating.tournament_play import TournamentPlay
from tests.benchmarks.rows import Row, at_most, once

PLAYERS, ROUNDS = 512, 10
TIMES = 30
DRAFTED = {64: 2.0, 128: 2.0, 512: 30.0}
"""Players of a draft that is measured, and the seconds that it may take."""


def measure(_: Path) -> list[Row]:
    """What an organiser of 512 players waits for, and the event loop with them."""
    large = _played(PLAYERS, ROUNDS, tiebreaks=get_args(Tiebreak))
    draft, who = _by_chance(PLAYERS, Random(1)), ByHand("Mo", "by hand")
    inputs = inputs_of(large.history())
    publication = once(lambda: large.do(PublishRound(1, draft, inputs, 0, who)))
    large.create()
    settled, table = [], []
    for match in large.running()[:TIMES]:
        settled.append(once(partial(large.settle, match, _won(0))))
        table.append(once(partial(_standings, large)))
    return [
        _spread(f"standings of {PLAYERS} with every tiebreak in round {ROUNDS + 1}, anew", table),
        at_most(f"a round of {PLAYERS} published", publication * 1e3, 50, "ms"),
        at_most("a result of it counted", median(settled) * 1e3, 5, "ms"),
        *(_drafted(players, most) for players, most in DRAFTED.items()),
    ]


def _drafted(players: int, most: float) -> Row:
    """The third round of a Swiss, by the library."""
    play = _played(players, 2)
    taken = once(lambda: play.draft())
    return at_most(f"a draft for {players} players", taken, most, "s")


def _played(players: int, rounds: int, **settings: object) -> TournamentPlay:
    """A Swiss whose pairings and results so far are by chance."""
    stage = Stage("S", "swiss", StageMatch("dollar-prize"), rounds=min(20, players - 1), **settings)  # type: ignore[arg-type]  # as named
    play, rng = TournamentPlay(players, stage), Random(0)
    for _ in range(rounds):
        play.publish(by_hand=_by_chance(players, rng))
        for match in play.running():
            play.settle(match, _won(rng.randrange(2)))
    return play


def _by_chance(players: int, rng: Random) -> Draft:
    order = list(range(players))
    rng.shuffle(order)
    pairs = zip(order[::2], order[1::2], strict=False)
    byes = tuple(Bye(player, "bye", ()) for player in order[len(order) // 2 * 2 :])
    return Draft("by_hand", "1", tuple(Pairing(n, two) for n, two in enumerate(pairs, 1)), byes)


def _won(seat: int) -> Result:
    return Result((seat,), (1 - seat,), False, (1 - seat, seat))


def _spread(what: str, taken: list[float]) -> Row:
    p50, p99 = median(taken), quantiles(taken, n=100)[-1]
    return Row(what, f"p50 {p50 * 1e3:.0f} ms, p99 {p99 * 1e3:.0f} ms")


def _standings(play: TournamentPlay) -> object:
    """The standings as they are now, after a result."""
    state = play.state
    return show_standings(state.competition, 1, state.results, state.players)
