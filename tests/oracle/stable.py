"""Answers as lines that can be compared: each says its place in the JSON and its value, and what is
random has a name by which it is known again wherever it stands."""

import json
import re
from collections.abc import Iterator
from typing import Any

RANDOM = re.compile(
    r"(?P<key>\barb_(?:org|mod|[spmo]\d+)_(?:[0-9a-f]{32}_)?[0-9a-f]{64}\b)"
    r"|(?P<id>\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b)"
    r"|(?P<hex>\b(?=[0-9]*[a-f])(?:[0-9a-f]{64}|[0-9a-f]{32}|[0-9a-f]{16})\b)"
    r"|(?P<bytes>(?<![\w+/])(?:[\w+/]{22,}={1,2}|"
    r"(?=[\w+/-]*\d)(?=[\w+/-]*[A-Z])(?=[\w+/-]*[a-z])[\w+-][\w+/-]{21,}))"
    r"|(?P<address>http://127\.0\.0\.1:\d+)"
    r"|(?<=\.)(?P<edition>[0-9a-f]{8}-[0-9a-f]{8})(?=\\?\")"
)
UNNAMED = "address", "edition"
"""What is the same in all answers of a recording."""

WORD = re.compile(r"[a-z-]+(?= )")
"""What a line of a signed note begins with."""

PARTS = dict, list, tuple

Lines = list[str]


class Names:
    """Names for what is random, by the place where it was first seen: `<id match>`,
    `<id match 2>`."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._counts: dict[str, int] = {}

    def stable(self, line: str, place: str) -> str:
        """The line with names. `place` is where it stands."""
        if len(line) < 16:
            return line
        return RANDOM.sub(lambda found: self._name(found, place), line)

    def _name(self, found: re.Match[str], place: str) -> str:
        text, kind = found[0], found.lastgroup
        if kind in UNNAMED:
            return f"<{kind}>"
        if text not in self._names:
            first = f"{kind} {place}"
            number = self._counts[first] = self._counts.get(first, 0) + 1
            self._names[text] = f"<{first}>" if number == 1 else f"<{first} {number}>"
        return self._names[text]

    def lines(self, value: Any, place: str = "") -> Lines:
        """A JSON value, line by line."""
        return [self.stable(line, _last(where)) for where, line in flat(value, place)]


def flat(value: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """Each part of a JSON value, with its place. Elements of lists have no numbers: one more
    would change all that follow."""
    if isinstance(value, dict) and value:
        for name in sorted(value):
            yield from flat(value[name], f"{place}.{name}" if place else name)
    elif isinstance(value, list | tuple) and any(isinstance(one, PARTS) for one in value):
        for one in value:
            if isinstance(one, dict):
                yield place, f"{place}[]"
            yield from flat(one, f"{place}[]")
    elif isinstance(value, str) and "\n" in value:
        for text in value.split("\n"):
            first = WORD.match(text)
            yield f"{place}.{first[0]}" if first else place, f"{place} | {text}"
    else:
        yield place, f"{place} {json.dumps(value, ensure_ascii=False)}"


def _last(place: str) -> str:
    return place.rpartition(".")[2].removesuffix("[]").removeprefix("<")
