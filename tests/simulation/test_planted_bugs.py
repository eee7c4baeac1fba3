"""The simulation finds bugs of the kinds that it is there for, each with a seed on record."""

import re
from collections.abc import Mapping

import pytest

from tests.simulation import __main__ as program
from tests.support.simulation.history_checks import ViolationKind
from tests.support.simulation.plan_shrinking import chosen, written
from tests.support.simulation.planted_bugs import BUGS
from tests.support.simulation.simulation_plan import planned
from tests.support.simulation.simulation_verdict import verdict

STEPS = 200

FOUND: Mapping[str, tuple[ViolationKind, tuple[int, ...]]] = {
    "answer before commit": ("acknowledged before it is on record", (0, 3, 5, 2)),
    "state swapped early": ("seen before it is on record", (3, 8, 14)),
    "lost wake-up of a command": ("not done", (43, 20, 28, 51)),
    "lost wake-up of a deadline": ("not done", (8, 5, 9)),
    "lost wake-up of a reader": ("not done", (35, 22, 27)),
    "lost wake-up of the settlement": ("not done", (5, 3, 4)),
    "deadline passed twice": ("record", (9, 4, 2)),
    "stale read after a conflict": ("stale", (6, 5, 0)),
    "retry that repeats": ("recorded twice", (26, 40, 75)),
}
"""How each bug shows, and seeds with which it was found. A change of the product may change what a
seed does, hence several."""


def test_every_bug_has_a_seed_on_record() -> None:
    assert FOUND.keys() == BUGS.keys()


@pytest.mark.parametrize("name", BUGS)
def test_a_planted_bug_is_found(name: str) -> None:
    kind, seeds = FOUND[name]
    for seed in seeds:
        found = verdict(planned(str(seed), STEPS), BUGS[name]).violations
        if any(one.kind == kind for one in found):
            # It is the bug that is found, not something that is wrong anyway.
            assert verdict(planned(str(seed), STEPS)).violations == ()
            return
    pytest.fail(f"not found with the seeds {seeds}")


def test_a_failing_simulation_becomes_small_and_is_run_again_by_a_command(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with BUGS["state swapped early"]():
        program.print_smallest("1.9")
        said = capsys.readouterr().out
        command = re.search(r"^make simulate-faults SEED=(\S+) ONLY=(\S+)$", said, re.MULTILINE)
        assert command is not None, said
        seed, only = command.groups()
        assert chosen(planned(seed, STEPS), only).size <= 12 < planned(seed, STEPS).size
        assert program.main(["--seed", seed, "--only", only]) == 1
    assert "\nwrong: " in capsys.readouterr().out
    assert program.main(["--seed", seed, "--only", only]) == 0
    assert "nothing was wrong" in capsys.readouterr().out


def test_parts_of_a_plan_are_written_as_ranges() -> None:
    plan = planned("1", STEPS)
    some = plan.only(frozenset({0, 1, 2, 7, 9, 10}), frozenset({0, 3}))
    assert written(some) == "0-2,7,9-10/0,3"
    assert chosen(plan, written(some)) == some
    assert chosen(plan, written(plan)) == plan
