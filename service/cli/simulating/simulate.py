"""`arbiter simulate`: plays many random matches, and checks that all invariants hold."""

import os
import signal
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from statistics import median, quantiles
from time import perf_counter
from typing import Any, BinaryIO

import msgspec
import rich_click as click
from msgspec import Struct
from rich.table import Table
from rich.text import Text

from domain.game import Refused
from domain.games import GAMES
from service.child_processes import spawn_context
from service.cli.console import out
from service.cli.progress import progress_bar
from service.cli.simulating.simulation import MOST_INPUTS, Simulated, SimulatedMatch, simulate
from service.cli.typed_files import writing
from service.http.requests.json_members import SentTwice, check_members

A_CHUNK = 20
MOST_SHOWN = 20


class SimulatedGame(Struct, frozen=True):
    """A game to be simulated, with its options and the numbers of seats, which take turns."""

    game: str
    options: dict[str, Any]
    sizes: list[int]


class SimulationReport(Struct, frozen=True):
    """The result of a simulation: how its lengths are spread, and how often each seat was played,
    and was among the winners.

    `broken` must be empty: each entry names the match and what failed. `unfinished` matches had not
    ended after the maximum number of inputs.
    """

    game: str
    options: dict[str, Any]
    seed: int
    matches: int
    seconds: float
    cores: int
    actions: dict[str, float]
    events: dict[str, float]
    by_seat: list[dict[str, int]]
    shared: int
    unfinished: int
    refused: dict[str, int]
    broken: list[str]


@click.command("simulate")
@click.argument("game", type=click.Choice(list(GAMES)), required=False)
@click.option("--matches", type=click.IntRange(1), default=1_000, show_default=True)
@click.option("--seed", type=int, default=1, show_default=True, help="The same seed, the same run.")
@click.option("--seats", type=click.IntRange(1), help="Default: every number the game allows.")
@click.option("--options", help="The game's options, as JSON.")
@click.option("--report", type=click.File("wb", lazy=False), help="Also write it as JSON.")
@click.option("--jobs", type=click.IntRange(1), help="Processes. Default: one for every core.")
def simulate_matches(
    game: str | None,
    matches: int,
    seed: int,
    seats: int | None,
    options: str | None,
    report: BinaryIO | None,
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
    made = []
    with ProcessPoolExecutor(cores, spawn_context(), initializer=_quietly) as pool:
        for one in wanted:
            began = perf_counter()
            played = list(_play(pool, one, matches, seed))
            made.append(_reported(one, seed, played, perf_counter() - began, cores))
            _show(made[-1])
    if report is not None:
        written = msgspec.json.encode(made if game is None else made[0])
        with writing(report.name), report:
            report.write(msgspec.json.format(written) + b"\n")
    sys.exit(1 if any(one.broken for one in made) else 0)


def _wanted(game: str | None, options: str | None, seats: int | None) -> list[SimulatedGame]:
    """What to simulate: one game with its options, or all variants of all games."""
    if game is not None:
        every = [(game, _options(options or "{}"))]
    elif options is not None or seats is not None:
        raise click.UsageError("--options and --seats go with a GAME")
    else:
        every = [(name, dict(one)) for name, rules in GAMES.items() for one in rules.variants]
    return [
        SimulatedGame(name, chosen, [*GAMES[name].seats] if seats is None else [seats])
        for name, chosen in every
    ]


def _options(text: str) -> dict[str, Any]:
    try:
        options = msgspec.json.decode(text, type=dict[str, Any])
        check_members(text.encode())
    except (msgspec.DecodeError, SentTwice) as error:
        raise click.UsageError(f"--options: {error}") from None
    return options


def _check(wanted: SimulatedGame) -> None:
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
    pool: ProcessPoolExecutor, wanted: SimulatedGame, matches: int, seed: int
) -> Iterator[Simulated]:
    sizes = wanted.sizes
    tables = [(number, sizes[number % len(sizes)]) for number in range(matches)]
    chunks = [tables[start : start + A_CHUNK] for start in range(0, matches, A_CHUNK)]
    with progress_bar() as bar:
        task = bar.add_task(wanted.game, total=matches)
        for done in as_completed(pool.submit(_chunk, wanted, c, seed) for c in chunks):
            bar.advance(task, len(done.result()))
            yield from done.result()


def _quietly() -> None:
    """Ignores interrupts: they are for the process that shows the progress."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _chunk(wanted: SimulatedGame, tables: Sequence[tuple[int, int]], seed: int) -> list[Simulated]:
    game, options = GAMES[wanted.game], wanted.options
    return [simulate(game, seats, options, str(seed), number) for number, seats in tables]


def _reported(
    wanted: SimulatedGame, seed: int, played: Sequence[Simulated], seconds: float, cores: int
) -> SimulationReport:
    refused: Counter[str] = Counter()
    for match in played:
        refused.update(match.refused)
    return SimulationReport(
        game=wanted.game,
        options=wanted.options,
        seed=seed,
        matches=len(played),
        seconds=round(seconds, 2),
        cores=cores,
        actions=_spread([match.actions for match in played]),
        events=_spread([match.events for match in played]),
        by_seat=_by_seat(played),
        shared=sum(match.result is not None and match.result.shared for match in played),
        unfinished=sum(match.result is None and not match.broken for match in played),
        refused=dict(refused.most_common()),
        broken=[
            f"match {match.number}, {match.seats} seats: {what}"
            for match in sorted(played, key=lambda match: match.number)
            for what in match.broken
        ],
    )


def _spread(lengths: Sequence[int]) -> dict[str, float]:
    p95 = (
        quantiles(lengths, n=20, method="inclusive")[-1] if len(lengths) > 1 else float(lengths[0])
    )
    middle = median(lengths)
    return {"least": min(lengths), "median": middle, "p95": round(p95, 1), "most": max(lengths)}


def _by_seat(played: Sequence[Simulated]) -> list[dict[str, int]]:
    sat = Counter(seat for match in played for seat in range(match.seats))
    won = Counter(seat for match in played if match.result for seat in match.result.winners)
    return [{"played": sat[seat], "won": won[seat]} for seat in range(len(sat))]


def _show(made: SimulationReport) -> None:
    matches_a_second = made.matches / made.seconds if made.seconds else 0.0
    options = f" {msgspec.json.encode(made.options).decode()}" if made.options else ""
    out.print(Text.assemble((made.game, "bold"), options), end="")
    out.print(
        f", {made.matches:,} matches, seed {made.seed}: {made.seconds:.1f} s "
        f"on {made.cores} cores, {matches_a_second:,.0f} matches/s"
    )
    lengths = Table("", "least", "median", "95%", "most", box=None)
    for name, spread in (("actions a match", made.actions), ("events a match", made.events)):
        lengths.add_row(name, *(f"{figure:,.0f}" for figure in spread.values()))
    out.print(lengths)
    seats = Table("seat", "matches", "won", "", box=None)
    for seat, record in enumerate(made.by_seat):
        share = record["won"] / record["played"]
        seats.add_row(str(seat), f"{record['played']:,}", f"{share:.1%}", "█" * round(share * 40))
    out.print(seats)
    out.print(f"Shared victories: {made.shared:,}")
    if made.unfinished:
        out.print(f"Not over after {MOST_INPUTS:,} inputs: {made.unfinished:,}", style="yellow")
    if made.refused:
        codes = Table("refused or invalid", "times", box=None)
        for code, times in made.refused.items():
            codes.add_row(code, f"{times:,}")
        out.print(codes)
    if not made.broken:
        out.print("Broken invariants: none", style="green")
        return
    out.print(f"Broken invariants: {len(made.broken):,}", style="bold red")
    for what in made.broken[:MOST_SHOWN]:
        out.print(f"  {what}", style="red", soft_wrap=True)
