"""Batches: each is one input and its consequences, and every record says how far back its input
stands (/docs/evidence-format#records). What follows from an input that a ruling gives again follows
from the ruling.
"""

from collections.abc import Iterable, Iterator, Sequence

from domain.events import Event, Numbered, Record


def batch(events: Iterable[Event], at: int, behind: int = 0) -> list[Record[Event]]:
    """The records of what was recorded at one instant, `behind` records after the input that it
    follows from; by default the first event is the input itself."""
    return [Record(at, back, event) for back, event in enumerate(events, behind)]


def batch_starts(records: Iterable[Record[Event]]) -> Iterator[int]:
    """The index of each input among records that follow one another."""
    return (index for index, record in enumerate(records) if record.back == 0)


def batches(records: Iterable[Record[Event]]) -> Iterator[list[Record[Event]]]:
    """The records by their batches, in order."""
    found: list[Record[Event]] = []
    for record in records:
        if record.back == 0 and found:
            yield found
            found = []
        found.append(record)
    if found:
        yield found


def numbered(records: Sequence[Record[Event]]) -> list[Numbered]:
    """The records of a whole match, by their positions."""
    return [Numbered(n, n - record.back, record) for n, record in enumerate(records, 1)]
