"""The time at which the clock of an instance begins: not before what is on record."""

from collections.abc import Callable

from eventsourcing.persistence import PersistenceError

from service.clock import Clock
from service.cluster.clock_agreement import CLOCKS_APART
from service.event_store.store import Store
from service.observability import logs
from service.observability.store_faults import fault_of


class RecordAhead(logs.OperatorError):
    """The record has an event with a time in the future."""


def start_after_record(
    clock: Clock, store: Store, database_ahead: Callable[[], int] | None
) -> None:
    """Starts the clock after the latest recorded time. Where the database has a clock, it goes no
    further ahead than that allows: one instance's wrong time must not spread to the others.
    Blocks."""
    try:
        latest = store.latest()
    except PersistenceError as error:
        if fault_of(error) != "corrupt":
            raise
        # It serves what can be read. Within a match no time is earlier than the one before.
        logs.failure("store_failed", error)
        return
    if latest is None:
        return
    now = clock.now()
    seconds = (latest - now) / 1e6
    if database_ahead is not None:
        latest = min(latest, now + database_ahead() + CLOCKS_APART)
    clock.not_before(latest)
    if seconds * 1e6 >= CLOCKS_APART:
        ahead_at_start = max(0.0, (latest - now) / 1e6)
        logs.failure(
            "record_ahead_of_clock",
            RecordAhead(
                f"the record is {seconds:.0f} s ahead of this machine's clock;"
                f" the service begins {ahead_at_start:.0f} s ahead"
            ),
        )
