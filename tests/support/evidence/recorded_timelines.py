"""Timelines of the recorded matches, their audiences, and who may see what."""

from collections.abc import Sequence
from functools import cache

from domain.events import Event, Record
from domain.match.events import MatchCreated
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from projections.evidence.timeline import TimelineEntry, shown_whole, timeline
from tests.recorded.files import recorded, records

NAMES = recorded()


def entries_of(played: Sequence[Record[Event]]) -> list[TimelineEntry]:
    return timeline(shown_whole(played))


@cache
def whole(name: str) -> list[TimelineEntry]:
    """The timeline of a recorded match."""
    return entries_of(records(name))


def audiences(played: Sequence[Record[Event]]) -> list[Viewer]:
    created = played[0].event
    assert isinstance(created, MatchCreated)
    return [PUBLIC_VIEWER, MODERATOR, *range(created.seats)]


def can_see(viewer: Viewer, event: Event) -> bool:
    """Who may see what, restated independently."""
    if viewer == "moderator":
        return True
    return event.audience == "public" or (
        event.audience == "own seat" and getattr(event, "seat") == viewer  # noqa: B009
    )
