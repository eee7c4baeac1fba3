"""`make simulate-faults`: millions of steps of the write side, with faults, on all cores.

`SEED=8123 STEPS=1000000` says with which luck and how long; a seed with a dot, `SEED=8123.17`, is
one simulation of those, run again. The exit status is 1 if anything was wrong; then the smallest
simulation found in which it still is wrong is printed as a command.
"""

import argparse
import os
import random
import sys
import time
from contextlib import suppress
from pathlib import Path

from msgspec import Struct
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from tests.support.simulation.fault_coverage import Coverage
from tests.support.simulation.history_checks import ViolationKind
from tests.support.simulation.many_simulations import STEPS_A_SIMULATION, simulations
from tests.support.simulation.plan_shrinking import chosen, shrunk, written
from tests.support.simulation.simulation_plan import Plan, planned
from tests.support.simulation.simulation_verdict import verdict

STEPS = 1_000_000
MOST_SHOWN = 10

out = Console(highlight=False, emoji=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, emoji=False)


class Totals(Struct):
    """What all simulations together did."""

    coverage: Coverage
    simulations: int = 0
    turns: int = 0


def main(arguments: list[str] | None = None) -> int:
    """Runs what the command line says; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", default=str(random.SystemRandom().getrandbits(32)))
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--only", help="the steps and faults to run: 0-4,9/2")
    parser.add_argument("--history", type=Path, help="a file for the history")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args(arguments)
    if "." in given.seed:
        return _one(_plan(given.seed, given.only), given.history)
    if given.only is not None or given.history is not None:
        parser.error("--only and --history are for one simulation: --seed 8123.17")
    return _many(given.seed, max(1, given.steps // STEPS_A_SIMULATION), given.processes)


def _plan(seed: str, only: str | None) -> Plan:
    plan = planned(seed, STEPS_A_SIMULATION)
    return plan if only is None else chosen(plan, only)


def _one(plan: Plan, history: Path | None) -> int:
    found = verdict(plan)
    if history is not None:
        history.write_bytes(found.history)
    out.print(found.coverage.table())
    _show(tuple(map(str, found.violations)))
    return 1 if found.violations else 0


def _many(seed: str, count: int, processes: int) -> int:
    """Runs simulations until one is wrong, all have ended, or Ctrl-C; then shows what they
    covered."""
    began = time.monotonic()
    out.print(f"SEED={seed}")
    totals, wrong = Totals(Coverage()), None
    bar = Progress(
        TextColumn("{task.completed:,} of {task.total:,} steps"),
        BarColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=err,
    )
    with bar, suppress(KeyboardInterrupt):
        task = bar.add_task("", total=count * STEPS_A_SIMULATION)
        for ended in simulations(seed, count, processes):
            bar.update(task, advance=STEPS_A_SIMULATION)
            totals.simulations += 1
            totals.turns += ended.turns
            totals.coverage.update(ended.coverage)
            if ended.wrong:
                wrong = ended
                break
    _report(totals, time.monotonic() - began)
    _show(() if wrong is None else wrong.wrong)
    if wrong is None:
        return 0
    print_smallest(wrong.seed)
    return 1


def _report(totals: Totals, seconds: float) -> None:
    steps = totals.simulations * STEPS_A_SIMULATION
    out.print("\nHow often each fault hit the write side in each of its states:\n")
    out.print(totals.coverage.table())
    out.print(
        f"\n{steps:,} steps in {totals.simulations:,} simulations, {steps / seconds:,.0f} a second;"
        f" {totals.turns:,} turns of the event loop"
    )


def _show(wrong: tuple[str, ...]) -> None:
    if not wrong:
        out.print("nothing was wrong")
    for text in wrong[:MOST_SHOWN]:
        out.print(f"wrong: {text}")
    if len(wrong) > MOST_SHOWN:
        out.print(f"and {len(wrong) - MOST_SHOWN} more")


def print_smallest(seed: str) -> None:
    """Makes a simulation smaller in which something is wrong, and prints the command that runs what
    is left of it again."""
    plan = _plan(seed, None)
    kinds: list[ViolationKind] = [found.kind for found in verdict(plan).violations]
    if not kinds:
        out.print(f"not wrong when it runs again: make simulate-faults SEED={seed}")
        return
    with err.status("making it smaller") as status:
        small = shrunk(
            plan,
            kinds[0],
            progress=lambda found: status.update(f"making it smaller: {found.size} parts"),
        )
    out.print(f"{len(small.steps)} steps and {len(small.faults)} faults are enough:")
    out.print(f"make simulate-faults SEED={seed} ONLY={written(small)}")


if __name__ == "__main__":
    sys.exit(main())
