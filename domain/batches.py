"""Batches: each is one input and its consequences (RULINGS §1)."""

from collections.abc import Iterable, Iterator
from itertools import chain, pairwise

from domain.events import Event
from domain.match_events import Directed, is_input
from domain.ruling_events import RulingConsented


def batch_starts(events: Iterable[Event]) -> Iterator[int]:
    """The index of each input among events that follow one another.

    A ruling right behind a consent is one that all seats have consented to, unless somebody
    directed it.
    """
    before: Event | None = None
    for index, (event, behind) in enumerate(pairwise(chain(events, [None]))):
        assert event is not None, "only the last one is followed by nothing"
        directed = isinstance(before, RulingConsented) and isinstance(behind, Directed)
        if directed or is_input(event, before):
            yield index
        before = event
