"""How often tests repeat what is random or breaks things: little in `make test`, more in CI, and in
`make long` as much as finds the rare.

`ARBITER_EFFORT` is `test`, `ci` or `long`. `ARBITER_SEED` repeats the choices of a run, though not
its timing.
"""

import os
import random

LEVEL = ("test", "ci", "long").index(os.environ.get("ARBITER_EFFORT", "test"))
SEED = int(os.environ.get("ARBITER_SEED", "0")) or random.SystemRandom().getrandbits(32)

TIMES = {
    "bundles": (200, 400, 1_000),
    "changes of inputs": (12, 300, 10_000),
    "deaths of a redis": (3, 5, 100),
    "deaths of a server": (2, 6, 200),
    "deaths of a store": (2, 4, 50),
    "deaths of workers": (3, 6, 200),
    "deaths while notices are sent": (1, 1, 33),
    "draws": (5_000, 20_000, 100_000),
    "draws in the browser": (3_000, 20_000, 100_000),
    "edits of a bundle": (100, 300, 10_000),
    "every byte": (0, 0, 1),
    "every call": (0, 0, 1),
    "every cell": (0, 1, 1),
    "every step": (0, 0, 1),
    "faults of a disk": (1, 2, 50),
    "followers": (160, 160, 1_000),
    "fuzz": (1, 7, 70),
    "power failures": (20, 40, 500),
    "requests of an operation": (3, 25, 750),
    "matches": (10, 50, 1_000),
    "matches of a machine": (4, 50, 1_000),
    "rewound histories": (100, 500, 10_000),
    "seconds of a soak": (120, 120, 3_600),
    "tournaments computed again": (8, 40, 400),
    "values": (300, 1_000, 3_000),
    "watchers": (100, 300, 2_000),
    "worlds": (6, 50, 500),
}
"""By what is repeated: how often in `make test`, in CI, in `make long`. 0 is a few, 1 is all."""


def times(repeated: str) -> int:
    """How often it is repeated. The tests of a module that asks are part of `make long`."""
    return TIMES[repeated][LEVEL]


def new_chance() -> random.Random:
    """The choices of this run; its seed is shown if the test fails."""
    print(f"ARBITER_SEED={SEED}")  # noqa: T201
    return random.Random(SEED)
