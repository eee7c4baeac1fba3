"""`make simulate-faults`: millions of steps of the write side, with faults, on all cores.

`SEED=8123 STEPS=1000000` says with which luck and how long; a seed with a dot, `SEED=8123.17`, is
one simulation of those, run again. The exit status is 1 if anything was wrong; then the command is
printed that runs that simulation again.
"""

import argparse
import random
import signal
import sys
from contextlib import suppress
from hashlib import sha256
from multiprocessing import get_context
from pathlib import Path

from rich.console import Console
from rich.progress import track

from tests.simulation.simulated_process import Coverage
from tests.simulation.simulation_plan import planned
from tests.simulation.simulation_run import report, verdict

STEPS_A_SIMULATION = 200
STEPS = 1_000_000
MOST_SHOWN = 10

out = Console(highlight=False, emoji=False, soft_wrap=True)


def main(arguments: list[str] | None = None) -> int:
    """Runs what the command line says; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", default=str(random.SystemRandom().getrandbits(32)))
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--history", type=Path, help="a file for the history of one simulation")
    given = parser.parse_args(arguments)
    if "." in given.seed:
        return _one(given.seed, given.history)
    return _many(given.seed, max(1, given.steps // STEPS_A_SIMULATION))


def _one(seed: str, history: Path | None) -> int:
    found = verdict(planned(seed, STEPS_A_SIMULATION))
    if history is not None:
        history.write_bytes(found.history)
    _show(found.coverage, tuple(map(str, found.violations)))
    return 1 if found.violations else 0


def _many(seed: str, count: int) -> int:
    """Runs simulations until one is wrong, all have ended, or Ctrl-C; then shows what they
    covered."""
    out.print(f"SEED={seed}")
    coverage, wrong, digests = Coverage(), tuple[str, ...](), dict[str, bytes]()
    seeds = [(f"{seed}.{number}", STEPS_A_SIMULATION) for number in range(count)]
    # Interrupts are for the process that shows the progress.
    ignoring = signal.SIGINT, signal.SIG_IGN
    with (
        suppress(KeyboardInterrupt),
        get_context("spawn").Pool(initializer=signal.signal, initargs=ignoring) as pool,
    ):
        ended = pool.imap_unordered(report, seeds)
        for one in track(ended, "simulating", count, console=Console(stderr=True)):
            coverage.update(one.coverage)
            digests[one.seed] = one.digest
            if one.wrong:
                seed, wrong = one.seed, one.wrong
                break
    _show(coverage, wrong)
    whole = sha256(b"".join(digests[each] for each, _ in seeds if each in digests))
    out.print(f"histories: {len(digests)}, SHA-256 {whole.hexdigest()}")
    if not wrong:
        return 0
    out.print(f"make simulate-faults SEED={seed}")
    return 1


def _show(coverage: Coverage, wrong: tuple[str, ...]) -> None:
    out.print("\nHow often each fault hit the write side in each of its states:\n")
    for (fault, state), count in sorted(coverage.items()):
        out.print(f"{count:>9,}  {fault}, {state}")
    for text in wrong[:MOST_SHOWN] or ("nothing",):
        out.print(f"wrong: {text}")
    if len(wrong) > MOST_SHOWN:
        out.print(f"and {len(wrong) - MOST_SHOWN} more")


if __name__ == "__main__":
    sys.exit(main())
