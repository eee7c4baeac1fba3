"""`arbiter simulate`: plays many random matches, and checks that all invariants hold."""

import os
import signal
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from statistics import median, quantiles
from time import perf_counter
from typing import Any

import msgspec
import rich_click as click
from msgspec import Struct
from rich.progress import track
from rich.table import Table
from rich.text import Text

from domain.game import Refused
from domain.games import GAMES
from service.cli.console import err, out
from service.cli.simulation import MOST_INPUTS, Simulated, SimulatedMatch, simulate

A_CHUNK = 20
MOST_SHOWN = 20


class Wanted(Struct, frozen=True):
    """A game to be simulated, with its options and the numbers of seats, which take turns."""

    game: str
    options: dict[str, Any]
    sizes: list[int]


@click.command("simulate")
@click.argument("game", type=click.Choice(list(GAMES)), required=False)
@click.option("--matches", type=click.IntRange(1), default=1_000, show_default=True)
@click.option("--seed", type=int, default=1, show_default=True, help="The same seed, the same run.")
@click.option("--seats", type=click.IntRange(1), help="Default: every number the game allows.")
@click.option("--options", help="The game's options, as JSON.")
@click.option("--jobs", type=click.IntRange(1), help="Processes. Default: one for every core.")
def simulate_matches(
    game: str | None,
    matches: int,
    seed: int,
    seats: int | None,
    options: str | None,
    jobs: int | None,
) -> None:
    """Play many random matches of GAME, without HTTP, and report the results; without GAME, of
    every game in each of its variants.

    In every position the invariants are checked; at the end the record is judged again, folded,
    stored and shown. Exit status 1 if anything was broken.
    """
    wanted = _wanted(game, options, seats)
    for one in wanted:
        _check(one)
    cores = jobs or os.cpu_count() or 1
    broken = 0
    with ProcessPoolExecutor(cores, get_context("spawn"), initializer=_quietly) as pool:
        for one in wanted:
            began = perf_counter()
            played = list(_play(pool, one, matches, seed))
            _show_course(one, seed, played, perf_counter() - began, cores)
            broken += _show_faults(played)
    sys.exit(1 if broken else 0)


def _wanted(game: str | None, options: str | None, seats: int | None) -> list[Wanted]:
    """What to simulate: one game with its options, or all variants of all games."""
    if game is not None:
        every = [(game, _options(options or "{}"))]
    elif options is not None or seats is not None:
        raise click.UsageError("--options and --seats go with a GAME")
    else:
        every = [(name, dict(one)) for name, rules in GAMES.items() for one in rules.variants]
    return [
        Wanted(name, chosen, [*GAMES[name].seats] if seats is None else [seats])
        for name, chosen in every
    ]


def _options(text: str) -> dict[str, Any]:
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise click.UsageError(f"--options: {error}") from None


def _check(wanted: Wanted) -> None:
    game = GAMES[wanted.game]
    if not set(wanted.sizes) <= set(game.seats):
        first, last = game.seats[0], game.seats[-1]
        raise click.UsageError(f"--seats: {game.id} seats {first} to {last}")
    try:
        for seats in wanted.sizes:
            SimulatedMatch(game, seats, wanted.options, "")
    except (Refused, msgspec.ValidationError) as error:
        said = getattr(error, "text", None) or error
        raise click.UsageError(f"--options: {said}") from None


def _play(
    pool: ProcessPoolExecutor, wanted: Wanted, matches: int, seed: int
) -> Iterator[Simulated]:
    sizes = wanted.sizes
    tables = [(number, sizes[number % len(sizes)]) for number in range(matches)]
    chunks = [tables[start : start + A_CHUNK] for start in range(0, matches, A_CHUNK)]
    played = as_completed([pool.submit(_chunk, wanted, one, seed) for one in chunks])
    for done in track(played, wanted.game, len(chunks), console=err, disable=not err.is_terminal):
        yield from done.result()


def _quietly() -> None:
    """Ignores interrupts: they are for the process that shows the progress."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _chunk(wanted: Wanted, tables: Sequence[tuple[int, int]], seed: int) -> list[Simulated]:
    game, options = GAMES[wanted.game], wanted.options
    return [simulate(game, seats, options, str(seed), number) for number, seats in tables]


# What is shown.


def _show_course(
    wanted: Wanted, seed: int, played: Sequence[Simulated], seconds: float, cores: int
) -> None:
    """How long the matches were, and who has won."""
    options = f" {msgspec.json.encode(wanted.options).decode()}" if wanted.options else ""
    out.print(Text.assemble((wanted.game, "bold"), options), end="")
    out.print(
        f", {len(played):,} matches, seed {seed}: {seconds:.1f} s "
        f"on {cores} cores, {len(played) / seconds:,.0f} matches/s"
    )
    lengths = Table("", "least", "median", "95%", "most", box=None)
    lengths.add_row("actions a match", *_spread([match.actions for match in played]))
    lengths.add_row("events a match", *_spread([match.events for match in played]))
    out.print(lengths)
    sat = Counter(seat for match in played for seat in range(match.seats))
    won = Counter(seat for match in played if match.result for seat in match.result.winners)
    seats = Table("seat", "matches", "won", "", box=None)
    for seat in range(len(sat)):
        share = won[seat] / sat[seat]
        seats.add_row(str(seat), f"{sat[seat]:,}", f"{share:.1%}", "█" * round(share * 40))
    out.print(seats)
    shared = sum(match.result is not None and match.result.shared for match in played)
    out.print(f"Shared victories: {shared:,}")


def _spread(lengths: Sequence[int]) -> Iterator[str]:
    p95 = quantiles(lengths, n=20, method="inclusive")[-1] if len(lengths) > 1 else lengths[0]
    for figure in (min(lengths), median(lengths), p95, max(lengths)):
        yield f"{figure:,.0f}"


def _show_faults(played: Sequence[Simulated]) -> int:
    """What was refused, what did not end, and what was broken; returns how many were."""
    unfinished = sum(match.result is None and not match.broken for match in played)
    if unfinished:
        out.print(f"Not over after {MOST_INPUTS:,} inputs: {unfinished:,}", style="yellow")
    refused: Counter[str] = Counter()
    for match in played:
        refused.update(match.refused)
    if refused:
        codes = Table("refused or invalid", "times", box=None)
        for code, times in sorted(refused.items(), key=lambda each: (-each[1], each[0])):
            codes.add_row(code, f"{times:,}")
        out.print(codes)
    broken = [
        f"match {match.number}, {match.seats} seats: {what}"
        for match in sorted(played, key=lambda match: match.number)
        for what in match.broken
    ]
    out.print(f"Broken invariants: {f'{len(broken):,}' if broken else 'none'}",
              style="bold red" if broken else "green")  # fmt: skip
    for what in broken[:MOST_SHOWN]:
        out.print(f"  {what}", style="red", soft_wrap=True)
    return len(broken)
