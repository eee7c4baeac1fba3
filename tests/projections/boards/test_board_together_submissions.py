"""Own submissions in Together We Survive, as their seat sees them: when, what, and what counts."""

from typing import Any

import msgspec

from domain.games.together.actions import GiveTokenOfLife, Submit, Vote
from domain.games.together.events import SubmissionMade
from domain.match.events import ActionReceived
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER
from projections.audience.view import AudienceState, see_all
from projections.boards.together import show
from tests.support.instants import NOON, SECOND
from tests.support.tables.game_strategies import as_sent
from tests.support.tables.together_boards import closed, seen, shows, started
from tests.support.tables.together_tables import WITHDRAWAL, a, b

AT = "2026-01-01T12:00:00Z"


def entry(body: Submit | Vote, status: str, code: str | None = None, at: str = AT) -> Any:
    return {"at": at, "body": as_sent(body), "status": status, "code": code}


def test_every_submission_is_listed_with_its_time_content_and_verdict() -> None:
    table = started()
    table.act(0, a(9)).act(0, a(1), at=NOON + SECOND).act(0, b(3, 4))
    later = "2026-01-01T12:00:01Z"
    said = [
        entry(a(9), "invalid", "not_on_stage"),
        entry(a(1), "valid", at=later),
        entry(b(3, 4), "invalid", "not_three_votes", at=later),
    ]
    shows(table, 0, submissions=said, standing=said[1])
    assert said[1]["body"] == {
        "type": "submit",
        "a": [1],
        "b": None,
        "pay_garnet": False,
        "round": 1,
    }
    shows(table, 1, submissions=[], standing=None)
    shows(table, "moderator", standing_by_seat=[said[1], *[None] * 5])


def test_a_later_valid_one_supersedes_the_one_before() -> None:
    table = started().act(0, a(1)).act(0, a(2)).act(0, a(9)).act(0, b(3, 4, 5))
    said = [
        entry(a(1), "superseded"),
        entry(a(2), "superseded"),
        entry(a(9), "invalid", "not_on_stage"),
        entry(b(3, 4, 5), "valid"),
    ]
    shows(table, 0, submissions=said, standing=said[3])


def test_after_a_withdrawal_nothing_counts() -> None:
    table = started().act(0, a(1)).act(0, WITHDRAWAL)
    said = [entry(a(1), "superseded"), entry(WITHDRAWAL, "valid")]
    shows(table, 0, submissions=said, standing=None)
    shows(table, "moderator", standing_by_seat=[None] * 6)
    table.act(0, a(2))
    said = [entry(a(1), "superseded"), entry(WITHDRAWAL, "superseded"), entry(a(2), "valid")]
    shows(table, 0, submissions=said, standing=said[2])


def test_a_late_one_counts_for_nothing() -> None:
    table = closed(started(), ((0, a(1)),)).act(0, b(3, 4, 5, at=2)).act(0, a(2, at=1))
    said = [
        entry(a(1), "valid"),
        entry(b(3, 4, 5, at=2), "valid"),
        entry(a(2, at=1), "late", "late"),
    ]
    shows(table, 0, submissions=said, standing=said[1])


def test_what_counted_in_a_round_is_not_superseded_in_the_next() -> None:
    table = closed(started("AAAABB"), ((0, a(1)),))
    shows(table, 0, submissions=[entry(a(1), "valid")], standing=None)
    shows(table, "moderator", standing_by_seat=[None] * 6)
    table.act(0, a(2, at=2))
    shows(table, 0, submissions=[entry(a(1), "valid"), entry(a(2, at=2), "valid")])


def test_a_refused_action_is_no_submission() -> None:
    table = started().act(0, Vote(1, 1)).act(0, GiveTokenOfLife(1))
    assert table.code == "wrong_phase"
    shows(table, 0, submissions=[], standing=None)
    table.act(0, a(1))
    shows(table, 0, submissions=[entry(a(1), "valid")])


def test_votes_are_submissions_like_those_of_a_round() -> None:
    table = closed(started("AAAABBBB"), ((0, a(2, 3)),))
    closed(table, ((0, a(0, at=2)), (1, a(1, at=2))))
    shows(table, 2, submissions=[], standing=None)
    table.act(2, Vote(1, 0)).act(2, Vote(1, 2)).act(2, Vote(1, 3)).act(2, a(1, at=1))
    said = [
        entry(Vote(1, 0), "invalid", "not_a_candidate"),
        entry(Vote(1, 2), "superseded"),
        entry(Vote(1, 3), "valid"),
        entry(a(1, at=1), "late", "late"),
    ]
    assert said[0]["body"] == {"type": "vote", "ballot": 1, "for": 0}
    shows(table, 2, submissions=said, standing=said[2])
    shows(table, "moderator", standing_by_seat=[None, None, said[2], *[None] * 5])
    closed(table)
    shows(table, 2, submissions=said, standing=None)
    shows(table, 3, submissions=[], standing=None)


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


def test_among_the_latest_20_the_one_that_counts_is_shown_once() -> None:
    table = started()
    for _ in range(30):
        table.act(0, a(9)).act(0, a(1))
    shown = seen(table, 0)["submissions"]
    assert len(shown) == 20
    assert [row["status"] for row in shown].count("valid") == 1
    assert shown[-1]["status"] == "valid"


def test_once_the_phase_is_over_the_latest_20_are_shown_alone() -> None:
    table = started("AAAABB").act(0, a(1))
    for _ in range(20):
        table.act(0, a(9))
    assert len(seen(table, 0)["submissions"]) == 21
    closed(table)
    shows(table, 0, submissions=[entry(a(9), "invalid", "not_on_stage")] * 20, standing=None)


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
