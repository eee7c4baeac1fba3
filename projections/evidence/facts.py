"""Which events someone means who asks about a fact: by number, or in words."""

from collections.abc import Sequence
from typing import Any

from projections.audience.event_numbers import public_number
from projections.audience.lines import data_of
from projections.evidence.timeline import TimelineEntry
from projections.texts.plain_text import Names


def find_entries(entries: Sequence[TimelineEntry], query: str, names: Names) -> list[TimelineEntry]:
    """The events that are meant. A whole number is that of the event on this time line, and `p6`
    means the public's event 6. Otherwise each word must be found in the event: `name=value` as a
    field of it, where a player's name stands for the seat; any other word in its stored name, in
    who did it, or in what happened."""
    if query.isdecimal():
        return [entry for entry in entries if str(entry.number) == query]
    if (public := public_number(query)) is not None:
        return [entry for entry in entries if entry.public_seq == public]
    words = query.casefold().split()
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
        value_here = inside.pop()
        if isinstance(value_here, dict):
            if any(
                str(key).casefold() == name and _is(value_here[key], value, names)
                for key in value_here
            ):
                return True
            inside += value_here.values()
        elif isinstance(value_here, list | tuple):
            inside += value_here
    return False


def _is(content: Any, value: str, names: Names) -> bool:
    if isinstance(content, bool) or content is None:
        return str(content).casefold() == value or (content is None and value == "null")
    is_player = (
        type(content) is int and 0 <= content < len(names) and names[content].casefold() == value
    )
    return is_player or str(content).casefold() == value
