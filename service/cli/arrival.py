"""What follows when everything in a store has been moved: a look at it, and a word about it."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

from msgspec.structs import replace
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from service.cli.options import err, opened_store, out
from service.settings import Settings
from service.storage.copying import Step, Sums
from service.storage.facts import KEYRINGS, LOG, SECRETS
from service.storage.index import open_index
from service.storage.signed import SAMPLE, check_signed

SECONDS = "86400"
"""What nobody waits for may take so long at most: a whole log is read, and little of it wanted."""

MILLION = 1_000_000


def finish(chosen: Settings, every: bool) -> None:
    """Reads the lists off a log that has just arrived, and holds that against what was signed.

    Raises PersistenceErrors."""
    patient = replace(chosen, store={"POSTGRES_STATEMENT_TIMEOUT": SECONDS, **chosen.store})
    with opened_store(patient) as store:
        index = open_index(patient.store, store.recorder)
        with closing(index), bar() as shown:
            task = shown.add_task("making the lists", total=store.end())
            index.rebuild(lambda done, end: shown.update(task, completed=done, total=end))
        with bar() as shown:
            task = shown.add_task("looking at what was signed", total=None)
            count = check_signed(store, every=every, looked=lambda: shown.advance(task))
    which = "all there are" if every or count < SAMPLE else "some; --verify-all looks at all"
    out.print(f"{count:,} logs extend what was signed of them ({which})")


def bar() -> Progress:
    """A bar for whoever watches, gone when all is done."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=err,
        transient=True,
        disable=not err.is_terminal,
    )


@contextmanager
def counting(rows: int) -> Iterator[Callable[[Step, int], None]]:
    """Shows how many of so many rows have been copied, and read again."""
    with bar() as shown:
        tasks = {
            step: shown.add_task(step, total=rows, visible=False, start=False)
            for step in ("copying", "reading again")
        }

        def progress(step: Step, more: int) -> None:
            shown.start_task(tasks[step])
            shown.update(tasks[step], advance=more, visible=True)

        yield progress


def told(sums: Sums) -> str:
    """What a store holds."""
    return (
        f"{sums[LOG].rows:,} events, {sums[SECRETS].rows:,} secrets and {sums[KEYRINGS].rows:,} "
        "entries of keys and requests"
    )


def tell(sums: Sums, seconds: float) -> None:
    """Says what has arrived, and how fast."""
    rows = sum(one.rows for one in sums.values())
    size = sum(one.bytes for one in sums.values())
    out.print(f"{told(sums)}, {size / MILLION:,.1f} MB: read again and alike", soft_wrap=True)
    out.print(
        f"{seconds:,.1f} s, {rows / seconds:,.0f} rows and {size / MILLION / seconds:,.1f} MB a "
        f"second; hash of the log {sums[LOG].sha256}",
        soft_wrap=True,
    )
