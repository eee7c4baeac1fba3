"""Reminders of the ends of rounds: before an end, and at it. They are made from the public list
alone, and anew whenever an end may have changed."""

from collections.abc import Iterator
from typing import Annotated

from msgspec import Meta, Struct

from domain.match.deadlines import DAY, SECOND
from domain.tournament.stage_events import (
    EndsMoved,
    RoundClosed,
    RoundExtended,
    RoundPublished,
    RoundWithdrawn,
)
from projections.fields import Timestamp, rfc3339
from service.notices.notices import Notice
from service.notices.registrations import Addressed, Webhook
from service.read_models.round_ends import RoundEnd

ROUND_ENDS = (RoundPublished, RoundExtended, RoundClosed, RoundWithdrawn, EndsMoved)
"""The events after which rounds may end at other instants. All of them are public."""


class RoundEndTold(Struct, frozen=True):
    """A round that is not closed, and when it ends, or a table of it that may last longer."""

    tournament: str
    stage: int
    round: int
    table: Annotated[int | None, Meta(description="The number of the table; null for all others")]
    ends: Timestamp


def round_notices(tournament: str, end: RoundEnd, seconds: int) -> tuple[Notice, Notice]:
    """The reminder of an end, to be sent `seconds` before it, and the notice at it."""
    data = RoundEndTold(tournament, end.stage, end.round, end.table, rfc3339(end.at))
    before = end.at - seconds * SECOND
    return (
        Notice("reminder", tournament, before, "tournament.reminder", data),
        Notice("reminder", tournament, end.at, "tournament.round_ended", data),
    )


def round_reminders(tournament: str, end: RoundEnd, webhook: Webhook) -> Iterator[Addressed]:
    """What of it a webhook is sent: nothing that was due before the end was set. A day after the
    end it is of no use any more."""
    for notice in round_notices(tournament, end, webhook.remind):
        if notice.at > end.since and webhook.wants(notice.kind, tournament, None, notice.at):
            parts = end.stage, end.round, end.table or 0, end.at
            name = webhook.notice_id(notice.type, tournament, *parts)
            expires = end.at if notice.at < end.at else end.at + DAY
            yield Addressed(webhook.id, name, notice, notice.at, expires)
