"""What msgspec has to know of a type before it decodes one."""

from collections.abc import Iterable
from typing import Any

import msgspec


def warm_up(types: Iterable[Any]) -> None:
    """Has msgspec look at these types now. By itself it does so at their first use; a second thread
    that uses one meanwhile finds it half looked at, and the process dies (msgspec 0.22)."""
    for one in types:
        msgspec.msgpack.Decoder(one)
