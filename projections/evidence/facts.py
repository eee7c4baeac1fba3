"""Which events someone means who asks about a fact: by number, or in words."""

from collections.abc import Sequence
from typing import Any

from projections.audience.event_numbers import public_number
from projections.audience.lines import data_of
from projections.evidence.timeline import TimelineEntry
from projections.texts.plain_text import Names


def found(entries: Sequence[TimelineEntry], asked: str, names: Names) -> list[TimelineEntry]:
    """The events that are meant. A whole number is that of the event on this time line, and `p6`
    means the public's event 6. Otherwise each word must be found in the event: `name=value` as a
    field of it, where a player's name stands for the seat; any other word in its stored name, in
    who did it, or in what happened."""
    if asked.isdecimal():
        return [entry for entry in entries if str(entry.number) == asked]
    if (public := public_number(asked)) is not None:
        return [entry for entry in entries if entry.public_seq == public]
    words = asked.casefold().split()
    return [
        entry
        for entry in entries
        if words and not entry.housekeeping and all(_says(entry, word, names) for word in words)
    ]


def _says(entry: TimelineEntry, word: str, names: Names) -> bool:
    if entry.record is None:
        return False
    name, equals, value = word.partition("=")
    if equals and name:
        return _has(data_of(entry.record.event), name, value, names)
    text = f"{entry.type} {entry.actor} {entry.what}".casefold()
    return word in text or word.replace("-", " ") in text


def _has(data: Any, name: str, value: str, names: Names) -> bool:
    """Whether there is a field of this name and value, at any depth."""
    inside: list[Any] = [data]
    while inside:
        one = inside.pop()
        if isinstance(one, dict):
            if any(str(key).casefold() == name and _is(one[key], value, names) for key in one):
                return True
            inside += one.values()
        elif isinstance(one, list | tuple):
            inside += one
    return False


def _is(found: Any, value: str, names: Names) -> bool:
    if isinstance(found, bool) or found is None:
        return str(found).casefold() == value or (found is None and value == "null")
    seated = type(found) is int and 0 <= found < len(names) and names[found].casefold() == value
    return seated or str(found).casefold() == value
