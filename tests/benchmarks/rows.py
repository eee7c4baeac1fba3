"""A row of the table: what was measured, its figure, and the target it has to meet."""

from collections.abc import Callable
from statistics import median
from time import perf_counter

from msgspec import Struct


class Row(Struct, frozen=True):
    """One figure. `met` is None where there is no target to meet."""

    what: str
    figure: str
    target: str = ""
    met: bool | None = None


def at_least(what: str, figure: float, target: float, beside: str = "") -> Row:
    """A ratio that must not fall below its target."""
    return Row(what, f"{figure:.2f}{beside}", f"≥ {target:g}", figure >= target)


def at_most(what: str, figure: float, target: float, unit: str, beside: str = "") -> Row:
    """A figure that must not rise above its target."""
    return Row(what, f"{figure:.1f} {unit}{beside}", f"≤ {target:g} {unit}", figure <= target)


def seconds(do: Callable[[], object], times: int) -> float:
    """The median of this many runs."""
    return median(once(do) for _ in range(times))


def once(do: Callable[[], object]) -> float:
    """The seconds of one run."""
    began = perf_counter()
    do()
    return perf_counter() - began
