"""`make mutants`: the share of small changes to the code that its tests notice, as a table; the
exit status is not 0 if a file is below the target. `make mutants MODULES="merkle notes"` measures
these alone, `SAMPLE=` so many mutants of each (0: all), drawn by `SEED=`."""

import argparse
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from queue import SimpleQueue
from random import Random
from tempfile import TemporaryDirectory

from msgspec import Struct
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from tests.mutants.equivalents import listed, without_equivalents
from tests.mutants.mutants import Mutant, mutants
from tests.mutants.subjects import SUBJECTS, Subject
from tests.mutants.trials import COPIED, Laboratory

ROOT = Path(__file__).parents[2]
TARGET = 95
"""Per cent of the mutants of a file that its tests must kill."""

out = Console(width=None if sys.stdout.isatty() else 110, highlight=False)


class Sampled(Struct, frozen=True):
    """The mutants of a subject: how many there are, how many of them mean the same as the code, and
    those that are tried."""

    made: int
    equivalent: int
    tried: list[Mutant]


class Score(Struct, frozen=True):
    """What became of the sampled mutants of a subject."""

    sampled: Sampled
    survivors: list[Mutant]

    @property
    def killed(self) -> int:
        return len(self.sampled.tried) - len(self.survivors)

    @property
    def met(self) -> bool:
        return 100 * self.killed >= TARGET * len(self.sampled.tried)


def sampled(name: str, subject: Subject, size: int, seed: int) -> Sampled:
    """`size` mutants of a subject, or all if it is 0 or there are fewer; the same for one seed."""
    made = mutants(subject.file, (ROOT / subject.file).read_bytes())
    left = without_equivalents(subject.file, made, listed())
    chosen = Random(f"{seed} {name}").sample(left, size) if 0 < size < len(left) else left
    return Sampled(len(made), len(made) - len(left), chosen)


def measure(
    subject: Subject,
    sample: Sampled,
    laboratories: list[Laboratory],
    on_trial: Callable[[], None],
) -> Score:
    """Tries each mutant, as many at once as there are copies of the code."""
    free: SimpleQueue[Laboratory] = SimpleQueue()
    for laboratory in laboratories:
        free.put(laboratory)
    seconds = laboratories[0].seconds_needed(subject.tests)

    def survives(mutant: Mutant) -> bool:
        laboratory = free.get()
        try:
            return laboratory.survives(mutant.file, mutant.source, subject.tests, seconds)
        finally:
            free.put(laboratory)
            on_trial()

    with ThreadPoolExecutor(len(laboratories)) as pool:
        survived = list(pool.map(survives, sample.tried))
    return Score(sample, [m for m, alive in zip(sample.tried, survived, strict=True) if alive])


def table(scores: dict[str, Score]) -> Table:
    """A row for each subject."""
    columns = ("file", "mutants", "equivalent", "tried", "killed", "survived", "score", "")
    made = Table(*columns, title=f"target: {TARGET} %")
    for name, score in scores.items():
        tried = len(score.sampled.tried)
        counts = (score.sampled.made, score.sampled.equivalent, tried, score.killed)
        share = f"{100 * score.killed / tried:.1f} %"
        mark = "[green]met[/]" if score.met else "[red]missed[/]"
        made.add_row(name, *map(str, (*counts, len(score.survivors))), share, mark)
    return made


def main(names: list[str], size: int, seed: int, processes: int) -> int:
    """Measures and prints; no names: every subject."""
    subjects = {name: SUBJECTS[name] for name in names or SUBJECTS}
    samples = {name: sampled(name, each, size, seed) for name, each in subjects.items()}
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    scores = {}
    with ExitStack() as stack:
        copies = list(laboratories(stack, processes))
        bar = stack.enter_context(Progress(*columns, TimeRemainingColumn(), console=out))
        task = bar.add_task("", total=sum(len(sample.tried) for sample in samples.values()))
        for name, subject in subjects.items():
            bar.update(task, description=name)
            scores[name] = measure(subject, samples[name], copies, lambda: bar.advance(task))
            for survivor in scores[name].survivors:
                out.print(str(survivor), markup=False)
    out.print(table(scores))
    return int(not all(score.met for score in scores.values()))


def laboratories(stack: ExitStack, count: int) -> Iterator[Laboratory]:
    """Copies of the code, which are deleted with the stack."""
    for _ in range(count):
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="mutants-")))
        yield Laboratory(ROOT, folder, COPIED)


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(prog="tests.mutants", description=__doc__)
    arguments.add_argument("names", nargs="*", help=", ".join(SUBJECTS))
    arguments.add_argument("--sample", type=int, default=60, help="mutants a file; 0: all")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--processes", type=int, default=2)
    chosen = arguments.parse_args()
    if unknown := set(chosen.names) - set(SUBJECTS):
        arguments.error(f"no such file: {', '.join(sorted(unknown))}")
    sys.exit(main(chosen.names, chosen.sample, chosen.seed, chosen.processes))
