"""No notice, reminder, calendar or announcement depends on what is hidden: of two matches
that the public cannot tell apart they are the same, byte by byte, in every game."""

from random import Random
from uuid import UUID

import pytest

from domain.events import PUBLIC
from domain.games import GAMES
from domain.match.events import AwaitingChanged
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER
from projections.audience.matches import SCHEDULED, schedule_match
from service.auth.key_form import KeyReference
from service.http.notices.webhooks import KINDS
from service.notices import notices
from service.notices.announcement import AnnouncedRound, announcement
from service.notices.calendar_feed import CalendarSubject, calendar_feed
from service.notices.log_reader import addressed
from service.notices.round_ends import ROUND_ENDS
from service.notices.webhooks import Webhook
from service.read_models.follower import LogRecord
from tests.support.games import SUPPORT
from tests.support.tables.match_table import MatchTable
from tests.support.worlds import MATCH, once_more, received_lines, world

WORLDS = 8
BASE = "https://play.example"
WEBHOOK = Webhook(
    "w", BASE, b"secret", b"salt", KINDS, None, None, None, 60,
    KeyReference("org", UUID(int=1), b"hash"), 0,
)  # fmt: skip


def told(table: MatchTable) -> list[object]:
    """Everything that anyone is told of the match by notices. Only the ids of notices are left
    out but for reminders: they are made from places in the log, under a salt."""
    page = [LogRecord(at, MATCH, record) for at, record in enumerate(table.records)]
    match = None
    for one in page:
        if isinstance(one.record.event, SCHEDULED):
            match = schedule_match(MATCH, match, one.record)
    assert match is not None
    public = [one for one in page if isinstance(one.record.event, notices.KINDS)]
    # In small pages, so that reminders come and go as they do while a match is played.
    made = [
        (
            one.notice,
            (one.due, one.expires),
            one.id if one.notice.kind == "reminder" else None,
            one.notice.body,
        )
        for start in range(0, len(public), 3)
        for one in addressed(public[start : start + 3], {MATCH: match.row}, [WEBHOOK])
    ]
    announced = AnnouncedRound("t", "Cup", 1, [match], ())
    return [
        made,
        calendar_feed(CalendarSubject("Cup", [match], "t", {MATCH: 1}, whole=True), BASE),
        announcement(announced, BASE, markdown=True),
    ]


@pytest.mark.parametrize("name", GAMES)
def test_what_is_told_is_the_same_in_two_worlds(name: str) -> None:
    game, rng, apart, timed = GAMES[name], Random(f"notices of {name}"), 0, 0
    for _ in range(WORLDS):
        one = world(game, game.Options(), game.seats[-1], rng, rng.randrange(5, 40), 0.2)
        outcomes = SUPPORT[name].other_outcomes(one, PUBLIC_VIEWER, rng)
        other = once_more(one, PUBLIC_VIEWER, rng, outcomes)
        assert told(one) == told(other)
        apart += received_lines(one, MODERATOR) != received_lines(other, MODERATOR)
        timed += any(isinstance(e, AwaitingChanged) and e.deadline for e in one.events)
    assert apart >= WORLDS // 2, "the comparison is worth nothing if the worlds are the same"
    assert timed or name not in DEADLINES, "no deadline was compared"


DEADLINES = {"grouping-bw", "together"}
"""The games that have deadlines."""


def test_what_is_read_for_notices_is_the_same_in_two_worlds() -> None:
    """The reader asks for public events alone by their names, so hidden ones cost it nothing."""
    for event in (*notices.KINDS, *ROUND_ENDS, *SCHEDULED):
        assert event.audience == PUBLIC, event


def test_the_comparison_sees_a_difference() -> None:
    rng = Random(7)
    game = GAMES["dollar-prize"]
    first, second = (world(game, game.Options(), 2, rng, 20) for _ in range(2))
    assert told(first) != told(second)
