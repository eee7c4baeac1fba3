"""How processes of our own are started: anew, without what this one has open or locked."""

import multiprocessing
import os
from multiprocessing.context import SpawnContext


def spawn_context() -> SpawnContext:
    """The context for pools and workers. A child begins in its parent's working folder; one that
    cannot be entered (that of another user, or one that was deleted) is left for `/` first, so
    that commands need no working folder."""
    try:
        os.chdir(os.getcwd())
    except OSError:
        os.chdir("/")
    return multiprocessing.get_context("spawn")
