"""Makes a failing plan smaller: fewer steps and faults that still fail in the same way.

It leaves out parts, large ones first (Zeller and Hildebrandt, "Simplifying and Isolating
Failure-Inducing Input", 2002). What is left is at the same time and does the same.
"""

from collections.abc import Callable, Sequence

from tests.support.simulation.history_checks import ViolationKind
from tests.support.simulation.simulation_plan import Plan
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
