"""What takes long to make, few ask for, and never changes: it is made when it is first used."""

from collections.abc import Callable
from functools import cache, wraps
from threading import Lock
from typing import TypeVar

Made = TypeVar("Made")


def made_at_first_use(make: Callable[[], Made]) -> Callable[[], Made]:
    """Makes it once for all threads; who asks meanwhile waits. Blocks."""
    lock, made = Lock(), cache(make)

    @wraps(make)
    def use() -> Made:
        with lock:
            return made()

    return use
