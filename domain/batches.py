"""Batches: each is one input and its consequences (RULINGS §1)."""

from collections.abc import Iterable, Iterator

from domain.events import Event
from domain.match_events import is_input


def batch_starts(events: Iterable[Event]) -> Iterator[int]:
    """The index of each input among events that follow one another."""
    before: Event | None = None
    for index, event in enumerate(events):
        if is_input(event, before):
            yield index
        before = event
