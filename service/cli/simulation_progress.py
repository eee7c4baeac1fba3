"""The progress of `arbiter simulate`: a bar on a terminal, and elsewhere a line now and then."""

from collections.abc import Callable, Sequence
from time import perf_counter

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from service.cli.console import err
from service.cli.simulation import Simulated

LINE_SECONDS = 10.0
"""Seconds between two lines, as far as matches end meanwhile."""


def bar() -> Progress:
    """The bar; nothing where there is no terminal."""
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=err,
        disable=not err.is_terminal,
    )


class PlainLines:
    """Lines on standard error: matches, inputs (steps) and broken invariants (faults) so far.
    `now` is a clock in seconds."""

    def __init__(self, name: str, total: int, now: Callable[[], float] = perf_counter) -> None:
        self._name, self._total, self._now = name, total, now
        self._matches = self._steps = self._faults = 0
        self._began = self._printed = now()

    def add(self, played: Sequence[Simulated]) -> None:
        """Counts matches that have ended, and prints a line if it is time, and no terminal."""
        self._matches += len(played)
        self._steps += sum(match.inputs for match in played)
        self._faults += sum(len(match.broken) for match in played)
        if err.is_terminal or self._now() - self._printed < LINE_SECONDS:
            return
        self._printed = self._now()
        a_second = self._steps / (self._printed - self._began)
        err.print(
            f"{self._name}: {self._matches:,} of {self._total:,} matches, {self._steps:,} steps,"
            f" {a_second:,.0f} steps/s, {self._faults:,} faults so far",
            soft_wrap=True,
        )
