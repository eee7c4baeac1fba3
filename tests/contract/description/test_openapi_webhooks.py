"""The `webhooks` of the description: every notice that is made is as described."""

from typing import Any

import msgspec

from domain.events import Event, Record
from domain.game import Result
from domain.match.events import (
    AwaitingChanged,
    DrawShown,
    MatchEnded,
    MatchStarted,
    SubmissionInvalid,
)
from domain.rulings.events import MatchConfirmed, MatchRuled, MatchVoided
from domain.tournament.events import (
    MatchAdded,
    MatchCorrected,
    MatchSettled,
    PlayerNamed,
    TournamentCreated,
)
from domain.tournament.history import Bye
from domain.tournament.stage_events import CheckInOpened, ChoiceOpened, Meeting, RoundPublished
from projections.audience.matches import MatchRow
from projections.audience.results import ShownResult
from service.http.description.notice_schemas import NOTICES
from service.notices.notices import (
    KINDS,
    Notice,
    invalid_notice,
    notice_of,
    own_notice_of,
    reminder_of,
)
from service.notices.round_ends import round_notices
from service.read_models.round_ends import RoundEnd
from tests.support.http.openapi_document import resolved, validator
from tests.support.instants import NOON, SECOND
from tests.support.servers.live_server import Json

WON = Result((0,), (1,), False, (3, 0))
ROW = MatchRow(
    "m1", "dollar-prize", ("Ann", "Ben"), "running", "seeded", "server", "open", None, "2026",
    result=ShownResult(WON.winners, WON.losers, WON.shared, WON.scores),
)  # fmt: skip
AWAITING = AwaitingChanged((0, 1), deadline=NOON + SECOND)

EVENTS: list[Event] = [
    MatchStarted(),
    AWAITING,
    AwaitingChanged((), DrawShown("setup")),
    AwaitingChanged((), DrawShown()),
    MatchEnded(WON),
    MatchEnded(WON, NOON + SECOND),
    MatchVoided(None),
    MatchVoided("m2"),
    MatchConfirmed(),
    MatchRuled(1, "note", "a reason", "2.1", None),
    TournamentCreated("Cup"),
    PlayerNamed(1, "Ann", bytes(16)),
    MatchAdded("m1", "dollar-prize", (0, 1)),
    MatchSettled("m1", WON),
    MatchSettled("m1", None),
    MatchCorrected("m1", None),
    CheckInOpened(NOON),
    RoundPublished(
        stage=1, round=1, method="dutch", version="1", inputs="", by_hand=None,
        pairings=(Meeting(1, (0, 1), ()),), byes=(Bye(2, "bye", ()),), starts=NOON, ends=None,
    ),
    ChoiceOpened(1, 2, 0, NOON),
]  # fmt: skip


def made() -> list[Notice]:
    """A notice of each of these events, those for players and seats alone, and reminders."""
    records = [Record(NOON, 0, event) for event in EVENTS]
    found = [notice_of("m1", record, ROW) for record in records]
    found += [own[0] for record in records if (own := own_notice_of("m1", record)) is not None]
    reminded = reminder_of("m1", AWAITING, ROW, 3_600)
    assert reminded is not None
    ended = round_notices("t1", RoundEnd(1, 2, None, NOON, NOON), 3_600)
    invalid = invalid_notice(NOON, ROW, SubmissionInvalid(0, "not_yours"))
    return [one for one in (*found, reminded[1], *ended, invalid) if one is not None]


def body_of(document: Json, notice: str) -> Json:
    """The schema of the body of a type of notice."""
    request = document["webhooks"][notice]["post"]["requestBody"]
    schema: Json = request["content"]["application/json"]["schema"]
    return schema


def test_every_notice_is_as_described(document: Json) -> None:
    notices = made()
    assert len(notices) == len(EVENTS) + 5, "one is two, three are reminders, one is for a seat"
    for notice in notices:
        schema = body_of(document, notice.type)
        body = msgspec.json.decode(notice.body)
        validator(document, schema).validate(body)
        closed = resolved(
            document, resolved(document, schema["$ref"])["properties"]["data"]["$ref"]
        )
        assert body["data"].keys() <= closed["properties"].keys()


def test_each_type_of_notice_is_described() -> None:
    described = {str(one.__struct_config__.tag) for one in NOTICES}
    assert described == {one.type for one in made()}
    silent = {type(event) for event in EVENTS} ^ set(KINDS)
    assert [kind.__name__ for kind in silent] == ["MatchPaused"], "it makes no notice"


def test_a_notice_of_another_type_is_none(document: Json) -> None:
    started: Any = msgspec.json.decode(made()[0].body)
    assert not validator(document, body_of(document, "match.ended")).is_valid(started)
