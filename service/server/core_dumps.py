"""No core dumps: the memory of the service has keys and seeds in it."""

import ctypes
import os
import resource
import sys

PR_SET_DUMPABLE = 4
"""The option of prctl(2) by which a process says whether it may be dumped."""


def forbid_core_dumps() -> None:
    """Keeps this process's memory off the disk if it crashes, and on Linux also from other
    processes of its user. Its children inherit the first, and must call it for the second.

    Raises OSError if the system refuses.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
