"""What signals do before a command has handlers of its own, and where it has none."""

import os
import signal
import sys
from types import FrameType


def _end(number: int, _frame: FrameType | None) -> None:
    """Ends the process at once, as the signal does wherever the system has its way: what was
    acknowledged is on disk."""
    os._exit(128 + number)


if os.getpid() == 1:
    # The system ignores what process 1, as the first of a container, has no handler for.
    signal.signal(signal.SIGTERM, _end)

if sys.argv[1:2] == ["serve"]:
    # Nothing is read anew while the service runs. Worker processes inherit this.
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
