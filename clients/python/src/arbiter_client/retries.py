"""When something is sent again, and after how long."""

import random
from collections.abc import Callable

from msgspec import Struct

from arbiter_client.problems import Disconnected, NotSent, ProblemError

LATER = (429, 502, 503, 504)
"""Statuses that say: ask again later."""

IN_FLIGHT = "request_in_flight"
"""The same request, sent before, is still being answered."""

HOPELESS = ("operator_needed", "record_altered", "too_many_submissions", "too_much_recorded")
"""Codes of these statuses for which asking again soon does not help."""


class Retries(Struct, frozen=True):
    """How often, and how patiently, a request is repeated and a connection renewed.

    After `attempts` failures in a row the last one is raised. Pauses grow from `first` to `longest`
    seconds, with some luck, so that not all clients come back at once. `patience` is the longest
    `Retry-After` in seconds that is waited for. `on_pause` is called before each pause, with the
    failure and the seconds.
    """

    attempts: int = 10
    first: float = 0.5
    longest: float = 15.0
    patience: float = 60.0
    on_pause: Callable[[Exception, float], object] | None = None

    def pause(self, failures: int, error: Exception | None = None) -> float:
        """Seconds to wait after so many failures in a row, of which `error` is the last."""
        longest = min(self.longest, self.first * 2.0 ** (failures - 1))
        asked = error.retry_after if isinstance(error, ProblemError) else None
        return max(asked or 0.0, random.uniform(longest / 2, longest))  # noqa: S311  no secret

    def gives_up(self, failures: int, error: ProblemError | Disconnected, repeatable: bool) -> bool:
        """Whether the error is raised: it is the last of so many, or repeating does not help, or
        is not safe."""
        return failures >= self.attempts or not self._worthwhile(error, repeatable)

    def _worthwhile(self, error: ProblemError | Disconnected, repeatable: bool) -> bool:
        if isinstance(error, Disconnected):
            return repeatable or isinstance(error, NotSent)
        if error.code == IN_FLIGHT:
            return True
        if error.status not in LATER or error.code in HOPELESS:
            return False
        return (repeatable or error.status == 429) and (error.retry_after or 0) <= self.patience
