"""After a restore: builds the lists, judges the streams, and prints a report."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

from eventsourcing.persistence import PersistenceError
from msgspec.structs import replace

from service.application.migration import require_known_format
from service.checking.pool import check_streams
from service.cli.console import out
from service.cli.options import opened_store
from service.cli.progress import progress_bar
from service.event_store.backup.table_sums import Sums
from service.event_store.recorder import KEYRINGS, LOG, SECRETS
from service.event_store.store import Store
from service.read_models.index import Index, open_index
from service.settings import Settings

SECONDS = "86400"
"""Time limit of a database statement, which may have to read the whole log."""

MOST_NAMED = 10


class RecordsAltered(PersistenceError):
    """Some records are not as they were made."""


@contextmanager
def index_with_progress(store: Store) -> Iterator[tuple[Index, Callable[[int, int], None]]]:
    """The index of a store, and a progress bar for reading its log."""
    with closing(open_index(store)) as index, progress_bar() as bar:
        task = bar.add_task("building the lists", total=None)
        yield index, lambda done, end: bar.update(task, completed=done, total=end)


def build_lists_and_check(chosen: Settings) -> None:
    """Builds the lists from a restored log, and judges every stream as `arbiter check` does.

    Raises RecordsAltered and other PersistenceErrors; NewerStore if the store is in a format that
    this release does not know."""
    slow = replace(chosen, store={"POSTGRES_STATEMENT_TIMEOUT": SECONDS, **chosen.store})
    require_known_format(slow.store)
    # The store is closed last: what only reads it would leave its write-ahead log behind.
    with opened_store(slow) as store:
        with index_with_progress(store) as (index, progress):
            index.rebuild(progress)
        with progress_bar() as bar:
            task = bar.add_task("judging", total=store.end())
            found = check_streams(slow.store, None, lambda more: bar.update(task, advance=more))
    wrong = [*map(str, found.findings), *(f"{one.stream}: {one.text}" for one in found.unjudged)]
    if wrong:
        more = f" and {len(wrong) - MOST_NAMED} more" if len(wrong) > MOST_NAMED else ""
        raise RecordsAltered(f"damaged: {'; '.join(wrong[:MOST_NAMED])}{more}")
    out.print(f"{found.matches:,} matches and {found.tournaments:,} tournaments: nothing is wrong")


def describe(sums: Sums) -> str:
    """The number of events, secrets and keys in a store, for people."""
    return (
        f"{sums[LOG].rows:,} events, {sums[SECRETS].rows:,} secrets and {sums[KEYRINGS].rows:,} "
        "entries of keys and requests"
    )
