"""`arbiter simulate`: plays many random matches, and checks that all invariants hold."""

import os
import signal
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from statistics import median, quantiles
from time import perf_counter
from typing import Any

import msgspec
import rich_click as click
from rich.table import Table
from rich.text import Text

from domain.games import GAMES
from service.child_processes import spawn_context
from service.cli.console import out
from service.cli.progress import progress_bar
from service.cli.simulating.simulation import MOST_INPUTS, Simulated, simulate

A_CHUNK = 20
MOST_SHOWN = 20

Options = Mapping[str, Any]


@click.command("simulate")
@click.argument("game", type=click.Choice(list(GAMES)), required=False)
@click.option("--matches", type=click.IntRange(1), default=1_000, show_default=True)
@click.option("--seed", type=int, default=1, show_default=True, help="The same seed, the same run.")
def simulate_matches(game: str | None, matches: int, seed: int) -> None:
    """Play many random matches of GAME, or of every game, in each of its variants and at each
    number of seats, without HTTP, and report the results.

    In every position the invariants are checked; at the end the record is judged again, folded,
    stored and shown. Exit status 1 if anything was broken.
    """
    broken = False
    cores = os.cpu_count() or 1
    with ProcessPoolExecutor(cores, spawn_context(), initializer=quietly) as pool:
        for name in GAMES if game is None else (game,):
            for options in GAMES[name].variants:
                began = perf_counter()
                played = list(_play(pool, name, options, matches, seed))
                seconds = perf_counter() - began
                _show_title(
                    name,
                    options,
                    f"{matches:,} matches, seed {seed}: {seconds:.1f} s on "
                    f"{cores} cores, {matches / seconds:,.0f} matches/s",
                )
                _show(played)
                broken = broken or any(match.broken for match in played)
    sys.exit(1 if broken else 0)


def _play(
    pool: ProcessPoolExecutor, name: str, options: Options, matches: int, seed: int
) -> Iterator[Simulated]:
    """Plays the matches; the numbers of seats take turns."""
    sizes = GAMES[name].seats
    tables = [(number, sizes[number % len(sizes)]) for number in range(matches)]
    chunks = [tables[start : start + A_CHUNK] for start in range(0, matches, A_CHUNK)]
    with progress_bar() as bar:
        task = bar.add_task(name, total=matches)
        for done in as_completed(pool.submit(_chunk, name, options, c, seed) for c in chunks):
            bar.advance(task, len(done.result()))
            yield from done.result()


def quietly() -> None:
    """Ignores interrupts: they are for the process that shows the progress."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _chunk(
    name: str, options: Options, tables: Sequence[tuple[int, int]], seed: int
) -> list[Simulated]:
    game = GAMES[name]
    return [simulate(game, seats, dict(options), str(seed), number) for number, seats in tables]


# The report.


def _show_title(name: str, options: Options, said: str) -> None:
    chosen = f" {msgspec.json.encode(options).decode()}" if options else ""
    out.print(Text.assemble((name, "bold"), f"{chosen}, {said}"))


def _show(played: Sequence[Simulated]) -> None:
    lengths = Table("", "least", "median", "95%", "most", box=None)
    lengths.add_row("actions a match", *spread([match.actions for match in played]))
    lengths.add_row("events a match", *spread([match.events for match in played]))
    out.print(lengths)
    out.print(_by_seat(played))
    shared = sum(match.result is not None and match.result.shared for match in played)
    out.print(f"Shared victories: {shared:,}")
    unfinished = sum(match.result is None and not match.broken for match in played)
    if unfinished:
        out.print(f"Not over after {MOST_INPUTS:,} inputs: {unfinished:,}", style="yellow")
    refused: Counter[str] = Counter()
    for match in played:
        refused.update(match.refused)
    if refused:
        codes = Table("refused or invalid", "times", box=None)
        for code, times in refused.most_common():
            codes.add_row(code, f"{times:,}")
        out.print(codes)
    show_broken(
        [
            f"match {match.number}, {match.seats} seats: {what}"
            for match in sorted(played, key=lambda match: match.number)
            for what in match.broken
        ]
    )


def spread(lengths: Sequence[int]) -> Iterator[str]:
    """How lengths are spread: the least, the median, the 95th percentile and the most."""
    p95 = quantiles(lengths, n=20, method="inclusive")[-1] if len(lengths) > 1 else lengths[0]
    return (f"{one:,.0f}" for one in (min(lengths), median(lengths), p95, max(lengths)))


def _by_seat(played: Sequence[Simulated]) -> Table:
    """How often each seat was played, and was among the winners."""
    sat = Counter(seat for match in played for seat in range(match.seats))
    won = Counter(seat for match in played if match.result for seat in match.result.winners)
    seats = Table("seat", "matches", "won", "", box=None)
    for seat in range(len(sat)):
        share = won[seat] / sat[seat]
        seats.add_row(str(seat), f"{sat[seat]:,}", f"{share:.1%}", "█" * round(share * 40))
    return seats


def show_broken(broken: Sequence[str]) -> None:
    """Prints what was broken, or the first of it."""
    if not broken:
        out.print("Broken invariants: none", style="green")
        return
    out.print(f"Broken invariants: {len(broken):,}", style="bold red")
    for what in broken[:MOST_SHOWN]:
        out.print(f"  {what}", style="red", soft_wrap=True)
