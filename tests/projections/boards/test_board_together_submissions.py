"""Own submissions in Together We Survive, as their seat sees them: when, what, and what counts."""

from typing import Any

import msgspec

from domain.games.together.actions import Submit, Vote
from domain.games.together.events import SubmissionMade
from domain.match.events import ActionReceived
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER
from projections.audience.view import AudienceState, see_all
from projections.boards.together import show
from tests.support.tables.game_strategies import as_sent
from tests.support.tables.together_boards import seen, shows, started
from tests.support.tables.together_tables import a

AT = "2026-01-01T12:00:00Z"


def entry(body: Submit | Vote, status: str, code: str | None = None, at: str = AT) -> Any:
    return {"at": at, "body": as_sent(body), "status": status, "code": code}


def test_before_its_verdict_a_submission_is_not_shown() -> None:
    """Also the number between what was received and its verdict has a view."""
    table = started().act(0, a(1))
    *before, made = table.records
    assert isinstance(made.event, SubmissionMade)
    assert isinstance(before[-1].event, ActionReceived)
    heard = see_all(AudienceState(0), before)
    earlier = see_all(AudienceState(0), before[:-1])
    assert heard.seq == earlier.seq + 1
    assert msgspec.json.encode(show(heard.board)) == msgspec.json.encode(show(earlier.board))


# However many there are.


def test_the_latest_20_are_shown_and_before_them_the_one_that_counts() -> None:
    table = started().act(0, a(1))
    for _ in range(25):
        table.act(0, a(9))
    said = [entry(a(1), "valid"), *[entry(a(9), "invalid", "not_on_stage")] * 20]
    shows(table, 0, submissions=said, standing=said[0])
    table.act(0, a(2))
    rest = [entry(a(9), "invalid", "not_on_stage")] * 19
    shows(table, 0, submissions=[*rest, entry(a(2), "valid")], standing=entry(a(2), "valid"))


def test_no_view_grows_with_the_number_of_submissions() -> None:
    few, many = started(), started()
    for table, number in ((few, 21), (many, 350)):
        for _ in range(number):
            table.act(0, a(1, 1)).act(1, a(9))
    for viewer in (PUBLIC_VIEWER, MODERATOR, 0, 1, 2):
        sizes = [len(msgspec.json.encode(seen(table, viewer))) for table in (few, many)]
        assert sizes[0] == sizes[1] < 10_000, viewer


def test_folding_a_submission_copies_no_more_than_what_is_shown() -> None:
    table = started()
    for _ in range(350):
        table.act(0, a(1))
    state = see_all(AudienceState(0), table.records).board
    assert (len(state.before), state.after) == (20, ())
