"""The interpreter as the server sets it, for what is measured without a server."""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from service.server.web_server import SWITCH_SECONDS


@contextmanager
def settled() -> Iterator[None]:
    """Garbage collection as the server sets it: existing objects are not collected again and
    again."""
    thresholds = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)
        gc.unfreeze()


@contextmanager
def as_served() -> Iterator[None]:
    """The interpreter as the server sets it: next to that, threads take turns of 0.2 ms."""
    turn = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_SECONDS)
    try:
        with settled():
            yield
    finally:
        sys.setswitchinterval(turn)
