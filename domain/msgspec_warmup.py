"""Makes msgspec inspect types before they are first decoded."""

from collections.abc import Iterable
from typing import Any

import msgspec


def warm_up(types: Iterable[Any]) -> None:
    """Makes msgspec inspect these types now. By default it does so at their first use; if a second
    thread uses one meanwhile, it finds it half inspected and the process crashes (msgspec 0.22)."""
    for one in types:
        msgspec.msgpack.Decoder(one)
