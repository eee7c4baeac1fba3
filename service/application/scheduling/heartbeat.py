"""Heartbeat: the store knows until when it was served, and so for how long no one could reach it.

An instance that has not written a heartbeat for longer than the grace judges nothing before it has
written another one: it may have been cut off from the store, or suspended with its machine. With
each heartbeat it learns of every absence that any instance has found.
"""

from collections.abc import Callable
from functools import partial
from threading import Lock

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from domain.match.deadlines import SECOND, UNSEEN, Absence
from service.clock import Clock
from service.event_store.properties import Properties
from service.event_store.store_threads import in_store_thread
from service.observability import logs

BEAT_SECONDS = 5.0
"""Maximum seconds between two heartbeats."""

BEATS_A_GRACE = 3
"""Minimum heartbeats in one grace, so that a late one is no absence."""

MOST_ABSENCES = 100
"""Maximum number of absences that are remembered. A deadline is moved soon after each, so only
those of the last moment matter, unless the leader can move none for a hundred absences."""

SETTLED_SECONDS = 3600
"""Seconds for which an absence is remembered after all deadlines were moved. A commit that the
store had not confirmed may show up later."""

PROPERTY = "heartbeat"


class Heartbeat(Struct, frozen=True):
    """When the store was last served, and the absences before; up to the instant `moved` all
    deadlines have been moved. In microseconds since 1970."""

    at: int
    absences: tuple[Absence, ...] = ()
    moved: int = 0


_decoder = msgspec.msgpack.Decoder(Heartbeat)
_encode = msgspec.msgpack.Encoder().encode


class ServiceAway(logs.OperatorError):
    """No one could reach the service for a time."""


class Presence:
    """The presence of one instance, and what the store knows of all.

    `grace` is the longest absence, in microseconds, for which no one's deadline is moved.
    `database_ahead` gives by how much the database's clock is
    ahead of `clock`: several instances count in the database's time. `uptime` is a clock in
    nanoseconds that no one can set and that runs while the machine is suspended.
    """

    def __init__(
        self,
        properties: Properties,
        clock: Clock,
        grace: int,
        database_ahead: Callable[[], int] | None,
        uptime: Callable[[], int],
    ) -> None:
        self._properties = properties
        self._clock = clock
        self._grace = grace
        self._database_ahead = database_ahead or (lambda: 0)
        self._uptime = uptime
        self._lock = Lock()
        self._beaten: tuple[int, int] | None = None
        """When it was written last: the uptime, and how far the clock was set forward."""
        self._heartbeat = Heartbeat(0)

    @property
    def interval(self) -> float:
        """Seconds between two heartbeats."""
        return min(BEAT_SECONDS, self._grace / SECOND / BEATS_A_GRACE)

    @property
    def confirmed(self) -> bool:
        """Whether the last heartbeat is recent enough that this instance knows every absence, by
        the steady clock and by the one whose time is put on record."""
        if self._beaten is None:
            return False
        uptime, forward = self._beaten
        further = max(0, self._clock.set_forward() - forward)
        elapsed = (self._uptime() - uptime) // 1000 + further
        return elapsed <= min(self._grace, UNSEEN)

    @property
    def absences(self) -> tuple[Absence, ...]:
        """The absences by which a deadline may still have to be moved, in order."""
        return self._heartbeat.absences

    @property
    def away(self) -> int:
        """The length of those absences together, in microseconds: of about the last hour, and of
        those by which the deadlines have not been moved yet."""
        return sum(absence.ended - absence.begun for absence in self._heartbeat.absences)

    @property
    def unmoved(self) -> int | None:
        """The end of the last absence, if deadlines may still have to be moved by it."""
        absences = self._heartbeat.absences
        last = absences[-1].ended if absences else 0
        return last if last > self._heartbeat.moved else None

    async def confirm(self) -> None:
        """Returns when this instance knows every absence. Raises StoreUnavailable, or the store's
        own errors."""
        if not self.confirmed:
            await in_store_thread(self.beat)

    def beat(self) -> None:
        """Writes a heartbeat, and an absence if this one ends it. Blocks."""
        with self._lock:
            beaten, was_confirmed = (self._uptime(), self._clock.set_forward()), self.confirmed
            now = self._clock.now() + self._database_ahead()
            heartbeat = self._change(partial(self._beat, now, was_confirmed))
            self._beaten = beaten
        if heartbeat.absences and heartbeat.absences[-1].ended == now:
            away = heartbeat.absences[-1]
            seconds = (away.ended - away.begun) / SECOND
            message = (
                f"nobody could reach the service for {seconds:.0f} s; deadlines are moved by it"
            )
            logs.failure("service_was_away", ServiceAway(message))

    def leave(self) -> None:
        """Writes a last heartbeat, if the store answers: until now it was served. Blocks."""
        if self.confirmed:
            self.try_to_beat()

    def try_to_beat(self) -> None:
        """Writes a heartbeat if the store accepts it; if not, nothing is judged before it does.
        Blocks."""
        try:
            self.beat()
        except Exception as error:  # noqa: BLE001  what needs it tries again
            logs.failure("heartbeat_not_written", error)

    def moved(self, upto: int) -> None:
        """Notes that all deadlines have been moved by the absences up to this instant. Blocks."""
        with self._lock:
            self._change(lambda heartbeat: replace(heartbeat, moved=max(heartbeat.moved, upto)))

    def _change(self, change: Callable[[Heartbeat], Heartbeat]) -> Heartbeat:
        def encode_next(state: bytes | None) -> bytes:
            return _encode(change(Heartbeat(0) if state is None else _decoder.decode(state)))

        self._heartbeat = _decoder.decode(self._properties.change(PROPERTY, encode_next))
        return self._heartbeat

    def _beat(self, now: int, was_confirmed: bool, heartbeat: Heartbeat) -> Heartbeat:
        """What is known after a heartbeat; `was_confirmed` if this instance's last was recent."""
        recent = tuple(
            absence
            for absence in heartbeat.absences
            if absence.ended > heartbeat.moved or now - absence.ended < SETTLED_SECONDS * SECOND
        )
        away = None if was_confirmed else self._absence(now, heartbeat)
        absences = recent if away is None else (*recent, away)
        return Heartbeat(now, absences[-MOST_ABSENCES:], heartbeat.moved)

    def _absence(self, now: int, heartbeat: Heartbeat) -> Absence | None:
        """The absence that ends now, if it is longer than the grace.

        It begins at the last heartbeat, even if something was recorded in the seconds after it:
        everyone sees the absence, and what was recorded may be hidden. A store without a heartbeat
        was served by a release that wrote none: nothing is known of its absence.
        """
        ends = [absence.ended for absence in heartbeat.absences[-1:]]
        start = max([heartbeat.at, *ends])
        away = heartbeat.at > 0 and now - start > self._grace
        return Absence(start, now) if away else None
