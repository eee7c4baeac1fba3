"""Clock watch: says at once when this machine's clock has jumped, and when it has come back. The
clock begins not before what is on record."""

from collections.abc import Callable

from eventsourcing.persistence import PersistenceError

from service.clock import Clock, SystemClock
from service.cluster.clock_agreement import CLOCKS_APART
from service.event_store.store import Store
from service.observability import logs
from service.observability.store_faults import fault_of


class ClockJump(logs.OperatorError):
    """The wall clock moved against the steady one."""


class ClockWatch:
    """Watches the clock of one instance."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._logged = False

    @property
    def jump(self) -> int:
        """By how many microseconds the wall clock has jumped and is not followed; else 0."""
        return self._clock.jump if isinstance(self._clock, SystemClock) else 0

    def compare(self) -> None:
        """Compares the clocks; the instance calls this every second."""
        self._clock.compare()
        if bool(self.jump) == self._logged:
            return
        self._logged = bool(self.jump)
        if not self._logged:
            logs.info("clock_agrees_again")
            return
        message = (
            f"this machine's clock jumped by {self.jump / 1e6:+.1f} s; deadlines run on without"
            " it: correct it, or restart the service if the new time is right"
        )
        logs.failure("clock_jumped", ClockJump(message))


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
