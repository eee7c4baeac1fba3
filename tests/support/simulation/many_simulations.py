"""Many simulations, on all cores."""

import signal
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from itertools import islice
from multiprocessing import get_context

from msgspec import Struct

from tests.support.simulation.fault_coverage import Coverage
from tests.support.simulation.simulation_plan import planned
from tests.support.simulation.simulation_verdict import verdict

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
