"""Time as the rules see it: they name a deadline, and the service reports when it has passed."""

from msgspec import Struct

from domain.events import later

SECOND = 1_000_000
HOUR = 3600 * SECOND
DAY = 24 * HOUR

UNSEEN = 10 * SECOND
"""Maximum time between the beginning of an absence, the last heartbeat, and the last judgement
before it. The beginning is public, so it must not depend on a record that may be hidden."""

APART = SECOND
"""Maximum difference between two clocks that count as right."""


class After(Struct, frozen=True):
    """A deadline `seconds` after it was set."""

    seconds: int


class TimeOfDay(Struct, frozen=True):
    """The first time `utc` ("14:00") that is at least `hours` away."""

    hours: int
    utc: str


Wait = After | TimeOfDay


class Deadline(Struct, frozen=True):
    """When the match goes on without those it waits for.

    A deadline with the id of the one in force is the same deadline and keeps its instant. Without
    `wait` it is never armed, but a moderator may still close its phase by hand.
    """

    id: str
    wait: Wait | None = None


class Absence(Struct, frozen=True):
    """A time in which no one could reach the service, in microseconds since 1970: from the last
    heartbeat until an instance served again."""

    begun: int
    ended: int


def after(phase: str, seconds: int | None) -> Deadline | None:
    """The deadline of a phase after some seconds; without seconds there is none."""
    return None if seconds is None else Deadline(phase, After(seconds))


def due(wait: Wait, since: int) -> int:
    """The instant, in microseconds, at which a wait begun at `since` is over."""
    if isinstance(wait, After):
        return later(since, wait.seconds * SECOND)
    earliest = since + wait.hours * HOUR
    hours, minutes = wait.utc.split(":")
    at = earliest - earliest % DAY + int(hours) * HOUR + int(minutes) * 60 * SECOND
    return later(at, 0 if at >= earliest else DAY)


def due_after(wait: Wait, counted_from: int, now: int) -> int:
    """The instant, after `now`, at which a wait begun now is over.

    A time of day is counted from an earlier instant, so it stays as it was whatever moved the
    deadline before it; a wait that would be over before it began is counted from `now`, since
    no one could act in it. Seconds are always counted from `now`: they are not shortened.
    """
    at = due(wait, counted_from)
    return at if isinstance(wait, TimeOfDay) and at > now else due(wait, now)
