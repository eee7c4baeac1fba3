"""The write side under faults, simulated: a short form of `make simulate-faults`."""

import os
import subprocess
import sys

import pytest

from tests.simulation.__main__ import STEPS_A_SIMULATION
from tests.simulation.simulated_process import Coverage
from tests.simulation.simulation_plan import planned
from tests.simulation.simulation_run import Verdict, verdict
from tests.support.repository import ROOT

STEPS = 120
SEEDS = ("8", "5613", "35", "44", "31", "11")
"""Seeds whose faults together hit the write side in most of its states; in one of them absences
move deadlines."""


@pytest.fixture(scope="module", name="verdicts")
def all_verdicts() -> dict[str, Verdict]:
    return {seed: verdict(planned(seed, STEPS)) for seed in SEEDS}


@pytest.mark.parametrize("seed", SEEDS)
def test_whatever_fails_nothing_is_lost_doubled_or_taken_back(
    verdicts: dict[str, Verdict], seed: str
) -> None:
    assert verdicts[seed].violations == ()


def test_faults_hit_the_write_side_while_it_works(verdicts: dict[str, Verdict]) -> None:
    covered = Coverage()
    for found in verdicts.values():
        covered.update(found.coverage)
    hit = {fault for (fault, state), count in covered.items() if state == "deciding" and count}
    assert len(hit) >= 8, covered
    states = {state for _, state in covered}
    assert {"creating", "deadline", "leading", "ruling", "case", "keys", "notices"} <= states
    assert any(b"absence" in found.history for found in verdicts.values())


LONG = pytest.mark.slow(because="each runs sixty simulations")


@pytest.mark.parametrize(
    ("seed", "simulations", "times"),
    [(4711, 2, 2), *(pytest.param(seed, 20, 3, marks=LONG) for seed in (1, 2, 3))],
)
def test_a_seed_gives_the_same_history_in_every_process(
    seed: int, simulations: int, times: int
) -> None:
    """Whatever the hashes of texts are, and however fast the machine is."""
    assert len({_histories(seed, simulations, hash_seed) for hash_seed in range(times)}) == 1


def _histories(seed: int, simulations: int, hash_seed: int) -> str:
    """The line of `make simulate-faults` about the histories of simulations."""
    command = [sys.executable, "-m", "tests.simulation", "--seed", str(seed)]
    done = subprocess.run(
        [*command, "--steps", str(simulations * STEPS_A_SIMULATION)],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": str(hash_seed)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, "wrong: nothing" in done.stdout) == (0, True), done.stderr
    line = done.stdout.splitlines()[-1]
    assert line.startswith(f"histories: {simulations}, SHA-256 ")
    return line


def test_other_seeds_give_other_histories(verdicts: dict[str, Verdict]) -> None:
    assert len({found.history for found in verdicts.values()}) == len(SEEDS)
