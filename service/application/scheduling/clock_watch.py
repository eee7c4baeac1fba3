"""Clock watch: says at once when this machine's clock has jumped, and follows it again when it has
come back or an operator has accepted the jump. The clock begins not before what is on record."""

import shlex
import socket
from collections.abc import Callable
from pathlib import Path

from eventsourcing.persistence import PersistenceError

from service.application.scheduling.heartbeat import Presence
from service.clock import JUMP, Clock, SystemClock
from service.cluster.clock_agreement import CLOCKS_APART, clocks_agree
from service.event_store.integrity.clock_log import ClockLog
from service.event_store.store import Store
from service.observability import logs
from service.observability.store_faults import fault_of


class ClockJump(logs.OperatorError):
    """The wall clock moved against the steady one."""


class ClockWatch:
    """Watches the clock of one instance. `database_clock` measures by how much the database's clock
    is ahead of it, if it has one. An operator names an embedded store by its `folder`. All of it
    blocks."""

    def __init__(
        self,
        clock: Clock,
        log: ClockLog,
        presence: Presence,
        database_clock: Callable[[], int] | None,
        folder: Path | None = None,
    ) -> None:
        self._clock = clock
        self.log = log
        self._presence = presence
        self._database_clock = database_clock
        self._folder = folder
        self._said: str | None = None
        self._refused = False
        self._number: int | None = None

    @property
    def jump(self) -> int:
        """By how many microseconds the wall clock has jumped and is not followed; else 0."""
        return self._clock.jump if isinstance(self._clock, SystemClock) else 0

    @property
    def remedy(self) -> str | None:
        """The command with which an operator accepts the jump; None without one. It names no path
        of the machine: everyone may see it."""
        if not self.jump:
            return None
        if self._number is None:
            return "arbiter clock list"
        return f"arbiter clock accept {self._number}"

    def compare(self) -> None:
        """Compares the clocks; the instance calls this every second."""
        self._clock.compare()
        if not isinstance(self._clock, SystemClock):
            return
        if self.jump:
            self._jumped(self._clock)
        elif self._said:
            self._agreed()

    def _jumped(self, clock: SystemClock) -> None:
        try:
            if self._number is None:
                self._number = self.log.opened(clock.now(), socket.gethostname(), self.jump, JUMP)
        finally:
            self._say()
        found = self.log.jumps()[self._number]
        if found.end is None:
            return
        same = abs(found.jumped.microseconds - self.jump) <= JUMP
        if found.end.accepted and same:
            self._accept(clock)
        else:
            # What was accepted is not what the clock shows now.
            self._number = None

    def _say(self) -> None:
        """Logs the jump, and again if it grows to another one, which has another number."""
        if self._said == self.remedy:
            return
        self._said = self.remedy
        data = "" if self._folder is None else f" --data {shlex.quote(str(self._folder))}"
        said = (
            f"this machine's clock jumped by {self.jump / 1e6:+.1f} s; deadlines run on without"
            f" it: correct it, or say `{self._said}{data}`"
        )
        logs.failure("clock_jumped", ClockJump(said))

    def _accept(self, clock: SystemClock) -> None:
        """Follows the wall clock. The time that a jump forward leaves out was no one's: deadlines
        are moved by it first."""
        jump = self.jump
        if self._database_clock is not None and not clocks_agree(self._database_clock() - jump):
            if not self._refused:
                said = "the jump was accepted, but the database's clock does not agree with it"
                logs.failure("clock_jump_not_accepted", ClockJump(said))
            self._refused = True
            return
        if jump > 0:
            self._presence.leave_out(clock.now(), jump)
        clock.accept_jump()
        self._over("clock_jump_accepted")

    def _agreed(self) -> None:
        if self._number is not None:
            self.log.agreed(self._clock.now(), self._number)
        self._over("clock_agrees_again")

    def _over(self, event: str) -> None:
        logs.info(event)
        self._said, self._refused = None, False
        self._number = None


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
