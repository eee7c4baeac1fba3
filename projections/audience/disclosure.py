"""The audience filter: which events an audience may see."""

from typing import Literal

import msgspec
from msgspec.structs import replace

from domain.events import OWN_SEAT, PUBLIC, Event, Record, only_seat
from domain.games import rules_of
from domain.match.events import MatchCreated

PUBLIC_VIEWER: Literal["public"] = "public"
MODERATOR: Literal["moderator"] = "moderator"

Viewer = int | Literal["public", "moderator"]
"""A viewer: a seat by its number, the public, or a moderator."""


def audiences(created: MatchCreated) -> tuple[Viewer, ...]:
    """All audiences of a match: the public, the moderators and each seat."""
    return (PUBLIC_VIEWER, MODERATOR, *range(created.seats))


def may_see(viewer: Viewer, event: Event) -> bool:
    """Whether `viewer` may see `event`: everyone the public ones, a seat its own, moderators
    all."""
    audience = event.audience
    if audience == PUBLIC or viewer == MODERATOR:
        return True
    # The class of an event for one seat would not import without the field.
    return audience == OWN_SEAT and event.seat == viewer  # type: ignore[attr-defined]  # see above


def mask_record(record: Record[Event]) -> Record[Event]:
    """The record as moderators are shown it in a match that conceals from them what is for one
    seat."""
    event = record.event.masked()
    return record if event is record.event else replace(record, event=event)


def conceals(viewer: Viewer, created: MatchCreated) -> bool:
    """Whether what this audience is shown of a match is `masked`. So it stays when the match is
    over: the body at a number never changes."""
    if viewer != MODERATOR:
        return False
    game = rules_of(created)
    return game.conceals(msgspec.convert(created.options, game.Options))


def audience_of(event: Event) -> Viewer:
    """For whom the event was recorded: the public, one seat, or the moderators."""
    if event.audience == PUBLIC:
        return PUBLIC_VIEWER
    seat = only_seat(event)
    return MODERATOR if seat is None else seat


def name_audience(viewer: Viewer) -> str:
    """The audience's name on the wire: `public`, `seat:0`, `moderator`."""
    return f"seat:{viewer}" if isinstance(viewer, int) else viewer


def viewer(name: str) -> Viewer | None:
    """The audience of that name, or None if there is no such name."""
    if name in (PUBLIC_VIEWER, MODERATOR):
        return PUBLIC_VIEWER if name == PUBLIC_VIEWER else MODERATOR
    kind, _, number = name.partition(":")
    plain = number.isascii() and number.isdigit() and str(int(number[:4])) == number
    return int(number) if kind == "seat" and plain else None
