"""`arbiter simulate-tournament`: plays many random tournaments, and checks what must hold."""

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from time import perf_counter

import rich_click as click
from rich.table import Table

from domain.tournament.decide import MOST_PLAYERS
from domain.tournament.formats import FORMATS
from service.child_processes import spawn_context
from service.cli.console import out
from service.cli.progress import progress_bar
from service.cli.simulating.simulate import quietly, show_broken, spread
from service.cli.simulating.simulated_tournament import PlayedTournament, simulate_one


@click.command("simulate-tournament")
@click.argument("form", metavar="[FORMAT]", type=click.Choice(list(FORMATS)), required=False)
@click.option("--tournaments", type=click.IntRange(1), default=100, show_default=True)
@click.option(
    "--players",
    type=click.IntRange(2, MOST_PLAYERS),
    default=31,
    show_default=True,
    help="The most players that one begins with; half of all have at most 10.",
)
@click.option(
    "--at-least",
    "least",
    type=click.IntRange(2, MOST_PLAYERS),
    default=2,
    show_default=True,
    help="The fewest; above 10 all numbers are as likely.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="The same seed, the same run.")
def simulate_tournament(
    form: str | None, tournaments: int, players: int, least: int, seed: int
) -> None:
    """Play many random tournaments that begin with a stage of a FORMAT, or of any, without HTTP.

    Players enter late, leave, return and ask for byes; matches are void, shared or won by no one;
    results are corrected, names withheld, and the service starts again from its record. With
    fewer than 32 players it is checked after every batch that what must never happen has not, else
    after every round. Exit status 1 if anything was broken.
    """
    if least > players:
        raise click.UsageError("--at-least is more than --players")
    began = perf_counter()
    play = partial(simulate_one, str(seed), most=players, chosen=form, least=least)
    played = list(_play(play, tournaments))
    seconds = perf_counter() - began
    out.print(f"{tournaments:,} tournaments, seed {seed}: {seconds:.1f} s")
    _show(played)
    sys.exit(1 if any(one.broken for one in played) else 0)


def _play(play: Callable[[int], PlayedTournament], tournaments: int) -> Iterator[PlayedTournament]:
    pool = ProcessPoolExecutor(os.cpu_count() or 1, spawn_context(), initializer=quietly)
    with pool, progress_bar() as bar:
        task = bar.add_task("tournaments", total=tournaments)
        running = [pool.submit(play, number) for number in range(tournaments)]
        for done in as_completed(running):
            bar.advance(task)
            yield done.result()


def _show(played: Sequence[PlayedTournament]) -> None:
    sizes = Table("", "least", "median", "95%", "most", box=None)
    for name in ("players", "rounds", "matches", "batches"):
        sizes.add_row(name, *spread([getattr(one, name) for one in played]))
    out.print(sizes)
    counts = Table("format", "stages", box=None)
    for name, count in sorted(Counter(name for one in played for name in one.formats).items()):
        counts.add_row(name, f"{count:,}")
    out.print(counts)
    show_broken(
        [
            f"tournament {one.number}, {', '.join(one.formats)}: {what}"
            for one in sorted(played, key=lambda one: one.number)
            for what in one.broken
        ]
    )
