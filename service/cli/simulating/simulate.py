"""`arbiter simulate` and `arbiter simulate-tournament`: play many random matches or tournaments,
and check that all invariants hold."""

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from time import perf_counter
from typing import Any

import msgspec
import rich_click as click

from domain.games import GAMES
from domain.tournament.commands import MOST_PLAYERS
from domain.tournament.formats import FORMATS
from service.child_processes import spawn_context
from service.cli.console import out, progress_bar
from service.cli.simulating.simulated_tournament import simulate_one
from service.cli.simulating.simulation import simulate

A_CHUNK = 20
MOST_SHOWN = 20
MOST = 31
"""The most players of tournaments that may have any number."""

seed_option = click.option(
    "--seed", type=int, default=1, show_default=True, help="The same seed, the same run."
)


@click.command("simulate")
@click.argument("game", type=click.Choice(list(GAMES)), required=False)
@click.option("--matches", type=click.IntRange(1), default=1_000, show_default=True)
@seed_option
def simulate_matches(game: str | None, matches: int, seed: int) -> None:
    """Play many random matches of GAME, or of every game, in each of its variants and at each
    number of seats, without HTTP.

    In every position the invariants are checked; at the end the record is judged again, folded,
    stored and shown. Exit status 1 if anything was broken.
    """
    broken = False
    for name in GAMES if game is None else (game,):
        for options in GAMES[name].variants:
            option_text = f" {msgspec.json.encode(options).decode()}" if options else ""
            title = f"{name}{option_text}, {matches:,} matches, seed {seed}"
            play = partial(_match, name, dict(options), str(seed))
            broken = bool(play_many(title, play, matches, A_CHUNK)) or broken
    sys.exit(1 if broken else 0)


def _match(name: str, options: dict[str, Any], seed: str, number: int) -> Sequence[str]:
    """What is broken in a match; the numbers of seats take turns."""
    sizes = GAMES[name].seats
    seats = sizes[number % len(sizes)]
    match = simulate(GAMES[name], seats, options, seed, number)
    return [f"match {number}, {seats} seats: {what}" for what in match.broken]


@click.command("simulate-tournament")
@click.argument("form", metavar="[FORMAT]", type=click.Choice(list(FORMATS)), required=False)
@click.option("--tournaments", type=click.IntRange(1), default=100, show_default=True)
@click.option(
    "--players",
    type=click.IntRange(2, MOST_PLAYERS),
    help="How many players one begins with. [default: 2 to 31; half have at most 10]",
)
@seed_option
def simulate_tournament(form: str | None, tournaments: int, players: int | None, seed: int) -> None:
    """Play many random tournaments that begin with a stage of a FORMAT, or of any, without HTTP.

    Players enter late, leave, return and ask for byes; matches are void, shared or won by no one;
    results are corrected, names withheld, and the service starts again from its record. With
    fewer than 32 players it is checked after every batch that what must never happen has not, else
    after every round. Exit status 1 if anything was broken.
    """
    play = partial(_tournament, str(seed), form, players)
    title = f"{tournaments:,} tournaments, seed {seed}"
    sys.exit(1 if play_many(title, play, tournaments, 1) else 0)


def _tournament(seed: str, form: str | None, players: int | None, number: int) -> Sequence[str]:
    """What is broken in a tournament."""
    outcome = simulate_one(seed, number, MOST, form, players)
    stages = ", ".join(outcome.formats)
    return [f"tournament {number}, {stages}: {what}" for what in outcome.broken]


def play_many(
    title: str, play: Callable[[int], Sequence[str]], count: int, at_once: int
) -> Sequence[str]:
    """Plays so many on all cores, prints what was broken, or the first of it, and returns it."""
    began, broken = perf_counter(), list[str]()
    pool = ProcessPoolExecutor(os.cpu_count() or 1, spawn_context())
    with pool, progress_bar() as bar:
        task = bar.add_task(title, total=count)
        try:
            with _uninterrupted():
                outcomes = pool.map(play, range(count), chunksize=at_once)
            for faults in outcomes:
                bar.advance(task)
                broken += faults
        except KeyboardInterrupt:
            pool.shutdown(cancel_futures=True)
            raise
    out.print(f"{title}: {perf_counter() - began:.1f} s", style="bold")
    if not broken:
        out.print("Broken invariants: none", style="green")
    else:
        out.print(f"Broken invariants: {len(broken):,}", style="bold red")
        for what in broken[:MOST_SHOWN]:
            out.print(f"  {what}", style="red", soft_wrap=True)
    return broken


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Holds interrupts back. Processes that are started inside get none: they are for the one that
    shows the progress."""
    signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT,))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT,))
