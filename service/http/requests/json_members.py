"""JSON in which a member of an object stands twice. What it means depends on who reads it
(RFC 8259, section 4), so it is no JSON to us.
"""

from collections.abc import Iterator
from json import JSONDecoder
from typing import Any


class SentTwice(ValueError):
    """A member of an object stands there twice; `pointer` is where (RFC 6901)."""

    def __init__(self, pointer: str) -> None:
        super().__init__("a member stands twice in an object")
        self.pointer = pointer


class _Members(list[tuple[str, Any]]):
    """The members of an object, in order."""


# Numbers are not read: only names matter.
_decoder = JSONDecoder(
    object_pairs_hook=_Members, parse_int=len, parse_float=len, parse_constant=len, strict=False
)


def check_members(text: bytes) -> None:
    """Raises SentTwice for JSON with a member that stands twice in its object. It must be JSON."""
    if text.count(b":") < 2:
        return
    waiting: list[tuple[str, Any]] = [("", _decoder.decode(text.decode()))]
    while waiting:
        pointer, value = waiting.pop()
        names = set[str]()
        for name, member in _members(value):
            below = f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}"
            if name in names:
                raise SentTwice(below)
            names.add(name)
            if isinstance(member, list):
                waiting.append((below, member))


def _members(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, _Members):
        yield from value
    elif isinstance(value, list):
        yield from ((str(n), item) for n, item in enumerate(value))
