"""What takes long to make, few ask for, and never changes: it is made when it is first used."""

from collections.abc import Callable
from functools import cache, wraps
from threading import Lock
from typing import ParamSpec, TypeVar, cast

Given = ParamSpec("Given")
Made = TypeVar("Made")


def made_at_first_use(make: Callable[Given, Made]) -> Callable[Given, Made]:
    """Makes it once for all threads, for each argument; who asks meanwhile waits. Blocks."""
    lock, make_once = Lock(), cast(Callable[Given, Made], cache(make))

    @wraps(make)
    def use(*arguments: Given.args, **keywords: Given.kwargs) -> Made:
        with lock:
            return make_once(*arguments, **keywords)

    return use
