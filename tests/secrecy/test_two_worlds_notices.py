"""No notice, reminder, calendar or announcement depends on what is hidden: of two matches
that the public cannot tell apart they are the same, byte by byte, in every game."""

from random import Random
from uuid import UUID

import pytest
from msgspec.structs import replace

from domain.events import PUBLIC
from domain.games import GAMES
from domain.match.events import AwaitingChanged, SubmissionInvalid
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER
from projections.audience.matches import SCHEDULED, ScheduledMatch, schedule_match
from service.auth.keyring import KeyReference
from service.http.notices.webhooks import KINDS
from service.notices import notices
from service.notices.announcement import AnnouncedRound, announcement
from service.notices.calendar_feed import CalendarSubject, calendar_feed
from service.notices.log_reader import addressed, addressed_to_seat
from service.notices.registrations import Webhook
from service.notices.round_ends import ROUND_ENDS
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

BROWSERS = [
    replace(WEBHOOK, id=f"b{seat}", push=True, seat=seat, kinds=("awaiting",)) for seat in range(4)
]
"""Those of seats, which are told of their turns alone."""


def listed(table: MatchTable) -> tuple[list[LogRecord], ScheduledMatch]:
    """The records of a match, and how it stands in the public list."""
    page = [LogRecord(at, MATCH, record) for at, record in enumerate(table.records)]
    match = None
    for one in page:
        if isinstance(one.record.event, SCHEDULED):
            match = schedule_match(MATCH, match, one.record)
    assert match is not None
    return page, match


def told_seat(table: MatchTable, seat: int) -> list[bytes]:
    """What a seat alone is told by notices."""
    page, match = listed(table)
    webhook = replace(WEBHOOK, key=KeyReference(f"s{seat}", UUID(MATCH), b"hash"), match=MATCH)
    return [
        sent.notice.body
        for one in page
        if isinstance(one.record.event, SubmissionInvalid)
        for sent in addressed_to_seat(one, match.row, [webhook], lambda _: {})
    ]


def told(table: MatchTable) -> list[object]:
    """Everything that anyone is told of the match by notices. Only the ids of notices are left
    out but for reminders: they are made from places in the log, under a salt."""
    page, match = listed(table)
    public = [one for one in page if isinstance(one.record.event, notices.KINDS)]
    # In small pages, so that reminders come and go as they do while a match is played.
    made = [
        (
            one.webhook,
            one.notice,
            (one.due, one.expires),
            one.id if one.notice.kind == "reminder" else None,
            one.notice.body,
        )
        for start in range(0, len(public), 3)
        for one in addressed(public[start : start + 3], {MATCH: match.row}, [WEBHOOK, *BROWSERS])
    ]
    announced = AnnouncedRound("t", "Cup", 1, [match], ())
    return [
        made,
        calendar_feed(CalendarSubject("Cup", [match], "t"), BASE),
        announcement(announced, BASE),
    ]


DEADLINES = ("grouping-bw", "together")
"""The games that have deadlines."""


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


@pytest.mark.parametrize("name", DEADLINES)
def test_what_a_seat_alone_is_told_is_the_same_where_only_others_are_hidden(name: str) -> None:
    """Both games have sealed phases."""
    game, rng, told_of = GAMES[name], Random(f"own notices of {name}"), 0
    for _ in range(WORLDS):
        one = world(game, game.Options(), game.seats[-1], rng, rng.randrange(5, 40), 0.4)
        seat = rng.randrange(game.seats[-1])
        other = once_more(one, seat, rng, SUPPORT[name].other_outcomes(one, seat, rng))
        assert told_seat(one, seat) == told_seat(other, seat)
        told_of += sum(len(told_seat(one, each)) for each in range(game.seats[-1]))
    assert told_of, "no submission was invalid"


def test_what_is_read_for_notices_is_the_same_in_two_worlds() -> None:
    """The reader asks for public events alone by their names, so hidden ones cost it nothing."""
    for event in (*notices.KINDS, *ROUND_ENDS, *SCHEDULED):
        assert event.audience == PUBLIC, event


def test_the_comparison_sees_a_difference() -> None:
    rng = Random(7)
    game = GAMES["dollar-prize"]
    first, second = (world(game, game.Options(), 2, rng, 20) for _ in range(2))
    assert told(first) != told(second)
