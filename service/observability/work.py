"""Work: what a request costs the service, besides being asked and answered.

It is counted in microseconds of a worker by fixed prices, and not measured: what is counted depends
on what the client has sent and on what they may see, never on how busy the service is, on what is
in memory, or on what is hidden from them.
"""

from collections.abc import Callable
from contextvars import ContextVar

REQUEST = 3_000
"""The work that a request may take; one that takes more counts as several. So the default rates
leave a key 6,000 x 3 ms a minute, 0.3 of a worker, and an address a fifth of that."""

EVENT_READ = 15
"""An event of the reader's own is read from the store, decoded and folded."""

EVENT_TOLD = 60
"""An event is made a line of a time line, with its sentence and its draw."""

EVENT_KNOWN = 120
"""It is found out who could know an event, and from when."""

MATCH_TOLD = 15
"""A match of a tournament is told, with what came of it."""

LIST_READ = 300
"""A list of a match is looked up in the store, for a list across its tournament."""

EVENT_PROVEN = 42
"""An event is hashed, committed to and opened in a bundle, with its receipt if it has one."""

RECEIPT_SIGNED = 70

KIB_RECEIVED = 130
"""A body is read, decoded, and what is wrong with it found."""

FRAME_RECEIVED = 20
"""A part of a body arrives by itself."""

KIB_SENT = 10
FRAME_SENT = 5
"""A part of an answer is sent by itself, such as a line of a stream."""

KIB_OF_PAGE = 50
"""A page for people is filled in, unless it has not changed: half of what that takes."""

PICTURE_DRAWN = 400
"""A board is drawn as SVG."""

PICTURE_PAINTED = 15_000
"""A drawn board is painted as PNG."""


class Work:
    """The work of one request. `charge` is called with as many requests as it has become worth
    besides the one that it is, as soon as it has."""

    __slots__ = ("_charge", "_charged", "spent")

    def __init__(self, charge: Callable[[int], None]) -> None:
        self._charge = charge
        self._charged = 0
        self.spent = 0

    def spend(self, price: int, amount: float = 1) -> None:
        """Counts work of this price, so many times."""
        self.spent += int(price * amount)
        more = self.spent // REQUEST - self._charged
        if more > 0:
            self._charged += more
            self._charge(more)


_of_request: ContextVar[Work | None] = ContextVar("work", default=None)


def begin(work: Work) -> None:
    """From now on what this request does is counted as this work."""
    _of_request.set(work)


def spend(price: int, amount: float = 1) -> None:
    """Counts work of the request that is being answered, if it is counted. It is called before the
    work is done."""
    work = _of_request.get()
    if work is not None:
        work.spend(price, amount)
