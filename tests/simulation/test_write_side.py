"""The write side under faults, simulated: a short form of `make simulate-faults`."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.simulation.simulated_process import Coverage
from tests.simulation.simulation_plan import planned
from tests.simulation.simulation_run import Verdict, verdict
from tests.support.repository import ROOT

STEPS = 120
SEEDS = ("32", "25", "8", "2", "4", "64")
"""Seeds whose faults together hit the write side in most of its states."""


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
    assert {"creating", "deadline", "leading"} <= {state for _, state in covered}


def test_a_seed_gives_the_same_history_in_every_process(tmp_path: Path) -> None:
    histories = [tmp_path / "first", tmp_path / "second"]
    for history, hash_seed in zip(histories, "12", strict=True):
        subprocess.run(
            [sys.executable, "-m", "tests.simulation", "--seed", "8.3", "--history", str(history)],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            check=True,
            capture_output=True,
        )
    first, second = (history.read_bytes() for history in histories)
    assert first == second
    assert first.count(b"\n") > 100


def test_other_seeds_give_other_histories(verdicts: dict[str, Verdict]) -> None:
    assert len({found.history for found in verdicts.values()}) == len(SEEDS)


def test_the_command_runs_many_of_them() -> None:
    command = [sys.executable, "-m", "tests.simulation", "--seed", "8", "--steps", "120"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, "wrong: nothing" in done.stdout) == (0, True), done.stderr
