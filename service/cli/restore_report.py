"""After a restore or copy: builds the lists, checks the signed logs, and prints a report."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

from msgspec.structs import replace

from service.application.migration import require_known_format
from service.checking.signed import SAMPLE, check_signed
from service.cli.console import out
from service.cli.options import opened_store
from service.cli.progress import progress_bar
from service.event_store.copy import Step, Sums
from service.event_store.dump import KEYRINGS, LOG, SECRETS
from service.read_models.index import open_index
from service.settings import Settings

SECONDS = "86400"
"""Time limit of a database statement, which may have to read the whole log."""

MILLION = 1_000_000


def build_lists_and_check(chosen: Settings, every: bool) -> None:
    """Builds the lists from a copied log, and checks the log against its signed checkpoints: all
    matches if `every`, else a sample.

    Raises PersistenceErrors; NewerStore if the store is in a format that this release does not
    know."""
    slow = replace(chosen, store={"POSTGRES_STATEMENT_TIMEOUT": SECONDS, **chosen.store})
    require_known_format(slow.store)
    with opened_store(slow) as store:
        index = open_index(store)
        with closing(index), progress_bar() as progress:
            task = progress.add_task("building the lists", total=store.end())
            index.rebuild(lambda done, end: progress.update(task, completed=done, total=end))
        with progress_bar() as progress:
            task = progress.add_task("checking signed logs", total=None)
            count = check_signed(slow.store, every=every, on_checked=lambda: progress.advance(task))
    which = "all of them" if every or count < SAMPLE else "a sample; --verify-all checks all"
    out.print(f"{count:,} logs extend their signed checkpoints ({which})")


@contextmanager
def copy_progress(rows: int) -> Iterator[Callable[[Step, int], None]]:
    """Shows how many of the rows have been copied, and read again."""
    steps: tuple[Step, ...] = ("copying", "reading again")
    with progress_bar() as bar:
        tasks = {step: bar.add_task(step, total=rows, visible=False, start=False) for step in steps}

        def progress(step: Step, more: int) -> None:
            bar.start_task(tasks[step])
            bar.update(tasks[step], advance=more, visible=True)

        yield progress


def describe(sums: Sums) -> str:
    """The number of events, secrets and keys in a store, for people."""
    return (
        f"{sums[LOG].rows:,} events, {sums[SECRETS].rows:,} secrets and {sums[KEYRINGS].rows:,} "
        "entries of keys and requests"
    )


def print_sums(sums: Sums, seconds: float) -> None:
    """Prints what was copied, and how fast."""
    rows = sum(one.rows for one in sums.values())
    size = sum(one.bytes for one in sums.values())
    out.print(f"{describe(sums)}, {size / MILLION:,.1f} MB: read again, identical", soft_wrap=True)
    out.print(
        f"{seconds:,.1f} s, {rows / seconds:,.0f} rows and {size / MILLION / seconds:,.1f} MB a "
        f"second; hash of the log {sums[LOG].sha256}",
        soft_wrap=True,
    )
