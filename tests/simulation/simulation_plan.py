"""The plan of a simulation: everything that a seed decides beforehand."""

from random import Random
from typing import Literal, get_args

from msgspec import Struct

from tests.simulation.fault_kinds import FAULT_KINDS, Fault, FaultKind

StepKind = Literal[
    "create", "start", "act", "moderate", "read", "lines", "follow", "wait", "tournament", "post",
    "rule", "case", "key", "invite", "hook",
]  # fmt: skip
"""What a client does: creates a match, starts it, sends an action, pauses or closes a phase, reads
a view, reads lines, follows a stream, waits for news, creates a tournament, posts garnets; rules,
says something in a case, changes keys, invites someone, registers a webhook."""

WEIGHTS: dict[StepKind, int] = {
    "create": 4, "start": 5, "act": 60, "moderate": 3, "read": 14, "lines": 5, "follow": 4,
    "wait": 2, "tournament": 1, "post": 3, "rule": 9, "case": 6, "key": 6, "invite": 4, "hook": 1,
}  # fmt: skip

FIRST_STEPS: tuple[StepKind, ...] = ("tournament", "create", "create", "follow", "start")

STEPS_A_FAULT = 12
PACE_MICROSECONDS = 60_000
"""Mean time between two steps."""

PAUSE_MICROSECONDS, PAUSES = 15_000_000, 0.01
"""Longest pause between two steps, and how often there is one."""

LONGEST: dict[FaultKind, int] = {
    "crash": 0, "restart": 0, "lock lost": 5_000_000, "frozen": 12_000_000,
    "clock ahead": 900_000, "full disk": 6_000_000,
}  # fmt: skip
USUAL_LENGTH = 4_000_000
"""Longest duration of a fault of a kind, in microseconds."""


class Step(Struct, frozen=True):
    """One thing that one client does, `at` microseconds after the start."""

    number: int
    at: int
    kind: StepKind


class Shape(Struct, frozen=True):
    """What is simulated: how many instances, whether they notify one another, and the limits of the
    service, some so small that they matter."""

    instances: int
    notified: bool
    match_memory: int
    most_unfolded: int
    most_a_transaction: int
    most_deadlines: int


class Plan(Struct, frozen=True):
    """A simulation. `seed` decides everything that is not decided here."""

    seed: str
    shape: Shape
    steps: tuple[Step, ...]
    faults: tuple[Fault, ...]


def planned(seed: str, count: int) -> Plan:
    """The plan of a seed, with this many steps."""
    chance = Random(f"{seed}/plan")
    shape = _shape(chance)
    steps = _steps(chance, count)
    calm = chance.random() < 0.1
    faults = () if calm else _faults(chance, shape.instances, steps[-1].at, count)
    return Plan(seed, shape, steps, faults)


def _shape(chance: Random) -> Shape:
    return Shape(
        instances=chance.choice((1, 2, 2, 3, 3, 3)),
        notified=chance.random() < 0.7,
        match_memory=chance.choice((20_000, 200_000, 2**29)),
        most_unfolded=chance.choice((2, 20, 128)),
        most_a_transaction=chance.choice((3, 256)),
        most_deadlines=chance.choice((1, 256)),
    )


def _steps(chance: Random, count: int) -> tuple[Step, ...]:
    kinds: tuple[StepKind, ...] = get_args(StepKind)
    weights = [WEIGHTS[kind] for kind in kinds]
    steps, at = [], 0
    for number in range(count):
        at += round(chance.expovariate(1 / PACE_MICROSECONDS))
        if chance.random() < PAUSES:
            at += chance.randrange(PAUSE_MICROSECONDS)
        first = number < len(FIRST_STEPS)
        kind = FIRST_STEPS[number] if first else chance.choices(kinds, weights)[0]
        steps.append(Step(number, at, kind))
    return tuple(steps)


def _faults(chance: Random, instances: int, end: int, steps: int) -> tuple[Fault, ...]:
    """Faults of a few kinds: few kinds together are found out more easily than all at once."""
    kinds = chance.sample(FAULT_KINDS, chance.randint(1, 6))
    return tuple(
        Fault(
            at=chance.randrange(end + 1),
            kind=(kind := chance.choice(kinds)),
            instance=chance.randrange(instances),
            length=chance.randint(0, LONGEST.get(kind, USUAL_LENGTH)),
            odds=chance.choice((0.1, 0.5, 1.0)),
        )
        for _ in range(max(2, steps // STEPS_A_FAULT))
    )
