"""`make simulate-faults`: millions of steps of the write side, with faults, on all cores.

`SEED=8123 STEPS=1000000` says with which luck and how long; a seed with a dot, `SEED=8123.17`, is
one simulation of those, run again. The exit status is 1 if anything was wrong; then the smallest
simulation found in which it still is wrong is printed as a command.
"""

import argparse
import os
import random
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import suppress
from itertools import islice
from multiprocessing import get_context
from pathlib import Path

from msgspec import Struct
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from tests.support.simulation.fault_coverage import Coverage
from tests.support.simulation.history_checks import ViolationKind
from tests.support.simulation.simulation_plan import Plan, planned
from tests.support.simulation.simulation_verdict import verdict

MOST_RUNS = 250
"""Maximum simulations by which a plan is made smaller."""

Part = tuple[str, int]
"""A step or a fault, by its number."""


def shrunk(
    plan: Plan,
    kind: ViolationKind,
    progress: Callable[[Plan], None] = lambda _: None,
) -> Plan:
    """The smallest plan found that still has a violation of this kind. `progress` is called with
    each smaller one."""
    runs = 0

    def fails(parts: Sequence[Part]) -> bool:
        nonlocal runs
        runs += 1
        found = verdict(_of(plan, parts)).violations
        return any(one.kind == kind for one in found)

    parts = [*_parts(plan)]
    size = len(parts)
    while size and runs < MOST_RUNS:
        size = max(1, size // 2)
        smaller = _without_parts(parts, size, fails, lambda: runs < MOST_RUNS)
        if smaller == parts and size == 1:
            break
        parts = smaller
        progress(_of(plan, parts))
    return _of(plan, parts)


def _without_parts(
    parts: list[Part],
    size: int,
    fails: Callable[[Sequence[Part]], bool],
    goes_on: Callable[[], bool],
) -> list[Part]:
    """The parts without every run of `size` of them that is not needed, from the last on: later
    steps need the earlier ones."""
    end = len(parts)
    while end > 0 and goes_on():
        rest = parts[: max(0, end - size)] + parts[end:]
        if rest and fails(rest):
            parts = rest
        end -= size
    return parts


def _parts(plan: Plan) -> list[Part]:
    steps: list[Part] = [("step", step.number) for step in plan.steps]
    return [*steps, *(("fault", fault.number) for fault in plan.faults)]


def _of(plan: Plan, parts: Sequence[Part]) -> Plan:
    return plan.only(
        frozenset(number for what, number in parts if what == "step"),
        frozenset(number for what, number in parts if what == "fault"),
    )


def written(plan: Plan) -> str:
    """The numbers of a plan's steps and faults as the command line takes them: `0-4,9/2`."""
    steps, faults = (part.number for part in plan.steps), (part.number for part in plan.faults)
    return f"{_ranges(list(steps))}/{_ranges(list(faults))}"


def chosen(plan: Plan, text: str) -> Plan:
    """The plan with the steps and faults that are written like this. Raises ValueError."""
    steps, _, faults = text.partition("/")
    return plan.only(_numbers(steps), _numbers(faults))


def _ranges(numbers: Sequence[int]) -> str:
    found: list[list[int]] = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in found)


def _numbers(text: str) -> frozenset[int]:
    ranges = (part.partition("-") for part in text.split(",") if part)
    return frozenset(
        number for first, _, last in ranges for number in range(int(first), int(last or first) + 1)
    )


STEPS_A_SIMULATION = 200


class Ended(Struct, frozen=True):
    """One simulation, as its process tells it: without the history."""

    seed: str
    wrong: tuple[str, ...]
    coverage: Coverage
    turns: int


def simulations(seed: str, count: int, processes: int) -> Iterator[Ended]:
    """The simulations of a seed as they end. Few are handed out beforehand, so that all end soon
    when one is wrong."""
    seeds = (f"{seed}.{number}" for number in range(count))
    with ProcessPoolExecutor(processes, get_context("spawn"), _quietly) as pool:
        running: set[Future[Ended]] = set()
        try:
            while True:
                room = 2 * processes - len(running)
                running |= {pool.submit(_simulation, each) for each in islice(seeds, room)}
                if not running:
                    return
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _quietly() -> None:
    """Ignores interrupts: they are for the process that shows the progress."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _simulation(seed: str) -> Ended:
    found = verdict(planned(seed, STEPS_A_SIMULATION))
    return Ended(seed, tuple(map(str, found.violations)), found.coverage, found.turns)


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
